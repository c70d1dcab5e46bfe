"""Players of ours that run in this process, by name."""

from __future__ import annotations

import random
from collections.abc import Sequence

from bench.players import Control, Player
from bench.reference import Cell, Position, is_legal, winning_cells


class RandomPlayer:
    """Takes a five, stops a five, else plays near the stones: the floor of every table."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._empty = Position(15, 15, 0)

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        self._empty = Position(width, height, rule)

    def choose(self, moves: Sequence[Cell], left_ms: int) -> Cell:
        position = self._empty
        for cell in moves:
            position = position.with_stone(cell, position.side)
        side = position.side
        legal = [cell for cell in position.empty_cells() if is_legal(position, cell, side)]
        for colour in (side, 1 - side):
            urgent = [cell for cell in winning_cells(position, colour) if cell in legal]
            if urgent:
                return urgent[0]
        near = [c for c in legal if any(max(abs(c[0] - x), abs(c[1] - y)) <= 1 for x, y in moves)]
        return self._random.choice(near or legal)

    def close(self) -> None:
        pass


def make_own(text: str, seed: int) -> Player:
    """The player `name` or `name:key=value,...` stands for."""
    name, _, _ = text.partition(":")
    if name == "random":
        return RandomPlayer(seed)
    raise ValueError(f"no player of ours is called {name!r}")
