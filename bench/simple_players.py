"""Players of ours without a tree, and what all players in this process share.

They use all of the turn they are given and none of the match clock's finesse.
"""

from __future__ import annotations

import math
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence

import cython_core as core
from bench.players import Control
from bench.reference import Cell
from cython_core.probes import mean_result
from cython_core.search.priors import weigh_candidates

RESERVE_MS = 20  # of a turn, for what happens outside the player's own loop


class BoardPlayer(ABC):
    """Keeps the game on a board of the core; what differs between players is `think`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.board = core.Board(15, 15, core.FREESTYLE)
        self.control = Control()

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        self.board = core.Board(width, height, rule)
        self.control = control

    def choose(self, moves: Sequence[Cell], left_ms: int) -> Cell:
        deadline = time.monotonic() + max(0, min(self.control.turn_ms, left_ms) - RESERVE_MS) / 1000
        known = [core.xy(cell) for cell, _ in self.board.history]
        if known != list(moves[: len(known)]):
            self.board = core.Board(self.board.width, self.board.height, self.board.rule)
            known = []
        for x, y in moves[len(known) :]:
            self.board.play(core.cell(x, y))
        return core.xy(five if (five := self.five()) is not None else self.think(deadline))

    def five(self) -> int | None:
        """A cell that wins at once: every player takes it."""
        cells = self.board.cells(self.board.side, core.CLASS_FIVE)
        return cells[0] if cells else None

    @abstractmethod
    def think(self, deadline: float) -> int:
        """A legal cell for the side to move, before time.monotonic() reaches the deadline."""

    def close(self) -> None:  # noqa: B027  most players hold nothing that must be freed
        pass

    def candidates(self) -> list[int]:
        """Legal cells near the stones; any legal cell where there is none."""
        near = [cell for cell, _ in weigh_candidates(self.board) if self.board.legal(cell)]
        return near or self.board.legal_cells()


class RandomPlayer(BoardPlayer):
    """Takes a five, stops a five, else plays near the stones: the floor of every table."""

    def think(self, deadline: float) -> int:
        cells = self.candidates()
        stops = [cell for cell in cells if self.board.class_of(cell, 1 - self.board.side) == core.CLASS_FIVE]
        return self.random.choice(stops or cells)


class OnePlyPlayer(BoardPlayer):
    """Looks at every move once: takes a five, stops a five, else the cell with the best shapes of both sides."""

    def think(self, deadline: float) -> int:
        cells = self.candidates()
        stops = [cell for cell in cells if self.board.class_of(cell, 1 - self.board.side) == core.CLASS_FIVE]
        if stops:
            return self.random.choice(stops)
        weights = dict(weigh_candidates(self.board))
        return max(cells, key=lambda cell: (weights.get(cell, 0.0), self.random.random()))


class RolloutPlayer(BoardPlayer):
    """Rollouts for every candidate, shared out by UCB1; no tree, no solver, no network."""

    BATCH = 16  # rollouts at a time
    PLIES = 100

    def think(self, deadline: float) -> int:
        cells = self.candidates()
        points, tries = [0.0] * len(cells), [0] * len(cells)
        total = 0
        nodes = self.control.nodes
        while True:
            if total < len(cells) * self.BATCH:
                index = total // self.BATCH  # everything is tried once, whatever the limits
            elif time.monotonic() >= deadline or (nodes and total >= nodes):
                break
            else:
                growth = math.log(total)
                index = max(
                    range(len(cells)), key=lambda i: points[i] / tries[i] + math.sqrt(growth / 2 / tries[i])
                )
            points[index] += self.BATCH * self.outcome(cells[index])
            tries[index] += self.BATCH
            total += self.BATCH
        return cells[max(range(len(cells)), key=lambda i: points[i] / max(tries[i], 1))]

    def outcome(self, cell: int) -> float:
        """Mean result of a batch of rollouts after the move, for the side that plays it."""
        self.board.play(cell)
        if self.board.winner != core.EMPTY:
            result = 1.0
        elif not self.board.empties:
            result = 0.5
        else:
            result = 1.0 - mean_result(self.board, self.BATCH, self.random.getrandbits(63), self.PLIES)
        self.board.undo()
        return result
