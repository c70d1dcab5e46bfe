"""A brain as a manager sees it: a process, two pipes and a stopwatch."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

WELL_FORMED = re.compile(
    r"OK|SWAP|\d+,\d+( \d+,\d+){0,2}|(MESSAGE|DEBUG|ERROR|UNKNOWN) \S.*|FORBID (\d{4})*\.|name=\"[^\"]+\", .*"
    r"|INFO (NUMPV|PV|DEPTH|SELDEPTH|NODES|TOTALNODES|TOTALTIME|SPEED|EVAL|WINRATE|BESTLINE) \S.*"
)
"""Every line a brain may print. INFO lines are for those who asked: see `Brain.analysis`."""

TALK = ("MESSAGE ", "DEBUG ")


class Failed(AssertionError):
    """The brain did something the protocol does not allow."""


LITERAL_SLACK = 2.0
"""Up to here deadlines are meant as they are; ..."""

STALL_S = 10.0
"""...beyond it none is shorter than this: the whole machine may stand still for a moment."""


class Brain:
    """One brain process. Deadlines are given in milliseconds and multiplied by `slack`."""

    def __init__(
        self,
        command: Sequence[str],
        slack: float = 1.0,
        cwd: Path | None = None,
        merge_stderr: bool = False,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.slack = slack
        self.analysis = False
        self.talk: list[str] = []
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge_stderr else subprocess.PIPE,
            cwd=cwd,
            bufsize=0,
            env={**os.environ, **(environment or {})},
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._errors = bytearray()
        threading.Thread(target=self._listen, daemon=True).start()
        if not merge_stderr:
            threading.Thread(target=self._listen_to_errors, daemon=True).start()

    def __enter__(self) -> Brain:
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()  # a brain may be two processes, of which only one has been killed
        if kind is None and self._errors:
            raise Failed(f"bytes on stderr: {bytes(self._errors[:2000])!r}")

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for raw in self.process.stdout:
            self._lines.put(raw.decode("latin-1").rstrip("\r\n"))
        self._lines.put(None)

    def _listen_to_errors(self) -> None:
        assert self.process.stderr is not None
        while chunk := self.process.stderr.read(4096):
            self._errors += chunk

    def _last_words(self) -> str:
        """How a brain ended that should not have."""
        try:
            code = self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            return ""
        return f" and ended with {code}, stderr {bytes(self._errors[:2000])!r}"

    # Speaking

    def send(self, *lines: str, newline: str = "\n") -> None:
        self.send_bytes("".join(line + newline for line in lines).encode("latin-1"))

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) :]

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    # Hearing

    def patience(self, ms: float) -> float:
        """Seconds that are waited for what should come within `ms`."""
        seconds = ms * self.slack / 1000
        return seconds if self.slack <= LITERAL_SLACK else max(seconds, STALL_S)

    def raw_line(self, ms: float) -> str:
        """The next line of any kind. Fails at the deadline, at the end of output and on an ill-formed line."""
        return self._line(ms * self.slack / 1000)

    def _line(self, seconds: float) -> str:
        try:
            line = self._lines.get(timeout=max(0.0, seconds))
        except queue.Empty:
            raise Failed(f"no line within {1000 * seconds:.0f} ms") from None
        if line is None:
            raise Failed(f"the brain closed its output{self._last_words()}")
        if not WELL_FORMED.fullmatch(line) or not line.isascii() or (line.startswith("INFO") and not self.analysis):
            raise Failed(f"ill-formed line {line!r}")
        if line.upper().startswith("SUGGEST"):
            raise Failed("SUGGEST is not understood by judges")
        return line

    def reply(self, ms: float = 1000) -> str:
        """The next line that is no MESSAGE, DEBUG or INFO; those are kept in `talk`."""
        until = time.monotonic() + self.patience(ms)
        while True:
            line = self._line(until - time.monotonic())
            if not line.startswith((*TALK, "INFO ")):
                return line
            self.talk.append(line)

    def expect(self, wanted: str, ms: float = 1000) -> None:
        line = self.reply(ms)
        if line != wanted:
            raise Failed(f"expected {wanted!r}, got {line!r}")

    def silent(self, ms: float = 300, talk: bool = False) -> None:
        """Not one line for this long; with `talk` only MESSAGE and DEBUG. Not scaled: silence is not a deadline."""
        until = time.monotonic() + ms / 1000
        while (left := until - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                return
            if not talk or line is None or not line.startswith(TALK):
                raise Failed(f"expected silence, got {line!r}")

    def alive(self) -> None:
        """Answers ABOUT."""
        self.send("ABOUT")
        line = self.reply()
        if 'name="' not in line:
            raise Failed(f"not alive: ABOUT gives {line!r}")

    def exits(self, ms: float, silently: bool = True) -> list[str]:
        """The process ends within the time. Returns its last replies; with `silently` there must be none."""
        try:
            self.process.wait(timeout=self.patience(ms))
        except subprocess.TimeoutExpired:
            raise Failed(f"still running after {ms:.0f} ms (slack {self.slack:g})") from None
        rest = []
        while (line := self._lines.get(timeout=5)) is not None:
            if not line.startswith(TALK):
                rest.append(line)
        if silently and rest:
            raise Failed(f"last words {rest}")
        return rest

    # Watching

    def suspend(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def private_bytes(self) -> int:
        """Private resident memory (unique set size), what judges measure."""
        total = 0
        for line in Path(f"/proc/{self.process.pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(("Private_Clean:", "Private_Dirty:")):
                total += int(line.split()[1]) * 1024
        return total

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
