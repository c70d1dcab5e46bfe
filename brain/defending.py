"""Which moves hold: after which of them the opponent has no forced win that a solver finds."""

from __future__ import annotations

from collections.abc import Callable

import cython_core as core
from brain.appraisal import after
from brain.choice import played_out
from brain.symmetry import by_distance

NODES = 20_000
"""Of each solver and move."""


def defences(
    board: core.Board, over: Callable[[], bool] = lambda: False, nodes: int = NODES
) -> dict[int, int | None]:
    """Legal moves, those near the stones first, with the plies after which the opponent has won by force, or None: the
    solvers find no such win. Moves that were not tried before it was `over` are left out."""
    found: dict[int, int | None] = {}
    for cell in by_distance(board):
        if over():
            break
        reached = after(board, cell)
        plies = _forced_win(reached, nodes) if reached.winner == core.EMPTY else None
        found[cell] = None if plies is None else plies + 1
    return found


def _forced_win(board: core.Board, nodes: int) -> int | None:
    """Plies of a win by fours or threats for the side to move; None when none is found."""
    if any(board.legal(cell) for cell in board.cells(board.side, core.CLASS_FIVE)):
        return 1
    fours = core.solve_vcf(board, board.side, nodes)
    if fours.status == "win":
        return len(played_out(board, fours.line))
    threats = core.solve_vct(board, board.side, nodes, proof=False)
    return threats.plies if threats.status == "win" else None
