"""Puzzle files: tab-separated, the first line (after #) names the columns, cells as in notation.py."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import cython_core as core
from bench.notation import read_cell, read_cells, read_size
from bench.reference import BLACK, WHITE, Cell, Position


def data_folder() -> Path:
    """Where game records and puzzles are: RENGA_DATA, or `data` in the tree."""
    return Path(os.environ.get("RENGA_DATA", Path(__file__).resolve().parents[1] / "data"))


@dataclass(frozen=True)
class Puzzle:
    name: str
    side: int  # who is to move and, where there is a win, has it
    width: int
    height: int
    black: tuple[Cell, ...]
    white: tuple[Cell, ...]
    answers: frozenset[Cell]  # known winning first moves; others may win too
    line: tuple[Cell, ...]  # a shortest win, attacker and defender in turn, where one is given

    def position(self, rule: int) -> Position:
        stones = {**dict.fromkeys(self.black, BLACK), **dict.fromkeys(self.white, WHITE)}
        return Position(self.width, self.height, rule, stones, self.side)

    def board(self, rule: int) -> core.Board:
        board = core.Board(self.width, self.height, rule)
        for colour, cells in ((BLACK, self.black), (WHITE, self.white)):
            for x, y in cells:
                board.put(core.cell(x, y), colour)
        board.side = self.side
        return board


@dataclass(frozen=True)
class PuzzleFile:
    kind: str  # vcf, no-vcf or vct
    puzzles: list[Puzzle]


def read_puzzles(path: Path) -> PuzzleFile:
    """Reads a file and tells its kind by its columns; ValueError with the line number where it is broken."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not a text file: {error}") from error
    if not lines or not lines[0].startswith("#"):
        raise ValueError(f"{path}: the first line must name the columns")
    columns = [name.partition("(")[0] for name in lines[0][1:].split("\t")]
    kind = "vcf" if "winning_first_fours" in columns else "vct" if "listed_answers" in columns else "no-vcf"
    puzzles = []
    for number, line in enumerate(lines[1:], 2):
        if not line or line.startswith("#"):
            continue
        row = dict(zip(columns, line.split("\t"), strict=False))
        try:
            width, height = read_size(row["size"])
            answers = row.get("winning_first_fours") or row.get("listed_answers") or ""
            puzzle = Puzzle(
                row["id"],
                {"B": BLACK, "W": WHITE}[row["side"]],
                width,
                height,
                tuple(read_cells(row["black"], height)),
                tuple(read_cells(row["white"], height)),
                frozenset(read_cell(word, height) for word in answers.split() if word != "+?"),
                tuple(read_cells(row.get("line", ""), height)),
            )
            puzzle.board(0)  # refuses cells that are off the board or taken twice
            puzzles.append(puzzle)
        except (KeyError, ValueError) as error:
            raise ValueError(f"{path}:{number}: {error}") from error
    return PuzzleFile(kind, puzzles)
