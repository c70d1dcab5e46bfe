"""Players of ours that run in this process, by name: `@random`, `@rollout`.

They use all of the turn they are given and none of the match clock's finesse.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence

import cython_core as core
from bench.players import Control, Player
from bench.reference import Cell
from cython_core.priors import weigh_candidates
from cython_core.rollout import mean_result

CLASS_FIVE = 8  # in the numbering of Board.class_of
RESERVE_MS = 20  # of a turn, for what happens outside the player's own loop


class BoardPlayer:
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
        return core.xy(self.think(deadline))

    def think(self, deadline: float) -> int:
        raise NotImplementedError

    def close(self) -> None:
        pass

    def candidates(self) -> list[int]:
        """Legal cells near the stones; any legal cell where there is none."""
        near = [cell for cell, _ in weigh_candidates(self.board) if self.board.legal(cell)]
        width, height = self.board.width, self.board.height
        everywhere = (core.cell(x, y) for y in range(height) for x in range(width))
        return near or [cell for cell in everywhere if self.board.legal(cell)]


class RandomPlayer(BoardPlayer):
    """Takes a five, stops a five, else plays near the stones: the floor of every table."""

    def think(self, deadline: float) -> int:
        cells = self.candidates()
        for colour in (self.board.side, 1 - self.board.side):
            for cell in cells:
                if self.board.class_of(cell, colour) == CLASS_FIVE:
                    return cell
        return self.random.choice(cells)


class RolloutPlayer(BoardPlayer):
    """Rollouts for every candidate, shared out by UCB1; no tree, no solver, no network."""

    BATCH = 16  # rollouts at a time
    PLIES = 100

    def think(self, deadline: float) -> int:
        cells = self.candidates()
        points, tries = [0.0] * len(cells), [0] * len(cells)
        total = 0
        while total < len(cells) * self.BATCH or time.monotonic() < deadline:
            if self.control.nodes and total >= self.control.nodes:
                break
            if total < len(cells) * self.BATCH:
                index = total // self.BATCH
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


MAKERS: dict[str, Callable[[int], Player]] = {
    "random": RandomPlayer,
    "rollout": RolloutPlayer,
}


def make_own(name: str, seed: int) -> Player:
    if name not in MAKERS:
        raise ValueError(f"no player of ours is called {name!r}; there are {', '.join(MAKERS)}")
    return MAKERS[name](seed)
