"""A position as a key: the same for all positions that differ by turning and reflecting only."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cython_core as core
from brain.symmetry import Symmetry, symmetries

Stone = tuple[int, int]
"""Cell and colour."""


@dataclass(frozen=True, slots=True)
class PositionKey:
    rule: int
    width: int
    height: int
    stones: bytes
    """Of all orientations the least: one number per stone, ascending, then the side to move."""

    @property
    def placed(self) -> list[Stone]:
        return [divmod(number, 4) for number in _unpacked(self.stones)[:-1]]

    @property
    def side(self) -> int:
        return _unpacked(self.stones)[-1]

    @property
    def ply(self) -> int:
        return len(self.stones) // 2 - 1

    @property
    def sound(self) -> bool:
        """Is it a key of any position at all? Asked of keys from elsewhere."""
        try:
            board = self.board()
        except (IndexError, OverflowError, TypeError, ValueError, struct.error):
            return False
        return (board.rule, board.width, board.height) == (self.rule, self.width, self.height)

    def board(self) -> core.Board:
        """The position in the key's orientation."""
        board = core.Board(self.width, self.height, self.rule)
        for cell, colour in self.placed:
            board.put(cell, colour)
        board.settle()
        board.side = self.side
        return board

    def follows(self, board: core.Board) -> bool:
        """May this position come after the one on the board, or is it the same? It has all of its stones."""
        if (self.rule, self.width, self.height) != (board.rule, board.width, board.height):
            return False
        stones = set(self.placed)
        return any(
            all((symmetry[cell], colour) in stones for cell, colour in board.history)
            for symmetry in symmetries(self.width, self.height)
        )


def key_of(board: core.Board) -> PositionKey:
    return PositionKey(board.rule, board.width, board.height, min(_forms(board, board.history, board.side)))


def keys_after(board: core.Board, cells: Iterable[int]) -> dict[int, PositionKey]:
    """The keys of the positions after each of these moves, without making them."""
    return {
        cell: PositionKey(
            board.rule, board.width, board.height,
            min(_forms(board, [*board.history, (cell, board.side)], 1 - board.side)),
        )
        for cell in cells
    }  # fmt: skip


def onto_key(board: core.Board) -> list[Symmetry]:
    """The symmetries that turn the position into its key's orientation: several if it is symmetric itself."""
    forms = _forms(board, board.history, board.side)
    least = min(forms)
    return [
        symmetry
        for symmetry, form in zip(symmetries(board.width, board.height), forms, strict=True)
        if form == least
    ]  # fmt: skip


def _forms(board: core.Board, stones: Sequence[Stone], side: int) -> list[bytes]:
    """The position in each orientation."""
    return [
        _packed([*sorted(symmetry[cell] * 4 + colour for cell, colour in stones), side])
        for symmetry in symmetries(board.width, board.height)
    ]


def _packed(numbers: Sequence[int]) -> bytes:
    return struct.pack(f">{len(numbers)}H", *numbers)


def _unpacked(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f">{len(data) // 2}H", data)
