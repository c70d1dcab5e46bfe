"""A player that is a program speaking the Piskvork protocol through pipes.

It owns the child process and the translation of a game into commands. Whatever the program does wrong
becomes a PlayerFailure: crash, timeout, garbage (a line that is no answer), error (it said ERROR or
UNKNOWN).
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import NoReturn

from bench.players import UNLIMITED_MS, Control, PlayerFailure
from bench.reference import Cell

START_SECONDS = 20.0  # until OK: an interpreter and a network may have to be loaded
END_SECONDS = 1.0  # between END and the kill
LONGEST_LINE = 1 << 16  # bytes; more without a line break is garbage

_MOVE = re.compile(r"(\d+),(\d+)")
_CHATTER = re.compile(r"(MESSAGE|DEBUG)\b.*", re.IGNORECASE)
_REFUSAL = re.compile(r"(ERROR|UNKNOWN)\b.*", re.IGNORECASE)

_launching = threading.Lock()  # held from the start of a program until its player knows it
_over = False


def launch_no_more() -> None:
    """From now on no program is started: this process is about to end, and what it starts would outlive it."""
    global _over
    with _launching:
        _over = True


class _Pipe:
    """Lines of the child's stdout, collected by a thread so that a read can have a deadline."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        # Bounded, so that a program which never stops talking fills its own pipe and not our memory.
        self._lines: queue.Queue[str | None] = queue.Queue(maxsize=1000)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._collect, daemon=True)
        self._thread.start()

    def _put(self, line: str | None) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.2)
                return

    def _collect(self) -> None:
        pending = b""
        while not self._closed.is_set():
            try:
                chunk = os.read(self._fd, 1 << 14)
            except OSError:
                chunk = b""
            if not chunk:
                break
            *lines, pending = (pending + chunk).replace(b"\r", b"\n").split(b"\n")
            if len(pending) > LONGEST_LINE:
                lines, pending = [*lines, pending], b""
            for line in lines:
                text = line.decode("utf-8", "replace").strip()
                if text:
                    self._put(text)
        self._put(None)

    def read(self, deadline: float) -> str:
        """The next line that is not empty; TimeoutError at the deadline, EOFError if the child has gone."""
        wait = deadline - time.monotonic()
        try:
            line = self._lines.get(timeout=max(wait, 0.0))
        except queue.Empty:
            raise TimeoutError from None
        if line is None:
            self._put(None)
            raise EOFError
        return line

    def drain(self) -> None:
        """Forget what an earlier game left behind."""
        with contextlib.suppress(TimeoutError, EOFError):
            while True:
                self.read(0.0)

    def close(self) -> None:
        self._closed.set()
        self._thread.join(timeout=1.0)


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kills what is left of the program and of all it has started: a wrapper's engine would think on for ever."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)  # the group of a child with a session of its own has its number
        else:
            child.kill()


class ProcessPlayer:
    """Keeps one process for many games and starts a new one after a failure."""

    def __init__(self, command: str) -> None:
        self._command = shlex.split(command)
        if not self._command:
            raise ValueError("an empty command line is no player")
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: _Pipe | None = None
        self._told: list[Cell] = []  # the moves the program knows of, its own included
        self._control = Control()

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        if self._child is None:
            self._launch()
        assert self._pipe is not None
        self._pipe.drain()
        self._control = control
        self._told = []
        self._send(f"START {width}" if width == height else f"RECTSTART {width},{height}")
        answer = self._answer(time.monotonic() + START_SECONDS + control.tolerance_ms / 1000)
        if answer != "OK":
            self._fail("garbage", f"answered START with {answer[:60]!r}")
        self._send(f"INFO timeout_turn {control.turn_ms}")
        self._send(f"INFO timeout_match {control.match_ms}")
        self._send(f"INFO max_memory {control.memory}")
        self._send(f"INFO thread_num {control.threads}")
        self._send("INFO game_type 1")
        self._send("INFO book 0")  # a match compares searches
        self._send(f"INFO rule {rule}")
        if control.nodes:
            self._send(f"INFO max_node {control.nodes}")

    def choose(self, moves: Sequence[Cell], left_ms: int) -> Cell:
        limit_ms = min(self._control.turn_ms, left_ms) + self._control.tolerance_ms
        lines = [f"INFO time_left {left_ms if self._control.match_ms else UNLIMITED_MS}"]
        if not moves:
            lines.append("BEGIN")
        elif list(moves[:-1]) == self._told:
            lines.append("TURN {},{}".format(*moves[-1]))
        else:
            lines.append("BOARD")
            for number, (x, y) in enumerate(moves):
                own = (len(moves) - number) % 2 == 0
                lines.append(f"{x},{y},{1 if own else 2}")
            lines.append("DONE")
        started = time.monotonic()
        self._send(*lines)
        answer = self._answer(started + limit_ms / 1000)
        match = _MOVE.fullmatch(answer)
        if match is None:
            self._fail("garbage", f"answered with {answer[:60]!r}")
        cell = int(match[1]), int(match[2])
        self._told = [*moves, cell]
        return cell

    @property
    def pid(self) -> int | None:
        """Of the running program."""
        return self._child.pid if self._child is not None else None

    def close(self) -> None:
        # Taken at once: the end of a run closes players whose game may fail at the same moment.
        child, self._child = self._child, None
        if child is None:
            return
        assert self._pipe is not None and child.stdin is not None and child.stdout is not None
        with contextlib.suppress(OSError):
            child.stdin.write(b"END\n")
            child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(END_SECONDS)
        _kill(child)
        child.wait()
        self._pipe.close()
        child.stdout.close()

    def _launch(self) -> None:
        with _launching:
            if _over:
                raise PlayerFailure("crash", "the run is over")
            self._start()

    def _start(self) -> None:
        try:
            # The child inherits the affinity of this process, which the runner has set to one core. In a session of
            # its own it can be killed with all it has started.
            child = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise PlayerFailure("crash", f"cannot start {self._command[0]}: {error.strerror}") from error
        assert child.stdout is not None
        self._pipe = _Pipe(child.stdout.fileno())
        self._child = child

    def _send(self, *lines: str) -> None:
        assert self._child is not None and self._child.stdin is not None
        try:
            self._child.stdin.write("".join(f"{line}\r\n" for line in lines).encode())
        except OSError:
            self._fail("crash", self._last_words())

    def _answer(self, deadline: float) -> str:
        """The next line that is an answer; messages are passed over."""
        assert self._pipe is not None
        while True:
            try:
                line = self._pipe.read(deadline)
            except TimeoutError:
                self._fail("timeout", "no answer in time")
            except EOFError:
                self._fail("crash", self._last_words())
            if _REFUSAL.fullmatch(line):
                self._fail("error", line[:80])
            if not _CHATTER.fullmatch(line):
                return line
            if time.monotonic() > deadline:
                self._fail("timeout", "messages but no answer in time")

    def _last_words(self) -> str:
        assert self._child is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._child.wait(0.5)
            return f"killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return "closed its output"

    def _fail(self, reason: str, message: str) -> NoReturn:
        assert self._child is not None
        # No manners with a program that failed: it may hang, and the next game needs a clean one.
        _kill(self._child)
        self.close()
        raise PlayerFailure(reason, message)
