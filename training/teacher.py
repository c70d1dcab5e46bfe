"""Undecided positions of teacher games, for the small fits of shape knowledge."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import cython_core as core
from bench.puzzles import data_folder
from training.games import EVAL_SCALE, GameError, read_games

DECIDING = (core.CLASS_FIVE, core.CLASS_OPEN_FOUR, core.CLASS_DOUBLE_FOUR)
"""Classes of cells that win at a glance."""


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
    wins = any(board.count(side, klass) for klass in DECIDING)
    return wins or board.count(other, core.CLASS_FIVE) > 0


def read_examples(held_out: bool, stride: int) -> Iterator[Example]:
    """Every `stride`-th undecided position after the opening, of the games held out from training or the others."""
    seen = 0
    paths = sorted(data_folder().glob("games/teacher_*.txt.gz"))
    if not paths:
        raise GameError(f"no teacher games in {data_folder() / 'games'}; set RENGA_DATA")
    for path in paths:
        for game in read_games(path):
            if game.held_out != held_out or game.evals is None:
                continue
            board = core.Board(game.width, game.height, game.rule)
            for ply, cell in enumerate(game.moves):
                if ply >= max(game.opening, 2) and not is_decided(board):
                    seen += 1
                    if seen % stride == 0:
                        known = game.result in "BW"
                        ended = float("BW".index(game.result) == board.side) if known else 0.5
                        score = max(-3000, min(3000, game.evals[ply - game.opening]))
                        yield Example(board, cell, ended, 1 / (1 + math.exp(-score / EVAL_SCALE)))
                board.play(cell)
