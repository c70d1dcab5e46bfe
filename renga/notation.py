"""How people write cells, positions, rules and sizes: `h8`, `h8h7i9`, `renju`, `20x15`.

Columns are letters from the left (after z come aa to af), rows are numbers from the bottom, as on the boards of
renju players; the protocol counts x and y from 0, y downwards. `brain.notation` translates, this module checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import cython_core as core
from brain.notation import LETTERS, named

Colour: TypeAlias = Literal["black", "white"]
Rule: TypeAlias = Literal["freestyle", "standard", "renju", "caro-overline", "caro"]
Size: TypeAlias = "int | tuple[int, int] | str"

COLOURS: tuple[Colour, ...] = get_args(Colour)
RULES: tuple[Rule, ...] = get_args(Rule)
RULE_NUMBERS = {name: number for number, rule in core.RULE_BOOK.items() for name in RULES if name == rule.name}
"""Name -> number in the protocol and the core."""
RULE_NAMES = {number: name for name, number in RULE_NUMBERS.items()}

PASS = "--"
"""In a position code: a turn without a stone, for positions that no alternating play leads to."""

_CELL_OR_PASS = re.compile(rf"\s*([a-z]{{1,2}}[0-9]{{1,2}}|{PASS})\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A cell of a board of a certain height. `str(move)` is what people write; `x, y = move` the protocol's view."""

    x: int
    """Column, from 0 at the left."""
    y: int
    """Row, from 0 at the top."""
    height: int
    """Rows of the board, which the name of a row depends on."""

    def __repr__(self) -> str:
        return f"Move({self})"

    def __str__(self) -> str:
        return LETTERS.label((self.x, self.y), self.height).lower()

    def __iter__(self) -> Iterator[int]:
        return iter((self.x, self.y))


MoveLike: TypeAlias = "Move | str | tuple[int, int]"


def read_move(move: MoveLike, width: int, height: int) -> Move:
    """A cell of a board from any way to write it; ValueError if it is not a cell, or off the board."""
    if isinstance(move, str):
        return _read_name(move, width, height)
    try:
        x, y = move
    except (TypeError, ValueError):
        raise ValueError(f"{move!r} is no cell: write 'h8', or x, y from 0") from None
    if type(x) is not int or type(y) is not int:
        raise ValueError(f"{move!r} is no cell: x and y are whole numbers")
    if isinstance(move, Move) and move.height != height:
        raise ValueError(f"{move} belongs to a board with {move.height} rows, not {height}")
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"{x},{y} is off the {width}x{height} board")
    return Move(x, y, height)


def _read_name(text: str, width: int, height: int) -> Move:
    try:
        x, y = named(text.strip(), height)
    except ValueError:
        raise ValueError(f"{text[:20]!r} is no cell: write a letter and a number, as in 'h8'") from None
    if not (0 <= x < width and 0 <= y < height):
        raise ValueError(f"{text.strip()} is off the {width}x{height} board")
    return Move(x, y, height)


def read_code(code: str, width: int, height: int) -> list[Move | None]:
    """The moves of a position code, None for a pass. Blanks between moves are allowed.

    ValueError says at which character the code stops making sense.
    """
    if not isinstance(code, str):
        raise ValueError(f"{code!r} is no position code: write moves, as in 'h8h7i9'")
    moves: list[Move | None] = []
    at = 0
    while at < len(code):
        match = _CELL_OR_PASS.match(code, at)
        if match is None:
            if not code[at:].strip():
                break
            raise ValueError(f"position code: no cell at character {at + 1}: {code[at : at + 10]!r}")
        try:
            moves.append(None if match[1] == PASS else _read_name(match[1], width, height))
        except ValueError as error:
            raise ValueError(f"position code, character {match.start(1) + 1}: {error}") from None
        at = match.end()
    return moves


def write_code(moves: Iterable[Move | None]) -> str:
    """The position code of moves, None for a pass."""
    return "".join(PASS if move is None else str(move) for move in moves)


def read_rule(rule: str) -> Rule:
    """A rule by its name; ValueError lists the names there are."""
    for name in RULES:
        if isinstance(rule, str) and rule.lower() == name:
            return name
    raise ValueError(f"no rule {rule!r}: there are {', '.join(RULES)}")


def read_colour(colour: str) -> Colour:
    for name in COLOURS:
        if colour == name:
            return name
    raise ValueError(f"no colour {colour!r}: there are black and white")


def read_size(size: Size) -> tuple[int, int]:
    """Width and height from 15, (20, 15), '15' or '20x15'; ValueError if no board has that size."""
    if isinstance(size, str):
        match = re.fullmatch(r"([0-9]{1,3})(?:x([0-9]{1,3}))?", size.strip().lower())
        if match is None:
            raise ValueError(f"no board size {size[:20]!r}: write 15 or 20x15")
        pair: tuple[int, ...] = int(match[1]), int(match[2] or match[1])
    else:
        pair = tuple(size) if isinstance(size, (tuple, list)) else (size, size)
    if len(pair) != 2 or any(type(side) is not int for side in pair):
        raise ValueError(f"no board size {size!r}: write 15, or (20, 15) for 20 columns and 15 rows")
    width, height = pair
    if not all(core.MIN_SIZE <= side <= core.MAX_SIZE for side in pair):
        raise ValueError(f"no {width}x{height} board: {core.MIN_SIZE} to {core.MAX_SIZE} columns and rows")
    return width, height
