"""The only stdin and stdout: stamped lines in, whole lines out, and the log of both. What they mean is `loop`'s."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

LONGEST_LINE = 1 << 16
"""Bytes of a line that are looked at; a full 32x32 position on one line needs 9 kB."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One line from the manager; None is the end of input."""

    line: str | None
    at: float


class Pipe:
    """Two file descriptors and, if wished, a log. `write` and `record` may be called from any thread."""

    def __init__(self, input_fd: int, output_fd: int, log: IO[str] | None) -> None:
        self._input_fd, self._output_fd, self._log = input_fd, output_fd, log
        self._output = threading.Lock()
        self.deaf = False
        """Nobody reads the output any more."""

    def listen(self, hear: Callable[[Heard], None]) -> None:
        """Starts the reader thread, which calls `hear` with each line and, last, with the end of input."""
        threading.Thread(target=self._read, args=(hear,), name="reader", daemon=True).start()

    def _read(self, hear: Callable[[Heard], None]) -> None:
        """Bytes -> stamped lines. An overlong line is cut, never stored."""
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
        try:
            return os.read(self._input_fd, 1 << 16)
        except OSError:
            return b""

    def write(self, lines: Sequence[str]) -> None:
        """Whole lines, at once: a manager must never see half a reply."""
        data = "".join(f"{line}\n" for line in lines).encode("ascii", "replace")
        with self._output:
            for line in lines:
                self.record(">", line)
            try:
                while data and not self.deaf:
                    data = data[os.write(self._output_fd, data) :]
            except OSError:
                self.deaf = True

    def record(self, mark: str, text: str) -> None:
        """One entry of the log. A full disk costs the log, not the game."""
        if self._log is not None:
            try:
                self._log.write(f"{time.perf_counter():.3f} {mark} {text}\n")
                self._log.flush()
            except OSError:
                self._log = None


def _decoded(line: bytes) -> str:
    """ASCII; anything else becomes a character no command contains. A byte order mark is dropped."""
    return line.removeprefix(b"\xef\xbb\xbf").decode("ascii", "replace")
