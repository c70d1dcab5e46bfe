"""The next move, or the next two, that leave the game most even, or as far from even as is wished.

Every continuation is judged, a little; the better half is judged again with twice the care, until one is left.
"""

from __future__ import annotations

import math
import random

import cython_core as core
from brain.judging import Judge, after, all_cells, worth
from brain.symmetry import distinct

FIRST_MOVES, REPLIES = 12, 12
"""Pairs that are compared: this many first moves with this many replies each, half of those any cells at all, since
the moves that lose a lead are no good moves."""
RANKING_SHARE = 0.2
"""Part of a request for pairs that finds the moves they consist of."""
SCORE_UNIT = 200.0
"""Points of evaluation per unit of log-odds, as they are shown to people."""

Continuation = tuple[int, ...]


def win_rate_of(score: float) -> float:
    """The win rate that is shown as this evaluation: the inverse of what people see."""
    return 1 / (1 + math.exp(-max(-4000.0, min(4000.0, score)) / SCORE_UNIT))


def most_even(board: core.Board, judge: Judge, moves: int = 1, target: float = 0.5, seed: int = 20) -> Continuation:
    """The next `moves` (1 or 2) moves after which the win rate of the side now to move is closest to `target`.

    Fewer than two where the first ends the game. The board has a legal cell and no winner; it comes back as it was.
    """
    chance = random.Random(seed)
    field: list[Continuation] = [(cell,) for cell in _nearest_first(board)]
    share = 1.0
    if moves == 2:
        field, share = _pairs(board, judge, chance), 1.0 - RANKING_SHARE
    rounds = max(1, math.ceil(math.log2(len(field))))
    off: dict[Continuation, float] = {}
    for _ in range(rounds):
        judged: list[Continuation] = []
        for continuation in field:
            if judge.over and off:
                return min(judged or off, key=off.__getitem__)
            reached = after(board, *continuation)
            value = worth(reached, judge, share / rounds / len(field))
            off[continuation] = abs((value if reached.side == board.side else 1 - value) - target)
            judged.append(continuation)
        field = sorted(field, key=off.__getitem__)[: (len(field) + 1) // 2]
    return field[0]


def _nearest_first(board: core.Board) -> list[int]:
    """Legal cells that are not the same by symmetry, those near the stones first: a short request comes no further."""
    stones = [core.xy(cell) for cell, _ in board.history] or [(board.width // 2, board.height // 2)]

    def distance(cell: int) -> int:
        x, y = core.xy(cell)
        return min(max(abs(x - to_x), abs(y - to_y)) for to_x, to_y in stones)

    return distinct(board, sorted((cell for cell in all_cells(board) if board.legal(cell)), key=distance))


def _pairs(board: core.Board, judge: Judge, chance: random.Random) -> list[Continuation]:
    """Good and arbitrary moves, each with good and arbitrary replies."""
    share = RANKING_SHARE / (FIRST_MOVES + 1)
    pairs: list[Continuation] = []
    for first in _some(board, judge, FIRST_MOVES, share, chance):
        reached = after(board, first)
        if reached.winner != core.EMPTY or not any(reached.legal(cell) for cell in all_cells(reached)):
            pairs.append((first,))
        else:
            pairs += [(first, reply) for reply in _some(reached, judge, REPLIES, share, chance)]
        if judge.over:
            break
    return pairs


def _some(board: core.Board, judge: Judge, count: int, share: float, chance: random.Random) -> list[int]:
    """Up to `count` different moves: half of them the best, the others any."""
    good = [opinion.move for opinion in judge.rank(board, count // 2, share)]
    others = [cell for cell in _nearest_first(board) if cell not in good]
    return distinct(board, good + chance.sample(others, min(len(others), count - len(good))))
