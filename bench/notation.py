"""How cells, rules and positions are written in files: `h8` is x=7, y=7; nothing here knows an engine."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bench.reference import CARO, CARO_OVERLINE, FREESTYLE, RENJU, STANDARD, Cell

RULE_NAMES = {
    FREESTYLE: "freestyle",
    STANDARD: "standard",
    RENJU: "renju",
    CARO_OVERLINE: "caro-overline",
    CARO: "caro",
}

_CELL = re.compile(r"([a-z]|a[a-f])([1-9]\d?)")


def read_cell(text: str) -> Cell:
    """`a1` is (0, 0); the columns after z are aa to af, so that 32 of them have names."""
    match = _CELL.fullmatch(text.lower())
    if match is None:
        raise ValueError(f"not a cell: {text!r}")
    letters, row = match.groups()
    column = ord(letters[-1]) - ord("a") + (26 if len(letters) == 2 else 0)
    return column, int(row) - 1


def write_cell(cell: Cell) -> str:
    x, y = cell
    letters = chr(ord("a") + x) if x < 26 else "a" + chr(ord("a") + x - 26)
    return f"{letters}{y + 1}"


def read_cells(text: str) -> list[Cell]:
    return [read_cell(word) for word in text.split()]


def write_cells(cells: Iterable[Cell]) -> str:
    return " ".join(write_cell(cell) for cell in cells)


def read_rule(text: str) -> int:
    """A rule by its number in the protocol or by its name."""
    for rule, name in RULE_NAMES.items():
        if text in (str(rule), name):
            return rule
    raise ValueError(f"unknown rule {text!r}; known: {', '.join(RULE_NAMES.values())}")


def read_size(text: str) -> tuple[int, int]:
    """`15` or `20x15`: width and height."""
    width, both, height = text.partition("x")
    size = int(width), int(height if both else width)
    if not all(5 <= side <= 32 for side in size):
        raise ValueError(f"a board has 5 to 32 rows and columns, not {text}")
    return size
