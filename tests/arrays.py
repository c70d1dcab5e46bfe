"""Random positions as arrays of cells, and the boards of the core that show them."""

from __future__ import annotations

import numpy as np

import cython_core as core

SIZES = ((15, 15), (5, 5), (20, 20), (9, 14))
"""Heights and widths, square and not."""


def random_boards(number: int, height: int, width: int, seed: int = 0) -> np.ndarray:
    """Cells as the side to move sees them: 0 empty, 1 own, 2 the other side's."""
    rng = np.random.default_rng(seed)
    return rng.choice([0, 1, 2], (number, height, width), p=[0.6, 0.2, 0.2]).astype(np.uint8)


def board_of(cells: np.ndarray, rule: int, side: int) -> core.Board:
    board = core.Board(cells.shape[1], cells.shape[0], rule)
    for y, x in zip(*np.nonzero(cells), strict=True):
        board.put(core.cell(int(x), int(y)), side if cells[y, x] == 1 else 1 - side)
    board.side = side
    return board
