"""The conversation: who may do what when, and what happens when something breaks.

The reader thread stamps lines and queues them; this thread obeys them one by one and is the only one that
changes the match; the background thread thinks and answers through the same queue. While a search runs:

    START RECTSTART RESTART BOARD SWAP2BOARD YXBOARD    end it; its move is dropped unless somebody waits for it
    the first steps of Yixin's openings                 likewise: they begin a game
    START and YXBOARD of a Soosorv step's own position  wait for its reply: they ask for forbidden cells only
    INFO ABOUT STOP END, end of input                   act at once
    YXBLOCK..., files and the database                  likewise: no running search knows of them
    everything else                                     waits for its reply

Somebody waits for the move of a search that was ended if STOP was said, and in the Yixin family in any case: those
boards throw away one move for every search that they have interrupted, and would otherwise throw away the next one.
"""

from __future__ import annotations

import queue
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TypeVar

from brain import commands, display, protocol, yixin
from brain.background import Background
from brain.clock import Timer
from brain.engine import Engine, ProtocolError
from brain.pipe import Backlog, Heard, Pipe
from brain.records import Analysis, Decision, Request, Task

T = TypeVar("T")

LAST_WORDS_S = 0.3
"""Think on this long after the end of input: a piped session still gets a considered move."""

CANCEL_S = 0.5
"""Wait this long for a search to end before going on without it; it takes milliseconds unless cores are shared."""

END_S = 0.12
"""...and this long for the last move after END: managers kill what has not left soon."""

GRACE_S = 0.4
"""A search this late is told to stop, and when it does not the answer is rescued. Judges tolerate a second."""

STRICT_GRACE_S = 30.0

MOST_HEARD = 32 << 20
"""Bytes that were heard and not looked at yet."""

MOST_WAITING = 4096
"""Commands that wait for the reply to another one; more are refused, not stored."""

ON_BOARD = (Task.MOVE, Task.RANKING, Task.DEFENCE)
"""Tasks that think about the very position that the manager shows."""


@dataclass(frozen=True, slots=True)
class Running:
    """The search that is under way: what was asked, and how to end it."""

    request: Request
    timer: Timer
    command: protocol.Command
    """Whose answer is due."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A search came back, with a decision or with what went wrong."""

    running: Running
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
        self._events: Backlog[Heard | Decided] = Backlog(MOST_HEARD)
        self._put_aside: deque[Heard] = deque()
        self._waiting: deque[protocol.Command] = deque()
        self._opened: protocol.Opened | None = None
        self._running: Running | None = None
        self._drawn_depth = 0
        """Of the last details that this search has shown to a board."""
        self._background = Background()
        self.engine = make_engine(
            lambda text: self._write(protocol.message(text)), lambda text: self._write(protocol.debug(text))
        )

    def run(self) -> int:
        """Obeys until END, end of input or a closed output."""
        self._pipe.listen(self._heard)
        while not self._pipe.closed:
            event = self._next()
            if event is None:
                self._answer_overdue()
                self._obey_waiting()
            elif isinstance(event, Decided):
                if event.running is self._running:
                    self._answer(event.outcome)
                    self._obey_waiting()
            elif event.line is None:
                self._end_of_input(event.at)
                break
            elif not self._hear(event.line, event.at):
                self._last_words()
                break
        self.engine.close()
        return 0

    # Hearing

    def _heard(self, heard: Heard) -> None:
        """On the reader's thread."""
        if heard.line is None or protocol.is_end(heard.line):
            self._pipe.leaving = True  # the other threads may be waiting for a manager that does not read
        self._events.put(heard)

    def _next(self) -> Heard | Decided | None:
        """The next event, or None when a search is overdue."""
        if self._put_aside:
            return self._put_aside.popleft()
        while self._running is not None:
            left = self._running.timer.deadline + self._patience(GRACE_S) - time.perf_counter()
            try:
                return self._events.get(timeout=max(0.001, left))
            except queue.Empty:
                if left <= 0:
                    return None
        return self._events.get()

    def _patience(self, seconds: float) -> float:
        """Strict: a late answer is no error, as long as it comes."""
        return STRICT_GRACE_S if self._strict else seconds

    def _hear(self, line: str, at: float) -> bool:
        """Obeys or queues one line; False on END."""
        self._pipe.record("<", line)
        if protocol.is_yixin(line):
            self.engine.meet_yixin()
        command, self._opened = protocol.parse(line, self._opened)
        if isinstance(self._opened, protocol.OpenList) and not self._may_repeat(self._opened):
            self._cancel()
        if isinstance(command, protocol.End):
            return False
        if protocol.is_end(line):
            self._pipe.leaving = False  # a line of somebody's text
        if command is None:
            return True
        if protocol.begins_position(command) and not self._may_repeat(command):
            self._cancel()
        if self._running is None or protocol.acts_at_once(command):
            self._obey(command, at)
        elif len(self._waiting) < MOST_WAITING:
            self._waiting.append(command)
        else:
            self._write(protocol.error("too many commands wait for this move"))
        return True

    def _may_repeat(self, said: protocol.Command | protocol.OpenList) -> bool:
        """Does this tell the position of a running Soosorv step once more? That is how Yixin-Board asks for forbidden
        cells while it waits for the step's answer."""
        if self._running is None or not isinstance(step := self._running.command, yixin.SoosorvStep):
            return False
        match said:
            case protocol.Start(width, height):
                return (width, height) == (self._running.request.board.width, self._running.request.board.height)
            case protocol.OpenList("YXBOARD"):
                return True
            case protocol.Board(stones, answer=False):
                return tuple((x, y) for x, y, _ in stones) == step.cells
        return False

    # Obeying

    def _obey(self, command: protocol.Command, at: float) -> None:
        """One command: its immediate reply, or the beginning of a search."""
        outcome = self._outcome(lambda: self._execute(command, at))
        if isinstance(outcome, ProtocolError):
            self._write(protocol.error(str(outcome)))
        elif isinstance(outcome, Exception):
            self._report_bug(outcome)
            self._reply_rescued(None, command)
        elif isinstance(outcome, Request):
            self._begin(outcome, command)
        elif outcome is not None:
            self._write(*outcome)

    def _execute(self, command: protocol.Command, at: float) -> list[str] | Request | None:
        """The command itself, and what it means for the running search."""
        outcome = commands.execute(command, self.engine, at)
        if self._running is not None:
            if isinstance(command, protocol.Stop):
                self._running.timer.stop()
            elif isinstance(command, protocol.Info):
                self._running.timer.shorten(self.engine.limits_of(self._running.request))
        return outcome

    def _obey_waiting(self) -> None:
        while self._waiting and self._running is None:
            self._obey(self._waiting.popleft(), time.perf_counter())

    # Thinking

    def _begin(self, request: Request, command: protocol.Command) -> None:
        """A decision at once where it is known, else a search in the background."""
        self._running = running = Running(request, Timer(request.limits), command)
        self._drawn_depth = 0
        known = self._outcome(lambda: self.engine.known(request))
        if known is not None:
            self._answer(known)
            self._outcome(self.engine.warm_up)  # what fails here fails again, and is reported, in the first search
        else:
            self._background.give(lambda: self._think(running))

    def _think(self, running: Running) -> None:
        """On the background thread."""

        def show(analysis: Analysis) -> None:
            if running is self._running and not running.timer.stopped:
                self._write(*self._analysis_lines(analysis, on_board=running.request.task in ON_BOARD))

        outcome = self._outcome(lambda: self.engine.decide(running.request, running.timer, show))
        self._events.put(Decided(running, outcome))

    def _answer(self, outcome: Decision | Exception) -> None:
        """The one reply to the running request."""
        assert self._running is not None
        request, command = self._running.request, self._running.command
        self._running = None
        if not isinstance(outcome, Exception):
            decision = outcome
            outcome = self._outcome(lambda: self.engine.commit(request, decision, time.perf_counter()))
        if isinstance(outcome, Exception):
            self._report_bug(outcome)
            self._reply_rescued(request, command)
        else:
            self._write(*self._closing_lines(request, outcome), *commands.reply(outcome, command))

    def _reply_rescued(self, request: Request | None, command: protocol.Command) -> None:
        """Something broke, but silence loses the game: a legal move, if one is owed and there is one."""
        now = time.perf_counter()
        if request is not None:
            outcome = self._outcome(lambda: self.engine.commit(request, self.engine.rescue(request.task), now))
        elif protocol.owes_move(command):
            task = Task.SWAP2 if isinstance(command, protocol.Swap2Board | yixin.Swap2Step) else Task.MOVE
            outcome = self._outcome(lambda: self.engine.play_rescued(task))
        else:
            outcome = ProtocolError("this command failed")
        if isinstance(outcome, Exception):
            self._write(protocol.error(str(outcome) if request is None else f"no move: {outcome}"))
        else:
            self._write(*commands.reply(outcome, command))

    def _cancel(self) -> None:
        """Ends the running search, and those that wait behind it: without a reply unless somebody waits for it."""
        while self._running is not None:
            owed = self._running.timer.stopped or self.engine.settings.yixin
            command = self._running.command
            opening = isinstance(command, yixin.Swap2Step | yixin.SoosorvStep)
            outcome = self._stopped_outcome(self._patience(CANCEL_S))
            if owed and not opening:
                self._answer(outcome)
            else:
                self.engine.abandon(self._running.request, time.perf_counter())
                self._running = None
                if isinstance(command, yixin.Swap2Step) and command.step > 1:
                    # The board waits for a move to throw away; the answer itself it would play on its new game.
                    self._write(protocol.moves(self.engine.rescue(Task.MOVE).moves))
            self._obey_waiting()

    def _stopped_outcome(self, patience: float) -> Decision | Exception:
        """Stops the running search and waits for it, putting lines aside; TimeoutError if it does not come."""
        assert self._running is not None
        self._running.timer.stop()
        until = time.perf_counter() + patience
        while (rest := until - time.perf_counter()) > 0:
            try:
                event = self._events.get(timeout=rest)
            except queue.Empty:
                break
            if isinstance(event, Heard):
                self._put_aside.append(event)
            elif event.running is self._running:
                return event.outcome
        self.engine.replace_thinker()
        self._background.abandon()
        return TimeoutError("the search did not stop in time")

    def _answer_overdue(self) -> None:
        """The search has not ended by itself. A process that was stopped as a whole is late already, so its search gets
        the time to notice."""
        assert self._running is not None
        late = time.perf_counter() - self._running.timer.deadline
        self._answer(self._stopped_outcome(self._patience(CANCEL_S if late > 2 * GRACE_S else END_S)))

    # Ending

    def _last_words(self) -> None:
        """END: an owed move is printed once. That a search on a busy machine needs longer to stop is no error."""
        if self._running is None:
            return
        outcome = self._stopped_outcome(self._patience(END_S))
        if isinstance(outcome, TimeoutError) and not self._strict:
            request, command, self._running = self._running.request, self._running.command, None
            self._reply_rescued(request, command)
        else:
            self._answer(outcome)

    def _end_of_input(self, at: float) -> None:
        """Everything owed is answered, within a second."""
        while self._running is not None and not self._pipe.closed:
            until = min(at + LAST_WORDS_S, self._running.timer.deadline)
            try:
                event = self._events.get(timeout=max(0.0, until - time.perf_counter()))
            except queue.Empty:
                self._last_words()
            else:
                if isinstance(event, Decided) and event.running is self._running:
                    self._answer(event.outcome)
            self._obey_waiting()

    # Speaking

    def _write(self, *lines: str) -> None:
        self._pipe.write(lines)
        if self._pipe.closed:
            # Another thread may have to wake this one; a full queue has woken it already.
            with suppress(queue.Full):
                self._events.put_nowait(Heard(None, time.perf_counter()))

    def _analysis_lines(self, analysis: Analysis, on_board: bool = True) -> list[str]:
        """For people and, on request, for boards that draw it; those of positions that are not theirs are not drawn."""
        lines = [display.progress(analysis, self.engine.height, self.engine.settings.notation)]
        return lines + self._detail_lines(analysis) if on_board else lines

    def _detail_lines(self, analysis: Analysis) -> list[str]:
        if self.engine.settings.show_detail < 2:
            return []
        self._drawn_depth = max(self._drawn_depth + 1, analysis.depth)
        return display.detail(analysis, self._drawn_depth)

    def _closing_lines(self, request: Request, decision: Decision) -> list[str]:
        """What is to be said before the move."""
        analysis, height, notation = decision.analysis, self.engine.height, self.engine.settings.notation
        if decision.book is not None:
            return [display.from_book(decision.book, height, notation)]
        if analysis is None:
            return []
        if request.task is Task.RANKING:
            return self._detail_lines(analysis) + display.ranking(analysis, height, notation)
        if request.task is Task.DEFENCE:
            lost = display.losing(decision) if self.engine.settings.show_detail >= 1 else []
            return [*self._detail_lines(analysis), *lost, display.defence(decision, request.lines, height, notation)]
        return self._analysis_lines(analysis, on_board=request.task in ON_BOARD)

    # Bugs

    def _outcome(self, action: Callable[[], T]) -> T | Exception:
        """What an action returned, or how it failed."""
        try:
            return action()
        except Exception as failure:
            return failure

    def _report_bug(self, failure: Exception) -> None:
        """Loud, but the game goes on; strict mode ends here instead."""
        if self._strict:
            raise failure
        self._pipe.record("!", "".join(traceback.format_exception(failure)))
        if isinstance(failure, MemoryError):
            self._write(protocol.message(f"out of memory, playing without a search: {failure}"))
        else:
            self._write(protocol.message(f"internal error, please report: {type(failure).__name__}: {failure}"))
