"""One match: verbs without text.

Owns the position, the settings and the account of the match clock. What needs thought is done in three steps, so that
only one thread ever changes the match: a verb makes a `Request`, `decide` answers it with a `Decision` (on any thread,
touching nothing but the request and the thinker), `commit` plays the decision.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import cython_core as core
from brain import clock, opening
from brain.blocks import Blocks
from brain.choice import playable, resisting_move
from brain.clock import Timer
from brain.records import XY, Analysis, Decision, OnUpdate, Request, Task
from brain.score import win_rate_of
from brain.settings import Settings, informed
from brain.thinker import Thinker

if TYPE_CHECKING:
    from brain.book import Book
    from brain.library import Library

OPENINGS = (Task.SWAP2, Task.SOOSORV)
"""Tasks of opening rules, which get a small part of the match clock."""
NOT_PLAYED = OPENINGS
"""Tasks whose decisions are not played: the manager says what becomes of them."""

LEAST_MEMORY = 70 << 20
"""Bytes below which no limit can be kept: the interpreter and the smallest tree."""

YIXIN_BOARD = {"yxshowinfo", "vcthread"}
"""What shows that Yixin-Board is speaking: nobody else sends both."""

LARGEST_STARTUP_S = 0.5
"""Start-up charged to the first move at most: beyond it the CPU time was not start-up."""


class ProtocolError(Exception):
    """The manager asked for something that cannot be done; its text becomes the ERROR line."""


def _ignore(text: str) -> None:
    pass


@dataclass
class Engine:
    """A match as the manager sees it. `say` is for users (MESSAGE), `note` for the author (DEBUG)."""

    say: Callable[[str], None] = _ignore
    note: Callable[[str], None] = _ignore
    startup: Callable[[], float] = time.process_time
    """Seconds of processor time since the process began: time that it was suspended does not count."""
    make_thinker: Callable[[Callable[[str], None]], Thinker] = Thinker
    settings: Settings = field(default_factory=Settings)
    account: clock.Account = field(default_factory=clock.Account)
    chance: random.Random = field(default_factory=random.Random)
    book: Book | None = None

    def __post_init__(self) -> None:
        self._board: core.Board | None = None
        self._has_thought = False
        self._complained = False
        self._signs: set[str] = set()
        self.verdict: tuple[core.Board, Analysis] | None = None
        """The last position in which a search decided our move, and what it found."""
        self.blocks = Blocks()
        self.thinker = self.make_thinker(self.say)

    @cached_property
    def library(self) -> Library:
        """Few games have a database: what it takes is not loaded at the start."""
        from brain.library import Library

        return Library(self.say)

    def close(self) -> None:
        """The end: what is kept in files is whole in them."""
        if "library" in self.__dict__:
            self.library.close()

    # Settings

    def inform(self, key: str, value: str) -> None:
        """INFO: takes effect with the next request, and through `limits_of` on a running search."""
        self.notice(key)
        if key == "time_left":
            self.settings = informed(replace(self.settings, left_ms=None), key, value)
            if self.settings.left_ms is not None:
                self.account = self.account.told(self.settings.left_ms)
        else:
            self.settings = informed(self.settings, key, value)

    def meet_yixin(self, board: bool = False) -> None:
        """The manager is of the Yixin family, or Yixin-Board itself."""
        self.settings = replace(self.settings, yixin=True, yixin_board=self.settings.yixin_board or board)

    def notice(self, sign: str) -> None:
        """Something was said that may show who is speaking."""
        if sign in YIXIN_BOARD:
            self._signs.add(sign)
            if self._signs >= YIXIN_BOARD:
                self.meet_yixin(board=True)

    # Positions

    def start(self, width: int, height: int) -> None:
        """An empty board. Cheap: managers send START before every position."""
        if not all(core.MIN_SIZE <= size <= core.MAX_SIZE for size in (width, height)):
            # Piskvork offers a 20x20 board when it finds the 20 in this text.
            raise ProtocolError(f"no {width}x{height} board: use 20, or {core.MIN_SIZE} to {core.MAX_SIZE}")
        self._board = core.Board(width, height, self.settings.rule)
        self._new_match()

    def restart(self) -> None:
        """The same size and settings, no stones, nothing remembered."""
        board = self._ready()
        self._board = core.Board(board.width, board.height, self.settings.rule)
        self.thinker.forget()
        self._new_match()

    def set_position(self, stones: Iterable[tuple[int, int, int]], bad: int = 0) -> None:
        """YXBOARD and the first half of BOARD: replaces the position; it is our turn.

        Stones are (x, y, field): 1 ours, 2 the opponent's, 3 nobody's. Unusable ones are skipped and noted.
        """
        before = self._ready()
        board = core.Board(before.width, before.height, self.settings.rule)
        kept: dict[int, int] = {}
        for x, y, owner in stones:
            cell = self._cell_on(board, x, y)
            if cell is None or cell in kept or owner not in (1, 2, 3):
                bad += 1
            else:
                kept[cell] = owner
        ours, theirs = (list(kept.values()).count(owner) for owner in (1, 2))
        mine = core.BLACK if ours >= theirs else core.WHITE
        for cell, owner in kept.items():
            board.put(cell, core.BLOCKED if owner == 3 else mine if owner == 1 else 1 - mine)
        board.settle()
        board.side = mine
        odd = [f"{bad} unusable entries of the position were skipped"] if bad else []
        if theirs - ours not in (0, 1):
            odd.append(f"{ours} own stones against {theirs}: the colours are a guess")
        if odd:
            self.note("; ".join(odd))
        self._replace(board)

    def play(self, x: int, y: int) -> XY:
        """PLAY: our move, chosen by the manager."""
        board = self._ready()
        cell = self._free_cell(board, x, y)
        if not board.legal(cell):
            raise ProtocolError(f"{x},{y} is forbidden")
        board.play(cell)
        return x, y

    def take_back(self, x: int, y: int) -> None:
        """Removes one stone, the newest or any other; its colour is to move then."""
        board = self._ready()
        cell = self._cell_on(board, x, y)
        stones = board.history
        if cell is None or board.stone(cell) == core.EMPTY:
            raise ProtocolError(f"no stone on {x},{y}")
        colour = board.stone(cell)
        if stones[-1][0] == cell:
            board.undo()
            board.settle()
        else:
            board = self._rebuilt(board, [stone for stone in stones if stone[0] != cell])
        if colour != core.BLOCKED:
            board.side = colour
        self._board = board

    def fouls(self) -> list[XY]:
        """Cells forbidden to black in the present position."""
        board = self._ready()
        return [core.xy(cell) for cell in board.all_cells() if board.is_foul(cell)]

    def forget(self) -> None:
        """YXHASHCLEAR."""
        self.thinker.forget()

    def block(self, cells: Iterable[XY], undo: bool, path: bool) -> None:
        """YXBLOCK and its kin: moves that no search may consider, or may again."""
        listed = list(cells)
        if path:
            self.blocks.change_path(self.position_after(listed[:-1]), self._listed_cell(listed[-1]), undo)
        else:
            self.blocks.change([self._listed_cell(xy) for xy in listed], undo)

    def position_after(self, moves: Iterable[XY]) -> core.Board:
        """The position after these moves, black first, on a board of the present size and rule."""
        before = self._ready()
        board = core.Board(before.width, before.height, self.settings.rule)
        for x, y in moves:
            board.play(self._free_cell(board, x, y))
        return board

    @property
    def present(self) -> core.Board:
        """A copy of the position on the board."""
        return self._ready().copy()

    # Requests

    def begin(self, arrival: float) -> Request:
        board = self._ready()
        if board.ply:
            raise ProtocolError("BEGIN needs an empty board")
        return self._request(arrival)

    def turn(self, x: int, y: int, arrival: float) -> Request:
        board = self._ready()
        board.play(self._free_cell(board, x, y))
        return self._request(arrival)

    def board(self, stones: Iterable[tuple[int, int, int]], bad: int, arrival: float) -> Request:
        self.set_position(stones, bad)
        return self._request(arrival)

    def best(self, count: int, arrival: float) -> Request:
        """YXNBEST: a move like any other, with the `count` best moves ranked."""
        board = self._ready()
        return self._request(arrival, Task.RANKING, lines=min(count, max(1, board.empties)))

    def balance(self, moves: int, bias: int, arrival: float) -> Request:
        """YXBALANCEONE, YXBALANCETWO."""
        self._unfinished()
        return self._request(arrival, Task.BALANCE, count=moves, target=win_rate_of(bias))

    def defend(self, arrival: float) -> Request:
        """YXSEARCHDEFEND: all moves ranked, those that lose marked."""
        self._unfinished()
        return self._request(arrival, Task.DEFENCE, lines=self._ready().empties)

    def swap2(self, stones: Iterable[XY], bad: int, arrival: float) -> Request:
        """SWAP2BOARD: place three stones, or choose after three or five."""
        listed = list(stones)
        if bad or len(listed) not in (0, 3, 5):
            raise ProtocolError("SWAP2BOARD needs 0, 3 or 5 different stones on the board")
        self._replace(self.position_after(listed))
        return self._request(arrival, Task.SWAP2)

    def swap2_step(self, step: int, arrival: float) -> Request:
        """yxswap2step1 to 3: the same on the present position; the first step begins a game."""
        if step == 1:
            self._replace(self.position_after(()))
        stones = {1: 0, 2: 3, 3: 5}[step]
        if self._ready().ply != stones:
            raise ProtocolError(f"yxswap2step{step} needs {stones} stones on the board")
        return self._request(arrival, Task.SWAP2)

    def soosorv_step(self, step: int, cells: Iterable[XY], count: int, arrival: float) -> Request:
        """yxsoosorvstep1 to 6 on the stones that are listed; in the last step the fifth moves follow on four stones."""
        from brain.soosorv import MOST_FIFTHS

        listed = list(cells)
        stones = {1: 0, 2: 3, 3: 3, 4: 4, 5: 4, 6: 4}[step]
        fitting = stones < len(listed) <= stones + MOST_FIFTHS if step == 6 else len(listed) == stones
        if not fitting:
            raise ProtocolError(f"yxsoosorvstep{step} does not go with {len(listed)} stones")
        board = self.position_after(listed[:stones])
        offered = tuple(self._free_cell(board, x, y) for x, y in listed[stones:])
        self._replace(board)
        return self._request(arrival, Task.SOOSORV, step=step, count=count, offered=offered)

    def limits_of(self, request: Request) -> clock.Limits:
        """The limits of a request by what the manager has said since."""
        return self._limits(request.limits.started, request.board, request.task)

    # Decisions

    def known(self, request: Request) -> Decision | None:
        """The decision where it needs no thought at all, else None."""
        cell = None
        if request.task is Task.MOVE and self.settings.use_database:
            cell = self.library.winning_move(request.board)
        if cell is None and self.book is not None and self.settings.book:
            booked = self.book.decide(request, self.chance)
            if booked is not None:
                return booked
        if cell is None and request.task is Task.MOVE and not request.blocked:
            cell = opening.first_move(request.board)
        return None if cell is None or cell in request.blocked else Decision((cell,))

    def decide(self, request: Request, timer: Timer, on_update: OnUpdate | None = None) -> Decision:
        """Thinks until the timer says that it is over; may run on another thread."""
        if request.task in (Task.MOVE, Task.RANKING) and not request.blocked:
            analysis = self.thinker.analyse(request, timer, on_update)
            return Decision((analysis.best.move,), analysis=analysis)
        from brain import deciding  # what few games ask for is not loaded at the start

        return deciding.decide(request, self.thinker, timer, self.chance, on_update)

    def warm_up(self) -> None:
        """Loads what thinking needs, once, after a move that needed no thought and has been sent: then a manager
        that does not suspend us finds the first search ready."""
        self.thinker.warm_up(self._ready().rule, self.settings.memory)

    def rescue(self, task: Task) -> Decision:
        """A legal decision without thinking, for when something broke; ProtocolError if there is none.

        Needs no memory to speak of: that there is none may be what broke.
        """
        board = self._ready()
        if task in OPENINGS and board.ply == 0:
            return Decision(opening.three_stones(board, self.chance))
        cell = resisting_move(board)
        if cell is None:
            raise ProtocolError("no legal move is left")
        return Decision((cell,))

    def commit(self, request: Request, decision: Decision, now: float) -> Decision:
        """Plays a decision and charges the match clock. AssertionError if the decision is not legal."""
        self.abandon(request, now)
        board = self._ready()
        if board.rule != request.board.rule and not playable(board, decision.cells):
            # INFO rule came during the search and forbids what it has found.
            decision = self.rescue(request.task)
        self._play(decision, request.task)
        if decision.analysis is not None:
            if request.task not in NOT_PLAYED:
                self.verdict = request.board, decision.analysis
            if self.settings.use_database and not self.settings.database_readonly:
                self.library.learn(request.board, decision.analysis)
        return decision

    def play_rescued(self, task: Task) -> Decision:
        """`rescue` where the request itself could not be made."""
        decision = self.rescue(task)
        self._play(decision, task)
        return decision

    def _play(self, decision: Decision, task: Task) -> None:
        board = self._ready()
        assert playable(board, decision.cells), f"illegal decision {decision.moves}"
        if task not in NOT_PLAYED:
            assert len(decision.cells) == 1 or task is Task.BALANCE, "a move is one cell"
            for cell in decision.cells:
                board.play(cell)

    def abandon(self, request: Request, now: float) -> None:
        """The request is done with, answered or not; the clock has run all the same."""
        self.account = self.account.charged(now - request.limits.started)

    def replace_thinker(self) -> None:
        """A thinker that never came back keeps its tree; a new one starts."""
        self.thinker = self.make_thinker(self.say)

    @property
    def height(self) -> int:
        return self._board.height if self._board is not None else core.MAX_SIZE

    # Inside

    def _ready(self) -> core.Board:
        """The board under the rule that holds now (INFO rule may follow START)."""
        if self._board is None:
            raise ProtocolError("no board yet: START first")
        if self._board.rule != self.settings.rule:
            self._board = self._rebuilt(self._board, self._board.history)
        return self._board

    def _rebuilt(self, board: core.Board, stones: Iterable[tuple[int, int]]) -> core.Board:
        fresh = core.Board(board.width, board.height, self.settings.rule)
        for cell, colour in stones:
            fresh.put(cell, colour)
        fresh.settle()
        fresh.side = board.side
        return fresh

    @staticmethod
    def _cell_on(board: core.Board, x: int, y: int) -> int | None:
        return core.cell(x, y) if 0 <= x < board.width and 0 <= y < board.height else None

    def _free_cell(self, board: core.Board, x: int, y: int) -> int:
        cell = self._cell_on(board, x, y)
        if cell is None:
            raise ProtocolError(f"{x},{y} is off the {board.width}x{board.height} board")
        if board.stone(cell) != core.EMPTY:
            raise ProtocolError(f"{x},{y} is occupied")
        return cell

    def _listed_cell(self, xy: XY) -> int:
        board = self._ready()
        cell = self._cell_on(board, *xy)
        if cell is None:
            raise ProtocolError(f"{xy[0]},{xy[1]} is off the {board.width}x{board.height} board")
        return cell

    def _unfinished(self) -> None:
        if self._ready().winner != core.EMPTY:
            raise ProtocolError("the game is over")

    def _new_match(self) -> None:
        """A new match clock; a time_left said since the last move is already about the new match."""
        fresh = self.account.left_ms if self.account.spent_then_s == self.account.spent_s else None
        self.account = clock.Account(left_ms=fresh)

    def _replace(self, board: core.Board) -> None:
        """Another position on the same board; with fewer stones than before it is another match."""
        if board.ply < self._ready().ply:
            self._new_match()
        self._board = board

    def _request(
        self, arrival: float, task: Task = Task.MOVE, lines: int = 1, count: int = 1, target: float = 0.5,
        step: int = 1, offered: tuple[int, ...] = (),
    ) -> Request:
        board = self._ready()
        if not board.legal_cells():
            raise ProtocolError("no legal move is left")
        if not self._has_thought:
            # Judges start the clock before this process has run its first instruction.
            arrival -= min(self.startup(), LARGEST_STARTUP_S)
            self._has_thought = True
        if self.settings.memory < LEAST_MEMORY and not self._complained:
            # INFO is never answered, so an impossible limit is complained about with the next move.
            self._complained = True
            self.say(f"max_memory below {LEAST_MEMORY >> 20} MB cannot be kept: playing with the smallest tree")
        limits = self._limits(arrival, board, task)
        return Request(
            board.copy(), limits, task, lines, self.settings.resources(os.cpu_count() or 1),
            blocked=frozenset() if task in NOT_PLAYED else self._avoided(board),
            count=count, target=target, step=step, offered=offered,
        )  # fmt: skip

    def _avoided(self, board: core.Board) -> frozenset[int]:
        """Moves that people or the database have ruled out, without those that are no moves here anyway."""
        cells = self.blocks.on(board)
        if self.settings.use_database:
            cells |= self.library.avoided(board)
        return frozenset(cell for cell in cells if board.legal(cell))

    def _limits(self, arrival: float, board: core.Board, task: Task) -> clock.Limits:
        if task in OPENINGS:
            return clock.swap2_limits(self.settings, self.account, arrival)
        return clock.limits(self.settings, self.account, board.ply, board.empties, arrival)
