"""Which move is the answer: the ranking of the root's moves, resistance in lost positions, wins to their end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import cython_core as core
from brain.records import Line

CONFIDENCE = 1.0
"""Standard errors by which a move's value is doubted when the final move is chosen."""
FEWEST_VISITS = 0.1
"""A final move has at least this share of the visits of the most visited one."""


@dataclass(frozen=True, slots=True)
class Child:
    """A move of the root as the tree reports it."""

    cell: int
    visits: int
    value: float
    deviation: float
    prior: float
    proof: int | None

    def lower_bound(self) -> float:
        """What the move is worth at least, with some confidence."""
        return self.value - CONFIDENCE * sqrt((self.deviation**2 + 0.01) / self.visits)

    def line(self, searcher: core.Searcher) -> Line:
        """A move that was never tried is worth what the position is."""
        value = self.value if self.visits or self.proof is not None else searcher.value
        draw = 1.0 if self.proof == 0 else searcher.draw(self.cell)
        return Line(self.cell, value, draw, self.prior, self.visits, self.proof, tuple(searcher.line(self.cell)))


def ranked(moves: list[Child]) -> list[Child]:
    """Best first: won (sooner better), then by lower confidence bound among the well visited, the others by visits;
    lost ones last, the longest resistance first."""
    most = max((child.visits for child in moves if child.proof is None or child.proof >= 0), default=0)

    def key(child: Child) -> tuple[float, float, float]:
        if child.proof is not None and child.proof > 0:
            return (3, -child.proof, child.visits)
        if child.proof is not None and child.proof < 0:
            return (0, -child.proof, child.visits)
        if child.visits and child.visits >= FEWEST_VISITS * most:
            return (2, child.lower_bound(), child.prior)
        return (1, child.visits, child.prior)

    return sorted(moves, key=key, reverse=True)


def best_lines(
    board: core.Board, searcher: core.Searcher, count: int, solution: tuple[int, ...] = ()
) -> tuple[Line, ...]:
    """The best moves of a search, best first: at least one, at most `count`. The first is the final move.

    `solution` is the line of a win that a solver has found for the root, if there is one.
    """
    children = [Child(*child) for child in searcher.children()]
    order = ranked(children)
    first: tuple[Line, ...] = ()
    if not order or searcher.proof_move is not None:
        move = searcher.proof_move if searcher.proof_move is not None else resisting_move(board)
        assert move is not None, "a position to think about has a legal cell"
        prior = next((child.prior for child in children if child.cell == move), 0.0)
        pv = solution or tuple(searcher.line(move)) or (move,)
        first = (Line(move, searcher.value, 0.0, prior, searcher.visits, searcher.proof, pv),)
        # A decided game is not searched on: of the other moves only these are known.
        order = [child for child in order if child.cell != move and (child.visits or child.proof is not None)]
    lines = first + tuple(child.line(searcher) for child in order[: count - len(first)])
    return (_lost_by(lines[0], searcher.proof), *lines[1:])


def _lost_by(line: Line, plies: int | None) -> Line:
    """The best move of a lost position says how long that lasts: moves that do not defend are no moves of the tree, and
    some of them hold out longer."""
    if plies is None or plies >= 0 or line.proof is None:
        return line
    return replace(line, proof=min(line.proof, plies))


def is_certain(visits: int, others: float, saving: bool) -> bool:
    """Is the most visited move the answer, if no other can get more than `others` visits?

    For certain when none of them can still come into question. Where time saved is time for later moves, it is enough
    that none can be visited as often: it would hardly ever be chosen.
    """
    return (1.0 if saving else FEWEST_VISITS) * visits > others


def played_out(board: core.Board, line: list[int]) -> tuple[int, ...]:
    """A line of fours to its end: one that ends with a four nobody can stop gets the reply in vain and the five."""
    after = board.copy()
    for cell in line:
        after.play(cell)
    if after.winner != core.EMPTY:
        return tuple(line)
    reply = resisting_move(after)
    assert reply is not None, "a four that cannot be stopped leaves cells"
    after.play(reply)
    five = next(cell for cell in after.cells(after.side, core.CLASS_FIVE) if after.legal(cell))
    return (*line, reply, five)


def resisting_move(board: core.Board) -> int | None:
    """A legal move where there is no search: make a five, or stop one, or make a four, or take the strongest shape of
    either side, near the newest stone or the centre. None if no move is legal."""
    at_x, at_y = core.xy(board.history[-1][0]) if board.ply else (board.width // 2, board.height // 2)

    def worth(cell: int) -> tuple[bool, bool, int, int, int]:
        x, y = core.xy(cell)
        # Fouls are numbered above the shapes and count as none.
        ours, theirs = (
            klass if klass < core.CLASS_FOUL else 0
            for klass in (board.class_of(cell, colour) for colour in (board.side, 1 - board.side))
        )
        four = ours if ours >= core.CLASS_FOUR else 0
        distance = (x - at_x) ** 2 + (y - at_y) ** 2
        return ours == core.CLASS_FIVE, theirs == core.CLASS_FIVE, four, max(ours, theirs), -distance

    return max(board.legal_cells(), key=worth, default=None)


def playable(board: core.Board, cells: tuple[int, ...]) -> bool:
    """May these cells be played one after the other?"""
    if len(cells) == 1:
        return board.legal(cells[0])
    probe = board.copy()
    for cell in cells:
        if not probe.legal(cell):
            return False
        probe.play(cell)
    return True
