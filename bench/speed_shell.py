"""Latencies and memory of the program as a manager sees them."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench.speed_core import Probe

OUR_BRAIN = f"{shlex.quote(sys.executable)} -m brain"
_POSITION = ["BOARD", "7,7,2", "8,8,1", "9,7,2", "DONE"]  # nothing is known by heart here
_LIMITS = ["INFO timeout_turn 1000", "INFO timeout_match 0", "INFO max_memory 367001600", "INFO rule 0", "INFO book 0"]


class _Session:
    def __init__(self, command: str) -> None:
        self.started = time.perf_counter()
        self.child = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def tell(self, *lines: str) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.child.stdin.flush()

    def ask(self, *lines: str) -> str:
        """The first answer that is not a message; RuntimeError if the program goes away instead."""
        assert self.child.stdout is not None
        self.tell(*lines)
        while line := self.child.stdout.readline():
            if not line.startswith((b"MESSAGE", b"DEBUG")):
                return line.decode().strip()
        raise RuntimeError(f"no answer to {lines[-1]}")

    def close(self) -> None:
        self.tell("END")
        self.child.wait(10)


def _about(command: str) -> float:
    session = _Session(command)
    session.ask("ABOUT")
    taken = time.perf_counter() - session.started
    session.close()
    return 1000 * taken


def _start(command: str) -> float:
    session = _Session(command)
    session.ask("START 15")
    began = time.perf_counter()
    session.ask("START 20")
    taken = time.perf_counter() - began
    session.close()
    return 1000 * taken


def _first_move(command: str) -> float:
    """From process start to a move asked for without thinking time: what a judge bills to move one."""
    session = _Session(command)
    session.tell("START 15", *_LIMITS, "INFO timeout_turn 0")
    session.ask()
    session.ask(*_POSITION)
    taken = time.perf_counter() - session.started
    session.close()
    return 1000 * taken


def _end(command: str) -> float:
    session = _Session(command)
    session.ask("START 15")
    session.tell(*_LIMITS, "INFO timeout_turn 30000", *_POSITION)
    time.sleep(1.0)
    began = time.perf_counter()
    session.close()
    return 1000 * (time.perf_counter() - began)


def _memory(command: str) -> float:
    """Peak resident memory after two moves of one second, the second with the network, in MB."""
    session = _Session(command)
    session.ask("START 15")
    session.ask(*_LIMITS, *_POSITION)
    session.ask(*_POSITION)
    status = Path(f"/proc/{session.child.pid}/status").read_text()
    session.close()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def probes(command: str) -> Iterator[Probe]:
    """Each starts the program once."""
    yield "shell ABOUT from start", "ms", lambda: _about(command)
    yield "shell START", "ms", lambda: _start(command)
    yield "shell first move", "ms", lambda: _first_move(command)
    yield "shell END while thinking", "ms", lambda: _end(command)
    if Path("/proc/self/status").exists():
        yield "shell memory", "MB", lambda: _memory(command)
