"""Moves that a person has ruled out: on every position, or at the end of one path."""

from __future__ import annotations

from collections.abc import Iterable

import cython_core as core

Stones = frozenset[tuple[int, int]]


class Blocks:
    """They stay, through new positions and games, until they are taken back."""

    def __init__(self) -> None:
        self._cells: set[int] = set()
        self._ends: set[tuple[Stones, int]] = set()
        """Stones of the position before, and the move that is ruled out there."""

    def on(self, board: core.Board) -> frozenset[int]:
        """What is ruled out in this position."""
        stones = frozenset(board.history)
        return frozenset(self._cells | {cell for before, cell in self._ends if before == stones})

    def change(self, cells: Iterable[int], undo: bool) -> None:
        if undo:
            self._cells.difference_update(cells)
        else:
            self._cells.update(cells)

    def change_path(self, before: core.Board, cell: int, undo: bool) -> None:
        end = frozenset(before.history), cell
        if undo:
            self._ends.discard(end)
        else:
            self._ends.add(end)

    def reset(self) -> None:
        self._cells.clear()

    def reset_paths(self) -> None:
        self._ends.clear()
