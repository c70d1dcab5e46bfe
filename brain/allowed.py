"""The best moves where some may not be played: a person has ruled them out, or a database knows that they lose."""

from __future__ import annotations

import cython_core as core
from brain.appraisal import Appraiser, Opinion, after, proof_before, sifted
from brain.symmetry import by_distance, distinct

FIELD = 12
"""Moves that are compared."""
RANKING_SHARE = 0.25
"""Part of the request that finds them."""


def best_allowed(board: core.Board, appraiser: Appraiser, blocked: frozenset[int], count: int = 1) -> list[Opinion]:
    """The `count` best legal moves that are not blocked, best first; all of them blocked: as if none were.

    The search finds moves to compare; each is then appraised by the position after it, so that a blocked win at the
    root hides nothing.
    """
    legal = board.legal_cells()
    if blocked.issuperset(legal):
        blocked = frozenset()
    # Fives first, ours and then theirs: a search whose best move is blocked may know nothing of the others.
    fives = [cell for side in (board.side, 1 - board.side) for cell in board.cells(side, core.CLASS_FIVE)]
    ranked = [opinion.move for opinion in appraiser.rank(board, FIELD + len(blocked), RANKING_SHARE)]
    field = [cell for cell in dict.fromkeys(fives + ranked) if cell not in blocked and board.legal(cell)]
    field = field[: max(FIELD, count)]
    allowed = [cell for cell in by_distance(board) if cell not in blocked]
    others = (cell for cell in dict.fromkeys(distinct(board, allowed) + allowed) if cell not in field)
    field += [cell for cell, _ in zip(others, range(max(FIELD, count) - len(field)), strict=False)]
    found: dict[int, Opinion] = {}

    def loss(cell: int, share: float) -> float:
        found[cell] = _appraised(board, appraiser, cell, share)
        return -found[cell].value

    order = sifted(field, appraiser, loss, 1 - RANKING_SHARE)
    return [found[cell] for cell in order[:count]]


def _appraised(board: core.Board, appraiser: Appraiser, cell: int, share: float) -> Opinion:
    """A move by the best answer to it."""
    reached = after(board, cell)
    if reached.winner != core.EMPTY:
        return Opinion(cell, 1.0, 1, (cell,))
    if not reached.legal_cells():
        return Opinion(cell, 0.5, 0, (cell,))
    answer = appraiser.rank(reached, 1, share)[0]
    pv = (cell, *(answer.pv or (answer.move,)))
    return Opinion(cell, 1 - answer.value, proof_before(answer.proof, 1), pv)
