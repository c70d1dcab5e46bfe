"""A level of `renga.Engine` as a player: `@level:3`. Its strength is a number of nodes, not a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import renga
from bench.notation import RULE_NAMES
from bench.players import Control
from bench.reference import Cell

FULL_NODES = 4000
"""Of the highest level, which has no limit of its own, where the match sets none."""


@cache
def _engine() -> renga.Engine:
    """One for all levels of a process: each of their searches starts from nothing, and loading the network takes longer
    than a whole game of a low level. No seed: a player made anew would throw the same dice in all of its games."""
    return renga.Engine(book="off")


class LevelPlayer:
    def __init__(self, options: str, seed: int) -> None:
        if not options.isdecimal() or not 1 <= int(options) <= 12:
            raise ValueError(f"@level needs a level from 1 to 12, not {options!r}")
        self._level = int(options)
        self._board = renga.Board()
        self._limit = renga.Limit(nodes=FULL_NODES)

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        self._board = renga.Board(width, height, rule=RULE_NAMES[rule])
        self._limit = renga.Limit(nodes=control.nodes or FULL_NODES)

    def choose(self, moves: Sequence[Cell], left_ms: int) -> Cell:
        for cell in moves[len(self._board.moves) :]:
            self._board.play(cell)
        move = _engine().play(self._board, self._limit, self._level)
        return move.x, move.y

    def close(self) -> None:
        """The engine stays for the next level."""
