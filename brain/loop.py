"""The conversation: who may do what when, and the only catch.

The reader thread stamps lines and queues them; this thread obeys them one by one and is the only one that
changes the match; the worker's thread thinks and answers through the same queue. During a think:

    START RECTSTART RESTART BOARD SWAP2BOARD YXBOARD    cancel it, it gets no reply
    INFO ABOUT STOP END, end of input                   act at once
    everything else                                     waits for its reply
"""

from __future__ import annotations

import os
import queue
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TypeVar

from brain import __version__, protocol
from brain.engine import Decision, Engine, Progress, ProtocolError, Think
from brain.pipe import Heard, Pipe
from brain.worker import Worker

T = TypeVar("T")

LAST_WORDS_S = 0.3
"""Think on this long after the end of input: a piped session still gets a considered move."""

CANCEL_S = 0.5
"""Wait this long for a cancelled think before going on without it; it takes milliseconds unless cores are shared."""

END_S = 0.12
"""...and this long for the last move after END: managers kill what has not left soon."""

GRACE_S = 0.4
"""A think this late is told to stop, and when it does not the answer is rescued. Judges tolerate a second."""

STRICT_GRACE_S = 30.0


@dataclass(frozen=True, slots=True)
class Decided:
    """A think came back, with a decision or with what went wrong."""

    think: Think
    outcome: Decision | Exception


class Loop:
    """One conversation over two file descriptors. `run` returns when it is over."""

    def __init__(
        self,
        input_fd: int = 0,
        output_fd: int = 1,
        strict: bool = False,
        log: IO[str] | None = None,
        make_engine: Callable[[Callable[[str], None], Callable[[str], None]], Engine] = Engine,
    ) -> None:
        self._pipe = Pipe(input_fd, output_fd, log)
        self._strict = strict
        self._events: queue.Queue[Heard | Decided] = queue.Queue(maxsize=4096)
        self._put_aside: deque[Heard] = deque()
        self._waiting: deque[protocol.Command] = deque()
        self._list: protocol.OpenList | None = None
        self._think: Think | None = None
        self._worker = Worker(self._ponder)
        self.engine = make_engine(
            lambda text: self._write(protocol.message(text)), lambda text: self._write(protocol.debug(text))
        )

    def run(self) -> int:
        """Obeys until END, end of input or a closed output."""
        self._pipe.listen(self._heard)
        while not self._pipe.closed:
            event = self._next()
            if event is None:
                self._give_up_waiting()
            elif isinstance(event, Decided):
                if event.think is self._think:
                    self._answer(event.outcome)
                    self._obey_waiting()
            elif event.line is None:
                self._end_of_input(event.at)
                break
            elif not self._hear(event.line, event.at):
                self._last_words()
                break
        return 0

    # Hearing

    def _heard(self, heard: Heard) -> None:
        """On the reader's thread."""
        if heard.line is None or protocol.is_end(heard.line):
            self._pipe.leave()  # the other thread may be waiting for a manager that does not read
        self._events.put(heard)

    def _next(self) -> Heard | Decided | None:
        """The next event, or None when a think is overdue."""
        if self._put_aside:
            return self._put_aside.popleft()
        if self._think is None:
            return self._events.get()
        grace = STRICT_GRACE_S if self._strict else GRACE_S
        patience = self._think.control.limits.deadline + grace - time.perf_counter()
        try:
            return self._events.get(timeout=max(0.001, patience))
        except queue.Empty:
            overdue = time.perf_counter() > self._think.control.limits.deadline + grace
            return None if overdue else self._next()

    def _hear(self, line: str, at: float) -> bool:
        """Obeys or queues one line; False on END."""
        self._pipe.record("<", line)
        if protocol.is_yixin(line):
            self.engine.meet_yixin()
        command, self._list = protocol.parse(line, self._list)
        if self._list is not None and self._think is not None:
            self._cancel()
        if command is None:
            return True
        if isinstance(command, protocol.End):
            return False
        if self._think is None or isinstance(command, protocol.Info | protocol.About | protocol.Stop):
            self._obey(command, at)
        elif isinstance(command, protocol.Start | protocol.Restart | protocol.Board | protocol.Swap2Board):
            self._cancel()
            self._obey(command, at)
        else:
            self._waiting.append(command)
        return True

    # Obeying

    def _obey(self, command: protocol.Command, at: float) -> None:
        """One command: its immediate reply, or the beginning of a think."""
        outcome = self._outcome(lambda: self._execute(command, at))
        if isinstance(outcome, ProtocolError):
            self._write(protocol.error(str(outcome)))
        elif isinstance(outcome, Exception):
            self._report_bug(outcome)
            self._reply_rescued(None)
        elif isinstance(outcome, Think):
            self._think = outcome
            if outcome.known is not None:
                self._answer(Decision((outcome.known,)))
                self._outcome(self.engine.warm_up)  # what fails here fails again, and is reported, in the first think
            else:
                self._worker.give(outcome)
        elif outcome is not None:
            self._write(*outcome)

    def _execute(self, command: protocol.Command, at: float) -> list[str] | Think | None:
        """The table of commands: protocol on the left, engine on the right."""
        engine = self.engine
        match command:
            case protocol.Info(key, value):
                engine.inform(key, value)
            case protocol.About():
                return [protocol.about(__version__)]
            case protocol.Start(width, height):
                engine.start(width, height)
                return [protocol.OK]
            case protocol.Restart():
                engine.restart()
                return [protocol.OK]
            case protocol.Begin():
                return engine.begin(at)
            case protocol.Turn(x, y):
                return engine.turn(x, y, at)
            case protocol.Board(stones, bad, answer=True):
                return engine.board(stones, bad, at)
            case protocol.Board(stones, bad):
                engine.set_position(stones, bad)
            case protocol.Swap2Board(stones, bad):
                return engine.swap2(stones, bad, at)
            case protocol.NBest(count):
                return engine.best(count, at)
            case protocol.Play(x, y):
                return [protocol.move(engine.play(x, y))]
            case protocol.Takeback(x, y):
                engine.take_back(x, y)
                return [protocol.OK]
            case protocol.Stop():
                if self._think is not None:
                    self._think.control.stop()
            case protocol.ShowInfo():
                return protocol.capabilities(os.cpu_count() or 1, engine.settings.memory >> 10)
            case protocol.ShowForbid():
                return [protocol.forbid(engine.fouls())]
            case protocol.HashClear():
                engine.forget()
            case protocol.Bad(reason):
                return [protocol.error(reason)]
            case protocol.Unknown(text):
                return [protocol.unknown(text)]
        return None

    def _obey_waiting(self) -> None:
        while self._waiting and self._think is None:
            self._obey(self._waiting.popleft(), time.perf_counter())

    # Thinking

    def _ponder(self, think: Think) -> None:
        """On the worker's thread."""

        def report(progress: Progress) -> None:
            self._show(think, progress)

        outcome = self._outcome(lambda: self.engine.ponder(think, report))
        self._events.put(Decided(think, outcome))

    def _answer(self, outcome: Decision | Exception) -> None:
        """The one reply of the running think."""
        think = self._think
        assert think is not None
        self._think = None
        if not isinstance(outcome, Exception):
            decision = outcome
            outcome = self._outcome(lambda: self.engine.commit(think, decision, time.perf_counter()))
        if isinstance(outcome, Exception):
            self._report_bug(outcome)
            self._reply_rescued(think)
        else:
            self._reply(think, outcome)

    def _reply(self, think: Think, decision: Decision) -> None:
        lines = self._closing_lines(think, decision)
        self._write(*lines, protocol.SWAP if decision.swap else protocol.moves(decision.moves))

    def _reply_rescued(self, think: Think | None) -> None:
        """Something broke, but silence loses the game: a legal move, if there is one."""

        def rescued() -> Decision:
            decision = self.engine.rescue(think)
            return decision if think is None else self.engine.commit(think, decision, time.perf_counter())

        outcome = self._outcome(rescued)
        if isinstance(outcome, Exception):
            self._write(protocol.error(f"no move: {outcome}"))
        else:
            self._write(protocol.SWAP if outcome.swap else protocol.moves(outcome.moves))

    def _cancel(self) -> None:
        """Ends the running think, and those that wait behind it, without a reply."""
        while self._think is not None:
            self._stopped_outcome(CANCEL_S)
            self.engine.abandon(self._think, time.perf_counter())
            self._think = None
            self._obey_waiting()

    def _stopped_outcome(self, patience: float) -> Decision | Exception:
        """Stops the running think and waits for it, putting lines aside; TimeoutError if it does not come."""
        assert self._think is not None
        self._think.control.stop()
        until = time.perf_counter() + patience
        while (rest := until - time.perf_counter()) > 0:
            try:
                event = self._events.get(timeout=rest)
            except queue.Empty:
                break
            if isinstance(event, Heard):
                self._put_aside.append(event)
            elif event.think is self._think:
                return event.outcome
        self.engine.replace_thinker()
        self._worker.abandon()
        return TimeoutError("the think did not stop in time")

    def _give_up_waiting(self) -> None:
        """The think is overdue, or the whole process was frozen: one last chance, then the answer comes without it."""
        self._answer_now()
        self._obey_waiting()

    def _answer_now(self) -> None:
        """The think is told to stop. Strict: a late stop is no error, as long as it comes."""
        self._answer(self._stopped_outcome(STRICT_GRACE_S if self._strict else END_S))

    # Ending

    def _last_words(self) -> None:
        """END: an owed move is printed once."""
        if self._think is not None:
            self._answer_now()

    def _end_of_input(self, at: float) -> None:
        """Everything owed is answered, within a second."""
        while self._think is not None and not self._pipe.closed:
            until = min(at + LAST_WORDS_S, self._think.control.limits.deadline)
            try:
                event = self._events.get(timeout=max(0.0, until - time.perf_counter()))
            except queue.Empty:
                self._last_words()
            else:
                if isinstance(event, Decided) and event.think is self._think:
                    self._answer(event.outcome)
            self._obey_waiting()

    # Speaking

    def _write(self, *lines: str) -> None:
        self._pipe.write(lines)
        if self._pipe.closed:
            # Another thread may have to wake this one; a full queue has woken it already.
            with suppress(queue.Full):
                self._events.put_nowait(Heard(None, time.perf_counter()))

    def _show(self, think: Think, progress: Progress) -> None:
        """A report of the running think, for people and, on request, for analysis boards."""
        if think is self._think and not think.control.stopped:
            self._write(*self._progress_lines(progress))

    def _progress_lines(self, progress: Progress) -> list[str]:
        height, detail = self.engine.height, self.engine.settings.show_detail
        best = progress.variations[0]
        lines = [
            protocol.progress(
                best.depth, best.seldepth, best.value, best.proof, progress.visits, progress.speed,
                progress.seconds, protocol.labels(best.moves, height),
            )
        ]  # fmt: skip
        if detail >= 2:
            for rank, item in enumerate(progress.variations, 1):
                lines += protocol.detail(
                    rank, len(progress.variations), item.depth, item.seldepth, item.value, item.proof,
                    progress.visits, progress.speed, progress.seconds, protocol.moves(item.moves),
                )  # fmt: skip
            lines += protocol.realtime_best(best.moves[0])
        return lines

    def _closing_lines(self, think: Think, decision: Decision) -> list[str]:
        """What a finished think has to say before its move."""
        if decision.thought is None:
            return []
        progress = self.engine.progress_of(decision.thought)
        if not think.lines:
            return self._progress_lines(progress)
        lines = self._progress_lines(progress)[1:]
        for rank, item in enumerate(progress.variations, 1):
            text = protocol.labels(item.moves, self.engine.height)
            lines.append(protocol.ranked(rank, item.depth, item.seldepth, item.value, item.proof, text))
        return lines

    # Bugs

    def _outcome(self, action: Callable[[], T]) -> T | Exception:
        """The only catch: what an action returned or how it failed."""
        try:
            return action()
        except Exception as failure:
            return failure

    def _report_bug(self, failure: Exception) -> None:
        """Loud, but the game goes on; strict mode ends here instead."""
        if self._strict:
            raise failure
        self._pipe.record("!", "".join(traceback.format_exception(failure)))
        self._write(protocol.message(f"internal error, please report: {type(failure).__name__}: {failure}"))
