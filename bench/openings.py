"""Openings: reading files of them, and making balanced random ones by seed.

A file holds one opening a line, `<source> <size> <cells>`, after `#` a comment. Colours alternate, black
first.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bench.notation import RULE_NAMES, read_cells, read_size, write_cells
from bench.reference import Cell, Position, is_legal, makes_five

OUR_OPENINGS = Path(__file__).parent / "openings.txt"
RANDOM_OPENINGS = 500  # where no opening of the file fits


@dataclass(frozen=True)
class Opening:
    width: int
    height: int
    cells: tuple[Cell, ...]
    source: str = ""


def read_openings(path: Path) -> list[Opening]:
    openings = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.partition("#")[0].split(maxsplit=2)
        if not text:
            continue
        try:
            width, height = read_size(text[1])
            cells = read_cells(text[2] if len(text) > 2 else "", height)
            openings.append(Opening(width, height, tuple(cells), text[0]))
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path}:{number}: {error}") from error
    return openings


def fit(opening: Opening, width: int, height: int) -> Opening | None:
    """The same stones about the middle of another board, or None if one falls off."""
    dx, dy = width // 2 - opening.width // 2, height // 2 - opening.height // 2
    cells = tuple((x + dx, y + dy) for x, y in opening.cells)
    if all(0 <= x < width and 0 <= y < height for x, y in cells):
        return Opening(width, height, cells, opening.source)
    return None


def replay(opening: Opening, rule: int) -> Position | None:
    """The position after the opening, or None where it contains a foul, a five or a cell twice."""
    position = Position(opening.width, opening.height, rule)
    for cell in opening.cells:
        if not is_legal(position, cell, position.side) or makes_five(position, cell, position.side):
            return None
        position = position.with_stone(cell, position.side)
    return position


def usable(openings: list[Opening], width: int, height: int, rule: int) -> list[Opening]:
    """The openings that can be played on this board under this rule.

    Those made for just this board and rule, if there are such; else all that fit.
    """
    name = RULE_NAMES[rule]
    made = [o for o in openings if (o.width, o.height, o.source) == (width, height, name)]
    fitted = (fit(opening, width, height) for opening in made or openings)
    return [opening for opening in fitted if opening is not None and replay(opening, rule) is not None]


def choose_openings(path: Path, width: int, height: int, rule: int, seed: int) -> list[Opening]:
    """From the file what fits the board and rule; random ones where nothing does."""
    found = usable(read_openings(path), width, height, rule)
    return found or list(islice(random_openings(width, height, rule, seed), RANDOM_OPENINGS))


def fingerprint(openings: Sequence[Opening]) -> int:
    """Tells sets of openings apart: a run is not resumed with others than it was begun with."""
    return zlib.crc32("\n".join(write_cells(opening.cells, opening.height) for opening in openings).encode())


def random_openings(width: int, height: int, rule: int, seed: int) -> Iterator[Opening]:
    """Endless openings of 2 to 8 stones scattered near each other around some point inside the board."""
    rng = random.Random(f"{width}x{height} {rule} {seed}")
    while True:
        spread = rng.choice((2, 2, 3, 3, 4))
        margin_x, margin_y = min(spread, (width - 1) // 2), min(spread, (height - 1) // 2)
        centre = rng.randint(margin_x, width - 1 - margin_x), rng.randint(margin_y, height - 1 - margin_y)
        cells: list[Cell] = []
        for _ in range(rng.randint(2, 8)):
            for _ in range(20):
                cell = centre[0] + rng.randint(-spread, spread), centre[1] + rng.randint(-spread, spread)
                if cell not in cells and 0 <= cell[0] < width and 0 <= cell[1] < height:
                    cells.append(cell)
                    break
        opening = Opening(width, height, tuple(cells))
        if replay(opening, rule) is not None:
            yield opening


def write_openings(path: Path, openings: list[Opening]) -> None:
    """Replaces the file in one step: a kill leaves the one before."""
    lines = [f"{o.source} {o.width}x{o.height} {write_cells(o.cells, o.height)}" for o in openings]
    part = path.with_name(path.name + ".part")
    part.write_text("\n".join(["# <source> <size> <cells>; black first, colours alternate", *lines]) + "\n")
    part.replace(path)
