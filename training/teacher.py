"""Reads teacher games for the small fits of shape knowledge: undecided positions, split by a hash of the game."""

from __future__ import annotations

import gzip
import hashlib
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import cython_core as core

RULES = {"freestyle": core.FREESTYLE, "standard": core.STANDARD, "renju": core.RENJU}
DOUBLE_FOUR, OPEN_FOUR, FIVE = 6, 7, 8
"""Classes a glance decides."""


class Example(NamedTuple):
    """A position before a chosen move. The board is the reader's own: copy it to keep it."""

    board: core.Board
    choice: int
    """The cell the teacher chose."""
    result: float
    """How the game ended for the side to move: 1 won, 0 lost, 0.5 drawn."""
    expected: float
    """The teacher's own expectation of it."""


def is_decided(board: core.Board) -> bool:
    side, other = board.side, 1 - board.side
    wins = any(board.count(side, klass) for klass in (FIVE, OPEN_FOUR, DOUBLE_FOUR))
    return wins or board.count(other, FIVE) > 0


def read_examples(held_out: bool, stride: int) -> Iterator[Example]:
    """Every `stride`-th undecided position after the opening; games with sha256(moves) % 20 == 0 are held out."""
    seen = 0
    folder = Path(os.environ.get("RENGA_DATA", "../shared/data"))
    for path in sorted(folder.glob("games/teacher_*.txt.gz")):
        with gzip.open(path, "rt") as lines:
            for line in lines:
                record, _, notes = line.partition("#")
                rule, size, result, *moves = record.split()
                digest = hashlib.sha256(" ".join(moves).encode()).hexdigest()
                if (int(digest, 16) % 20 == 0) != held_out:
                    continue
                told = dict(note.split("=", 1) for note in notes.split())
                opening, evals = int(told["open"]), [int(number) for number in told["eval"].split(",")]
                board = core.Board(int(size), int(size), RULES[rule])
                for ply, move in enumerate(moves):
                    cell = core.cell(ord(move[0]) - ord("a"), int(move[1:]) - 1)
                    if ply >= max(opening, 2) and not is_decided(board):
                        seen += 1
                        if seen % stride == 0:
                            ended = 0.5 if result not in "BW" else float("BW".index(result) == board.side)
                            score = max(-3000, min(3000, evals[ply - opening]))
                            yield Example(board, cell, ended, 1 / (1 + math.exp(-score / 200)))
                    board.play(cell)
