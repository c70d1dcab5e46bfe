"""Levels 1 to 12 for people: how much an opponent sees, and how often it errs.

A weaker level searches fewer nodes, takes a somewhat worse move for a good one more often, and now and then plays
without looking at all. docs/levels.md has the matches by which the numbers were chosen.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cython_core as core

if TYPE_CHECKING:
    from renga.search import Candidate

Look = Callable[[core.Board, int, bool], "list[Candidate]"]
"""Board, nodes, whether threats are read -> the moves of the position."""

FULL = 12


@dataclass(frozen=True, slots=True)
class Level:
    number: int
    nodes: int
    """Of the search for one move."""
    oversight: float
    """How often a move is played without looking, 0..1."""
    temperature: float
    """A move that is worse than the most visited one by this win rate is e times less likely than its visits say."""
    reads_threats: bool
    """Does it work out what fours and threes force?"""

    @property
    def is_full(self) -> bool:
        return self.number == FULL


LEVELS = (
    Level(1, 16, 0.45, 0.30, False),
    Level(2, 24, 0.35, 0.20, False),
    Level(3, 40, 0.24, 0.12, False),
    Level(4, 48, 0.17, 0.10, False),
    Level(5, 64, 0.11, 0.07, False),
    Level(6, 96, 0.06, 0.05, False),
    Level(7, 96, 0.025, 0.04, True),
    Level(8, 160, 0.01, 0.03, True),
    Level(9, 350, 0.002, 0.018, True),
    Level(10, 680, 0.0, 0.012, True),
    Level(11, 1600, 0.0, 0.0, True),
    Level(FULL, 0, 0.0, 0.0, True),
)


def level(number: int) -> Level:
    """ValueError if there is no such level."""
    if type(number) is not int or not 1 <= number <= len(LEVELS):
        raise ValueError(f"no level {number!r}: there are 1 to {len(LEVELS)}")
    return LEVELS[number - 1]


def choose(board: core.Board, strength: Level, chance: random.Random, look: Look) -> int:
    """A legal cell for the side to move, as an opponent of this strength picks it; the board has one.

    The same state of `chance` gives the same cell.
    """
    if chance.random() < strength.oversight:
        return _any_near(board, chance)
    moves = [move for move in look(board, strength.nodes, strength.reads_threats) if board.legal(move.cell)]
    tried = [move for move in moves if move.visits] or moves
    if not tried:
        return _any_near(board, chance)
    if strength.temperature == 0:
        return max(tried, key=lambda move: (move.visits, move.value, -move.cell)).cell
    # By visits too: of many moves seen once, the best value is mostly a mistake.
    best = max(tried, key=lambda move: move.visits).value
    weights = [move.visits * math.exp(min(0.0, move.value - best) / strength.temperature) for move in tried]
    return chance.choices(tried, weights if any(weights) else None)[0].cell


def _any_near(board: core.Board, chance: random.Random) -> int:
    """Any legal cell at most two steps from a stone, or from the centre of an empty board."""
    stones = [core.xy(cell) for cell, _ in board.history] or [(board.width // 2, board.height // 2)]
    legal = board.legal_cells()
    places = {(x + dx, y + dy) for x, y in stones for dx in range(-2, 3) for dy in range(-2, 3)}
    return chance.choice([cell for cell in legal if core.xy(cell) in places] or legal)
