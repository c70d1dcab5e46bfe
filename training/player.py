"""A network with its search, for games by the thousand: fixed numbers of simulations, no clock, no protocol."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from brain.choice import resisting_move
from brain.network import load_evaluator
from cython_core import Board
from cython_core.search.search import Searcher, Worker
from training.games import EVAL_SCALE, PROVEN_EVAL

LEAVES = 8
"""Positions per network call, where it is made outside the core."""
ANY_MOVE = -1


class Move(NamedTuple):
    """A move of the root after a search. A tuple, because there are thousands to a game."""

    cell: int
    visits: int
    value: float
    """Win rate of the side to move."""
    prior: float
    proof: int | None
    """+n: wins in n plies, -n: loses in n, 0: draws; None: not proven."""


@dataclass(frozen=True)
class Searched:
    """What a search of one position found."""

    moves: tuple[Move, ...]
    value: float
    proof: int | None

    def best(self) -> Move:
        """The soonest proven win, else the most visited move that is not proven lost, else the longest loss."""
        if wins := self.wins():
            return min(wins, key=lambda move: move.proof or 0)
        if alive := self.alive():
            return max(alive, key=lambda move: (move.visits, move.prior))
        return min(self.moves, key=lambda move: move.proof or 0)

    def wins(self) -> list[Move]:
        return [move for move in self.moves if move.proof is not None and move.proof > 0]

    def alive(self) -> list[Move]:
        """Moves that are open or drawn."""
        return [move for move in self.moves if move.proof is None or move.proof == 0]

    def evaluation(self) -> int:
        """In the units of game files: from the win rate, or from the length of a proof."""
        if self.proof:
            return PROVEN_EVAL - self.proof if self.proof > 0 else -PROVEN_EVAL - self.proof
        rate = min(max(self.value, 1e-4), 1 - 1e-4)
        return round(EVAL_SCALE * math.log(rate / (1 - rate)))


@dataclass(frozen=True)
class Curiosity:
    """What makes a search look at moves it would pass over."""

    noise: float = 0.0
    """Share of Dirichlet noise in the root's priors."""
    inner_noise: float = 0.0
    """The same at the other nodes."""
    root_visits: int = 0
    """Visits that every root move gets first."""


NOT_CURIOUS = Curiosity()


class Player:
    """One searcher and its network; without a file it plays by shapes and rollouts."""

    def __init__(self, network: Path | None, seed: int = 1, memory: int = 48 << 20, **tunables: float) -> None:
        self.evaluator = load_evaluator(0, network) if network is not None else None
        self._memory, self._tunables = memory, tunables
        self._simulate: Callable[[Worker, int], object] = Worker.run
        self.new_game(seed)

    def new_game(self, seed: int) -> None:
        """Keeps nothing but the network: what follows depends on the seed, not on what was played before."""
        # A new worker too: the tables of its solvers remember, and they decide what a solver finds within its limit.
        self._searcher = Searcher(self._memory, seed=seed, **self._tunables)
        self._worker = Worker(self._searcher)

    def search(self, board: Board, simulations: int, curiosity: Curiosity = NOT_CURIOUS) -> Searched:
        """Searches a position with a legal move. The priors told are those before any noise at the root."""
        self.begin(board, curiosity)
        self.run(simulations)
        return self.found()

    def begin(self, board: Board, curiosity: Curiosity = NOT_CURIOUS) -> None:
        """Makes a position with a legal move the root, and runs the first simulation."""
        self._simulate = Worker.run
        if self.evaluator is not None:
            self.evaluator.use_rule(board.rule)
            self._simulate = self.evaluator.simulator(self._searcher, board, LEAVES)
        self._board = board
        self._searcher.tune(inner_noise=curiosity.inner_noise, min_root_visits=curiosity.root_visits)
        self._searcher.set_position(board)
        self._simulate(self._worker, 1)
        self._priors = {cell: prior for cell, _, _, _, prior, _ in self._searcher.children()}
        if curiosity.noise > 0 and self._searcher.proof is None:
            self._searcher.add_noise(curiosity.noise)

    def run(self, simulations: int, first: int = ANY_MOVE) -> None:
        """Simulations until the root has this many or is proven; each begins with the move `first` while
        that is open."""
        self._searcher.begin_with(first)
        while self._searcher.simulations < simulations and self._searcher.proof is None:
            before = self._searcher.simulations
            self._simulate(self._worker, simulations - before)
            if self._searcher.simulations == before:
                break

    @property
    def simulations(self) -> int:
        """Of this root."""
        return self._searcher.simulations

    @property
    def single(self) -> bool:
        """Is there nothing to compare: a proof, or one move only?"""
        return self._searcher.proof is not None or self._searcher.single

    def found(self) -> Searched:
        """What is known of the root by now."""
        moves = tuple(
            Move(cell, visits, value, self._priors.get(cell, prior), proof)
            for cell, visits, value, _, prior, proof in self._searcher.children()
        )  # fmt: skip
        if not moves or self._searcher.proof_move is not None:
            # Decided at a glance: the root has no children, or not the move that wins.
            winning = self._searcher.proof_move
            cell = winning if winning is not None else resisting_move(self._board)
            assert cell is not None, "no move is legal"
            moves = (Move(cell, 1, self._searcher.value, 1.0, self._searcher.proof),)
        return Searched(moves, self._searcher.value, self._searcher.proof)
