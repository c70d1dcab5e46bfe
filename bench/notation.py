"""How cells, rules and sizes are written in files: as people do, `h8` in the eighth row from the bottom."""

from __future__ import annotations

from collections.abc import Iterable

from bench.reference import Cell
from brain.notation import LETTERS, named
from cython_core import MAX_SIZE, MIN_SIZE, RULE_BOOK

RULE_NAMES = {rule.number: rule.name for rule in RULE_BOOK.values()}


def read_cell(text: str, height: int) -> Cell:
    """A cell as people write it, `h8`: rows from the bottom. It may be off the board."""
    x, y = named(text, height)
    if x >= MAX_SIZE or height - y > MAX_SIZE:
        raise ValueError(f"'{text}' is no cell of any board")
    return x, y


def write_cell(cell: Cell, height: int) -> str:
    return LETTERS.label(cell, height).lower()


def read_cells(text: str, height: int) -> list[Cell]:
    return [read_cell(word, height) for word in text.split()]


def write_cells(cells: Iterable[Cell], height: int) -> str:
    return " ".join(write_cell(cell, height) for cell in cells)


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
    if not all(MIN_SIZE <= side <= MAX_SIZE for side in size):
        raise ValueError(f"a board has {MIN_SIZE} to {MAX_SIZE} rows and columns, not {text}")
    return size
