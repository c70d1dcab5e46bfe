"""A conversation with an executable through pipes, with a limit on every wait."""

from __future__ import annotations

import contextlib
import queue
import re
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

MOVE = re.compile(r"\d{1,2},\d{1,2}")


class TalkError(Exception):
    """The executable did not say what it should have said in time."""


class Talk:
    """One running executable. Chatter (MESSAGE, DEBUG) is passed over; stderr is kept for the report."""

    def __init__(self, command: Sequence[str], cwd: Path | None = None) -> None:
        self.started = time.monotonic()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(list(command), cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe)
        self.stderr = b""
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._listen, self._overhear)
        ]
        for thread in self._threads:
            thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            for line in stream:
                self._lines.put(line.decode("ascii", "replace").strip())
        self._lines.put(None)

    def _overhear(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stream:
            self.stderr = stream.read()

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # a dead executable is noticed when its answer is missing
            self.process.stdin.write("".join(f"{line}\r\n" for line in lines).encode())
            self.process.stdin.flush()

    def expect(self, pattern: str | re.Pattern[str], seconds: float = 60.0) -> str:
        """The next answer; TalkError unless it comes in time and matches wholly."""
        line = self._answer(seconds)
        if line is None:
            raise TalkError(f"no answer within {seconds:.0f} s")
        if not re.fullmatch(pattern, line):
            raise TalkError(f"it said {line!r}, which is not {pattern!r}")
        return line

    def expect_silence(self, seconds: float) -> None:
        """TalkError if an answer comes within the time."""
        if (line := self._answer(seconds)) is not None:
            raise TalkError(f"it said {line!r} where it should have been thinking")

    def _answer(self, seconds: float) -> str | None:
        """The next line that is no chatter, or None when the time is over. TalkError if the executable has ended."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return None
            if line is None:
                self._threads[1].join(1.0)
                last = self.stderr.decode(errors="replace")[-2000:]
                raise TalkError(f"it has ended; it said: {last or 'nothing'}")
            if line and not line.startswith(("MESSAGE", "DEBUG")):
                return line

    def end(self, seconds: float = 10.0) -> None:
        """Says END; TalkError unless it leaves in time with exit code 0."""
        self.send("END")
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TalkError(f"still there {seconds:.0f} s after END") from None
        if code != 0:
            raise TalkError(f"exit code {code}")

    def kill(self) -> None:
        """Ends it as a manager that has lost patience does."""
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> Talk:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        # The other two end with their threads: closing them would wait for all who hold them, Wine's services too.
