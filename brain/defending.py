"""Which moves hold: after which of them the opponent has no forced win that a solver finds."""

from __future__ import annotations

from collections.abc import Callable

import cython_core as core
from brain.appraisal import after
from brain.choice import all_cells, played_out

NODES = 20_000
"""Of each solver and move."""


def losing_moves(board: core.Board, over: Callable[[], bool] = lambda: False, nodes: int = NODES) -> dict[int, int]:
    """Legal moves after which the opponent wins by force, with the plies until then; nothing where there is no threat.

    Looked at until `over`: the moves that are left out are taken to hold.
    """
    lost = {}
    for cell in all_cells(board):
        if over():
            break
        if not board.legal(cell):
            continue
        reached = after(board, cell)
        if reached.winner != core.EMPTY:
            continue
        plies = _forced_win(reached, nodes)
        if plies is not None:
            lost[cell] = plies + 1
    return lost


def _forced_win(board: core.Board, nodes: int) -> int | None:
    """Plies of a win by fours or threats for the side to move; None when none is found."""
    if any(board.legal(cell) for cell in board.cells(board.side, core.CLASS_FIVE)):
        return 1
    fours = core.solve_vcf(board, board.side, nodes)
    if fours.status == "win":
        return len(played_out(board, fours.line))
    threats = core.solve_vct(board, board.side, nodes, proof=False)
    return threats.plies if threats.status == "win" else None
