"""The next move, or the next two, that leave the game most even, or as far from even as is wished."""

from __future__ import annotations

import random

import cython_core as core
from brain.appraisal import Appraiser, after, sifted, worth
from brain.symmetry import by_distance, distinct

FIRST_MOVES, REPLIES = 12, 12
"""Pairs that are compared: this many first moves with this many replies each, half of those any cells at all, since
the moves that lose a lead are no good moves."""
RANKING_SHARE = 0.2
"""Part of a request for pairs that finds the moves they consist of."""

Continuation = tuple[int, ...]


def most_even(
    board: core.Board, appraiser: Appraiser, moves: int = 1, target: float = 0.5, seed: int = 20,
    blocked: frozenset[int] = frozenset(),
) -> Continuation:
    """The next `moves` (1 or 2) moves after which the win rate of the side now to move is closest to `target`.

    Fewer than two where the first ends the game. None is blocked unless all are. The board has a legal cell and no
    winner; it comes back as it was.
    """
    chance = random.Random(seed)
    field: list[Continuation] = [(cell,) for cell in _free(board, blocked)]
    share = 1.0
    if moves == 2:
        field, share = _pairs(board, appraiser, chance, blocked), 1.0 - RANKING_SHARE

    def off(continuation: Continuation, share: float) -> float:
        reached = after(board, *continuation)
        value = worth(reached, appraiser, share)
        return abs((value if reached.side == board.side else 1 - value) - target)

    return sifted(field, appraiser, off, share)[0]


def _free(board: core.Board, blocked: frozenset[int]) -> list[int]:
    """Cells that are not blocked, all if all are, none the same as another by symmetry; those near the stones first."""
    cells = by_distance(board)
    return distinct(board, [cell for cell in cells if cell not in blocked] or cells)


def _pairs(
    board: core.Board, appraiser: Appraiser, chance: random.Random, blocked: frozenset[int]
) -> list[Continuation]:
    """Good and arbitrary moves, each with good and arbitrary replies."""
    share = RANKING_SHARE / (FIRST_MOVES + 1)
    pairs: list[Continuation] = []
    for first in _some(board, appraiser, FIRST_MOVES, share, chance, blocked):
        reached = after(board, first)
        if reached.winner != core.EMPTY or not reached.legal_cells():
            pairs.append((first,))
        else:
            pairs += [(first, reply) for reply in _some(reached, appraiser, REPLIES, share, chance, blocked)]
        if appraiser.over:
            break
    return pairs


def _some(
    board: core.Board, appraiser: Appraiser, count: int, share: float, chance: random.Random, blocked: frozenset[int]
) -> list[int]:
    """Up to `count` different moves: half of them the best, the others any."""
    good = [opinion.move for opinion in appraiser.rank(board, count // 2, share)]
    if not blocked.issuperset(board.legal_cells()):
        good = [cell for cell in good if cell not in blocked]
    others = [cell for cell in _free(board, blocked) if cell not in good]
    return distinct(board, good + chance.sample(others, min(len(others), count - len(good))))
