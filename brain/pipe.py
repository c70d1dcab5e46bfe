"""The only stdin and stdout: stamped lines in, whole lines out, and the log of both. What they mean is `loop`'s.

The descriptors are the manager's: they may be set not to block, and nobody may be reading. So every wait for them is a
poll, except on Windows, which has no poll for pipes.
"""

from __future__ import annotations

import os
import queue
import select
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, TypeVar

from brain.background import start_thread

LONGEST_LINE = 1 << 16
"""Bytes of a line that are looked at; a full 32x32 position on one line needs 9 kB."""

UNREAD_S = 0.3
"""Once the manager has said END, output that it does not read is given up after this long."""

POLL_MS = 20
PIECE = getattr(select, "PIPE_BUF", 1 << 16)
"""Bytes that a writable pipe takes without blocking."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One line from the manager; None is the end of input."""

    line: str | None
    at: float


E = TypeVar("E")


class Backlog(queue.Queue[E]):
    """Events in their order. Lines are limited by their bytes together: behind a limit of their number, which a manager
    that reads no answers may reach, nobody would hear END, and long lines would fill the memory below it."""

    EACH = 256
    """Bytes of an event beside its text."""

    def _init(self, maxsize: int) -> None:
        self.queue: deque[E] = deque()
        self._bytes = 0

    def _qsize(self) -> int:
        return self._bytes

    def _put(self, item: E) -> None:
        self._bytes += self._size(item)
        self.queue.append(item)

    def _get(self) -> E:
        item = self.queue.popleft()
        self._bytes -= self._size(item)
        return item

    def _size(self, item: E) -> int:
        return self.EACH + (len(item.line) if isinstance(item, Heard) and item.line else 0)


class Pipe:
    """Two file descriptors and, if wanted, a log. All methods may be called from any thread."""

    def __init__(self, input_fd: int, output_fd: int, log: IO[str] | None) -> None:
        self._input_fd, self._output_fd, self._log = input_fd, output_fd, log
        self._output = threading.Lock()
        self.leaving = False
        """Output that nobody reads is no longer waited for, beyond UNREAD_S: the conversation is ending."""
        self.closed = False
        """Nobody reads the output any more."""

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Starts the reader thread, which calls `hear` with each line and, last, with the end of input."""
        start_thread(lambda: self._read(hear), "reader")

    def _read(self, hear: Callable[[Heard], None]) -> None:
        """Bytes -> stamped lines. Of an overlong line only the beginning is heard, and never more than that stored."""
        pending, cut = b"", False
        while chunk := self._chunk():
            *lines, pending = (pending + chunk).split(b"\n")
            at = time.perf_counter()
            for line in lines:
                if not cut:
                    hear(Heard(_decoded(line), at))
                cut = False
            if len(pending) > LONGEST_LINE:
                if not cut:
                    hear(Heard(_decoded(pending), at))
                pending, cut = b"", True
        at = time.perf_counter()
        if pending and not cut:
            hear(Heard(_decoded(pending), at))
        hear(Heard(None, at))

    def _chunk(self) -> bytes:
        """The next bytes of input; none at its end, however it came."""
        while True:
            try:
                return os.read(self._input_fd, 1 << 16)
            except BlockingIOError:
                _wait(self._input_fd, "in", None)
            except OSError:
                return b""

    def write(self, lines: Sequence[str]) -> None:
        """Whole lines, at once: a manager must never see half a reply. Waits for a manager that reads late."""
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        with self._output:
            for line in lines:
                self.record(">", line)
            while data and not self.closed:
                try:
                    if self._may_write():
                        data = data[os.write(self._output_fd, data[:PIECE]) :]
                    else:
                        self.closed = True
                except BlockingIOError:
                    pass
                except OSError:
                    self.closed = True

    def _may_write(self) -> bool:
        """Waits until the output takes something; False when it is not worth waiting for."""
        leaving_since = None
        while not _wait(self._output_fd, "out", POLL_MS):
            if self.leaving:
                now = time.perf_counter()
                leaving_since = leaving_since or now
                if now - leaving_since > UNREAD_S:
                    return False
        return True

    def record(self, mark: str, text: str) -> None:
        """One entry of the log. A full disk costs the log, not the game."""
        if self._log is not None:
            try:
                self._log.write(f"{time.perf_counter():.3f} {mark} {text}\n")
                self._log.flush()
            except OSError:
                self._log = None


def _wait(fd: int, direction: str, ms: int | None) -> bool:
    """Waits until a descriptor can be read or written, or has failed; False when it took longer."""
    if not hasattr(select, "poll"):
        return True
    poll = select.poll()
    poll.register(fd, select.POLLIN if direction == "in" else select.POLLOUT)
    return bool(poll.poll(ms))


def _decoded(line: bytes) -> str:
    """Cut to the longest line. Texts of a database are UTF-8, commands are ASCII; bytes that are neither become a
    character that no command contains. A byte order mark is dropped."""
    return line[:LONGEST_LINE].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
