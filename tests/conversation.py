"""A manager's end of the pipes to a loop with scripted thinkers, in one process."""

from __future__ import annotations

import io
import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import cython_core as core
from brain.clock import Timer
from brain.engine import Engine
from brain.loop import Loop
from brain.records import Analysis, Line, OnUpdate, Request
from brain.thinker import Thinker

PATIENCE_S = 10.0


def first_free(board: core.Board) -> int:
    return board.legal_cells()[0]


class Scripted(Thinker):
    """Needs no network."""

    def warm_up(self, rule: int, memory: int = 0) -> None:
        pass


class Patient(Scripted):
    """Thinks until it must stop, then takes the first free cell."""

    def analyse(
        self, request: Request, timer: Timer | None = None, on_update: OnUpdate | None = None
    ) -> Analysis:
        assert timer is not None
        move = first_free(request.board)
        lines = (Line(move, 0.6, 0.2, visits=100, pv=(move, move + 1)), Line(move + 1, 0.0, visits=9, proof=-6))
        analysis = Analysis(lines[: request.lines], 100, 0.5, 200.0, 5, 9)
        if on_update is not None:
            on_update(analysis)
        while not timer.expired:
            time.sleep(0.002)
        return analysis


class Quick(Scripted):
    """Answers at once."""

    def analyse(self, request: Request, *arguments: object) -> Analysis:  # type: ignore[override]
        move = first_free(request.board)
        return Analysis((Line(move, 1.0, visits=1, proof=1, pv=(move,)),), 1, 0.0)


class Broken(Scripted):
    def analyse(self, *arguments: object) -> Analysis:  # type: ignore[override]
        raise RuntimeError("a bug\nin two lines")


class Cheating(Scripted):
    """Answers with an occupied cell."""

    def analyse(self, request: Request, *arguments: object) -> Analysis:  # type: ignore[override]
        return Analysis((Line(request.board.history[0][0], 0.5),), 1, 0.0)


class Hung(Scripted):
    """Never comes back on its own."""

    release = threading.Event()

    def analyse(self, request: Request, *arguments: object) -> Analysis:  # type: ignore[override]
        Hung.release.wait(30)
        return Analysis((Line(first_free(request.board), 0.5),), 1, 0.0)


class Conversation:
    """The manager's end of the pipes."""

    def __init__(self, thinker: type[Thinker], strict: bool, log: io.StringIO | None) -> None:
        input_fd, self._to_brain = os.pipe()
        self._from_brain, output_fd = os.pipe()
        self._output_fd = output_fd

        def make_engine(say: Callable[[str], None], note: Callable[[str], None]) -> Engine:
            return Engine(say, note, startup=lambda: 0.0, make_thinker=thinker)

        self.loop = Loop(input_fd, output_fd, strict, log, make_engine)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.error: BaseException | None = None
        self.runner = threading.Thread(target=self._run, daemon=True)
        self.runner.start()
        threading.Thread(target=self._listen, daemon=True).start()

    def _run(self) -> None:
        try:
            self.loop.run()
        except BaseException as error:
            self.error = error
        finally:
            os.close(self._output_fd)

    def _listen(self) -> None:
        with os.fdopen(self._from_brain, "rb", buffering=0) as source:
            for line in source:
                self._lines.put(line.decode("utf-8").rstrip("\n"))
        self._lines.put(None)

    def say(self, *lines: str) -> None:
        os.write(self._to_brain, "".join(f"{line}\n" for line in lines).encode())

    def hang_up(self) -> None:
        os.close(self._to_brain)

    def raw(self) -> str | None:
        return self._lines.get(timeout=PATIENCE_S)

    def reply(self) -> str | None:
        """The next line that is no talk; None at the end."""
        while (line := self.raw()) is not None and line.startswith(("MESSAGE", "DEBUG", "INFO")):
            pass
        return line

    def silent(self, seconds: float = 0.1) -> bool:
        time.sleep(seconds)
        return all(line is not None and line.startswith("MESSAGE") for line in list(self._lines.queue))

    def rest(self) -> list[str]:
        """Everything until the end."""
        found = []
        while (line := self.reply()) is not None:
            found.append(line)
        self.runner.join(PATIENCE_S)
        return found


@contextmanager
def talking(
    thinker: type[Thinker] = Patient, strict: bool = True, log: io.StringIO | None = None
) -> Iterator[Conversation]:
    conversation = Conversation(thinker, strict, log)
    conversation.say("START 15", "INFO timeout_turn 60000")
    assert conversation.reply() == "OK"
    yield conversation
    Hung.release.set()
    conversation.runner.join(PATIENCE_S)
    Hung.release.clear()
    assert not conversation.runner.is_alive()
    if strict and conversation.error is not None:
        raise conversation.error


def answer(manager: Conversation, *lines: str) -> list[str]:
    """All that is said to these lines, talk included."""
    manager.say(*lines, "YXSHOWFORBID")
    found = []
    while (line := manager.raw()) is not None and not line.startswith("FORBID"):
        found.append(line)
    return found
