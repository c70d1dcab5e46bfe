"""The symmetries of a board: which positions and which cells are the same but for turning and reflecting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import cython_core as core

Symmetry = Mapping[int, int]
"""Where each cell of the board goes."""


@lru_cache(maxsize=16)
def symmetries(width: int, height: int) -> tuple[Symmetry, ...]:
    """The eight symmetries of a square board, the four of any other; the identity first."""
    found = []
    for transposed in (False, True) if width == height else (False,):
        for flip_x in (False, True):
            for flip_y in (False, True):
                moved = {}
                for y in range(height):
                    for x in range(width):
                        to_x, to_y = (width - 1 - x if flip_x else x), (height - 1 - y if flip_y else y)
                        moved[core.cell(x, y)] = core.cell(to_y, to_x) if transposed else core.cell(to_x, to_y)
                found.append(moved)
    return tuple(found)


def keeping(board: core.Board) -> tuple[Symmetry, ...]:
    """The symmetries that leave every stone of the position where a stone of its colour is."""
    stones = set(board.history)
    return tuple(
        symmetry
        for symmetry in symmetries(board.width, board.height)
        if all((symmetry[cell], colour) in stones for cell, colour in stones)
    )


def distinct(board: core.Board, cells: Iterable[int]) -> list[int]:
    """The cells without those that a symmetry of the position maps onto an earlier one."""
    same = keeping(board)
    seen: set[int] = set()
    kept = []
    for cell in cells:
        if cell not in seen:
            kept.append(cell)
            seen.update(symmetry[cell] for symmetry in same)
    return kept


def by_distance(board: core.Board) -> list[int]:
    """All legal cells, those near the stones first."""
    stones = [core.xy(cell) for cell, _ in board.history] or [(board.width // 2, board.height // 2)]

    def distance(cell: int) -> int:
        x, y = core.xy(cell)
        return min(max(abs(x - to_x), abs(y - to_y)) for to_x, to_y in stones)

    return sorted(board.legal_cells(), key=distance)
