"""Cells as people write them, in the coordinates that their manager shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import cython_core as core

XY = tuple[int, int]

_NAME = re.compile(r"([a-z]{1,2})([1-9][0-9]?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Notation:
    """Letters for the columns and rows from the bottom (H8 is the centre of 15x15), or the protocol's own numbers."""

    numbers: bool = False
    """x,y from the top left corner, from 0: what Piskvork and qpiskvork show."""
    transposed: bool = False
    """The manager means row,column by x,y, as Yixin-Board does."""

    def label(self, xy: XY, height: int) -> str:
        x, y = reversed(xy) if self.transposed else xy
        return f"{x},{y}" if self.numbers else f"{_letters(x)}{height - y}"

    def labels(self, cells: Iterable[XY], height: int) -> str:
        return " ".join(self.label(xy, height) for xy in cells)


LETTERS = Notation()


def named(text: str, height: int) -> XY:
    """The cell with this name in letters, which may be off the board; ValueError if it names no cell."""
    match = _NAME.fullmatch(text)
    if match is None:
        raise ValueError(f"'{text}' is no cell such as h8")
    first, *second = (ord(letter) - ord("A") for letter in match[1].upper())
    return (26 * (first + 1) + second[0] if second else first), height - int(match[2])


def vacant(board: core.Board, name: str) -> int:
    """The empty cell with this name in letters; ValueError if there is none."""
    x, y = named(name, board.height)
    if not (0 <= x < board.width and 0 <= y < board.height):
        raise ValueError(f"{name} is off the {board.width}x{board.height} board")
    if board.stone(core.cell(x, y)) != core.EMPTY:
        raise ValueError(f"{name} is taken twice")
    return core.cell(x, y)


def _letters(x: int) -> str:
    """A..Z, then AA, AB, ... on boards wider than 26."""
    return chr(ord("A") + x) if x < 26 else "A" + chr(ord("A") + x - 26)
