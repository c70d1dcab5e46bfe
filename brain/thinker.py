"""The loop between core and evaluator: from a position and limits to a move, with its reasons.

Owns the strategy of one move. Knows no text, no manager and no match: limits come in, a thought goes out,
and another thread may shorten or stop a think at any time through its `Control`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cython_core as core

if TYPE_CHECKING:
    from brain.clock import Limits


class Control:
    """The one thing another thread may touch during a request. Polled at least every 10 ms.

    A request may consist of several thinks (swap2): each ends at its own limits or at the control's.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        """The whole request's limits as they are now: `shorten` may have tightened them."""
        self.stopped = False

    def stop(self) -> None:
        """End now; the best move so far is the answer."""
        self.stopped = True

    def shorten(self, limits: Limits) -> None:
        """Take over limits that end earlier than the present ones; later ones change nothing."""
        if limits.deadline < self.limits.deadline:
            self.limits = limits

    def over(self, now: float) -> bool:
        """Must the request end at this moment of time.monotonic()?"""
        return self.stopped or now >= self.limits.deadline


@dataclass(frozen=True, slots=True)
class Line:
    """One move of the root with what the search believes of it."""

    move: int
    """Cell."""
    value: float
    """Win rate of the side to move, 0..1."""
    visits: int = 0
    depth: int = 1
    seldepth: int = 1
    proof: int | None = None
    """+n: wins in n plies; -n: loses in n plies; None: not proven."""
    pv: tuple[int, ...] = ()
    """Expected continuation, cells, starting with `move`."""


@dataclass(frozen=True, slots=True)
class Report:
    """How a running think stands: best line first."""

    lines: tuple[Line, ...]
    visits: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Thought:
    """The result of a think."""

    move: int
    value: float
    visits: int
    seconds: float
    proof: int | None = None
    pv: tuple[int, ...] = ()
    lines: tuple[Line, ...] = field(default=())
    """Best first; as many as were asked for, where there are so many moves."""


ReportTo = Callable[[Report], None]

CLASS_WEIGHT = (0, 1, 6, 14, 10, 40, 60, 80, 200)
"""Attraction of a cell by its class for one colour (NOTHING .. FIVE); foul classes attract nobody."""

SHAPE_WEIGHT = (0, 1, 2, 4, 4, 6, 6, 6, 6, 6, 0)
"""Attraction by the shape along each of the four directions (DEAD .. OVERLINE)."""

CLASS_FIVE = 8
PLAYOUT_PLIES = 24
WIDTH = 10
REPORT_EVERY_S = 1.0


class Thinker:
    """Chooses among the most attractive cells by short playouts; fives are made and stopped at once."""

    def __init__(self, say: Callable[[str], None] = lambda text: None, seed: int = 20) -> None:
        self._say = say
        self._seed = seed
        self.memory = 0
        self.threads = 1

    def configure(self, memory: int, threads: int) -> None:
        """Bytes for the whole process and search threads; takes effect with the next think."""
        self.memory, self.threads = memory, threads

    def forget(self) -> None:
        """Drops everything remembered from earlier positions."""

    def think(
        self,
        board: core.Board,
        limits: Limits,
        control: Control,
        report: ReportTo | None = None,
        lines: int = 1,
    ) -> Thought:
        """A legal move for the side to move. The board comes back as it was; it must have a legal cell.

        Ends at `limits` or `control`'s, whichever is first, at `control.stop()`, or when nothing can change.
        """
        board = board.copy()
        scores = {cell: score for cell, score in attractions(board).items() if board.legal(cell)}
        ranked = sorted(scores, key=lambda cell: (-scores[cell], cell))
        wins = [cell for cell in ranked if board.class_of(cell, board.side) == CLASS_FIVE]
        if wins:
            line = Line(wins[0], 1.0, 1, proof=1, pv=(wins[0],))
            return Thought(wins[0], 1.0, 1, time.monotonic() - limits.started, 1, line.pv, (line,))
        stops = [cell for cell in ranked if board.class_of(cell, 1 - board.side) == CLASS_FIVE]
        if stops and lines == 1:
            line = Line(stops[0], 0.3, 1, pv=(stops[0],))
            return Thought(stops[0], 0.3, 1, time.monotonic() - limits.started, None, line.pv, (line,))
        return self._choose(board, ranked[: max(WIDTH, lines)], limits, control, report, lines)

    def _choose(
        self,
        board: core.Board,
        cells: list[int],
        limits: Limits,
        control: Control,
        report: ReportTo | None,
        lines: int,
    ) -> Thought:
        chance = random.Random(self._seed ^ board.key)
        wins, tries = dict.fromkeys(cells, 0.0), dict.fromkeys(cells, 0)
        visits, next_report = 0, REPORT_EVERY_S

        def standing() -> tuple[Line, ...]:
            # The order of attraction counts as a few playouts, so that an early stop is not a lottery.
            prior = {cell: 0.6 - 0.02 * index for index, cell in enumerate(cells)}
            value = {cell: (wins[cell] + 20 * prior[cell]) / (tries[cell] + 20) for cell in cells}
            best = sorted(cells, key=lambda cell: -value[cell])[:lines]
            return tuple(Line(cell, value[cell], tries[cell], pv=(cell,)) for cell in best)

        while len(cells) > 1:
            now = time.monotonic()
            if control.over(now) or now >= limits.deadline or 0 < limits.max_nodes <= visits:
                break
            if report is not None and now - limits.started >= next_report:
                next_report *= 2
                report(Report(standing(), visits, now - limits.started))
            cell = cells[visits % len(cells)]
            wins[cell] += playout(board, cell, chance)
            tries[cell] += 1
            visits += 1
        best = standing()
        seconds = time.monotonic() - limits.started
        return Thought(best[0].move, best[0].value, visits, seconds, None, best[0].pv, best)


def attractions(board: core.Board) -> dict[int, float]:
    """A weight for every empty cell from the shapes of both sides and the closeness to stones and centre."""
    middle_x, middle_y = (board.width - 1) / 2, (board.height - 1) / 2
    near: dict[int, float] = {}
    for stone, _ in board.history:
        x, y = core.xy(stone)
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                if 0 <= x + dx < board.width and 0 <= y + dy < board.height:
                    cell = core.cell(x + dx, y + dy)
                    near[cell] = near.get(cell, 0.0) + 0.5 / max(1, abs(dx), abs(dy))
    found = {}
    for y in range(board.height):
        for x in range(board.width):
            cell = core.cell(x, y)
            if board.stone(cell) == core.EMPTY:
                score = 0.1 * near.get(cell, 0.0) - 0.01 * (abs(x - middle_x) + abs(y - middle_y))
                found[cell] = score + (attraction(board, cell) if cell in near else 0.0)
    return found


def attraction(board: core.Board, cell: int) -> float:
    total = 0.0
    for colour, part in ((board.side, 1.5), (1 - board.side, 1.0)):
        klass = board.class_of(cell, colour)
        total += part * CLASS_WEIGHT[klass] if klass <= CLASS_FIVE else 0.0
        total += part * sum(SHAPE_WEIGHT[board.shape(cell, colour, direction)] for direction in range(4))
    return total


def playout(board: core.Board, first: int, chance: random.Random) -> float:
    """Plays `first`, then lively moves for both sides, takes all back. The mover's share of the win."""
    mover, placed = board.side, 0
    cell = first
    result = 0.5
    for _ in range(PLAYOUT_PLIES):
        board.play(cell)
        placed += 1
        if board.winner != core.EMPTY:
            result = 1.0 if board.winner == mover else 0.0
            break
        choice = lively(board, chance)
        if choice is None:
            break
        cell = choice
    for _ in range(placed):
        board.undo()
    return result


def lively(board: core.Board, chance: random.Random) -> int | None:
    """A move that makes or stops the strongest threat there is, else a neighbour of a recent stone."""
    for klass in range(CLASS_FIVE, 1, -1):
        for colour in (board.side, 1 - board.side):
            cells = [cell for cell in board.cells(colour, klass) if board.legal(cell)]
            if cells and (klass > 5 or chance.random() < 0.7):
                return chance.choice(cells)
    stones = board.history
    for _ in range(8):
        x, y = core.xy(stones[-1 - chance.randrange(min(4, len(stones)))][0])
        x, y = x + chance.randint(-1, 1), y + chance.randint(-1, 1)
        if 0 <= x < board.width and 0 <= y < board.height and board.legal(core.cell(x, y)):
            return core.cell(x, y)
    return None
