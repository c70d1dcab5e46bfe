"""The five systems Renga grew from, rebuilt on our core: their selection, evaluation and final move.

Where they had a policy or value network they get ours; rollouts are played as they played them. Without a
network file the policies are shape weights, and S1 and S2, which are nothing but a network, cannot play. The
core's tree proves finished games and backs the proofs up, so all of them play a little better than their
originals.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cython_core as core
from bench.players import Control, PlayerFailure
from bench.simple_players import BoardPlayer
from brain.choice import Child
from brain.evaluator import Evaluator
from brain.network import load_evaluator
from brain.weights import WeightsError

TREE_BYTES = 100 << 20
BATCH = 8  # leaves per network call, where it is made outside the core
WHOLE_GAME = 32 * 32  # plies
SLICE = 32  # simulations between two looks at the clock
PUCT, UCB1, FIVE_BEST, THRESHOLDS = range(4)  # the core's selection policies
FAST_DESCENT, BIASED, POLICY_SAMPLES = range(1, 4)  # the core's rollout styles


def most_visited(children: list[Child]) -> Child:
    return max(children, key=lambda child: (child.visits, child.prior))


def best_mean(children: list[Child]) -> Child:
    """S0: the largest R/C."""
    return max(children, key=lambda child: (child.value if child.visits else -1.0, child.visits))


def s4_move(children: list[Child]) -> Child:
    """Among moves with N > 50 and R > N/2 (wins less losses) the largest R/N, else the most visited."""
    good = [child for child in children if child.visits > 50 and child.value > 0.75]
    return best_mean(good) if good else most_visited(children)


def rollouts(style: int, plies: int) -> dict[str, float]:
    """Tunables of a value by rollouts alone, one per leaf."""
    return {
        "rollout_share": 1.0, "estimate_share": 0.0, "rollouts": 1, "rollout_style": style, "rollout_plies": plies,
    }


@dataclass(frozen=True)
class Recipe:
    tunables: Mapping[str, float]
    final: Callable[[list[Child]], Child]
    needs_network: bool = False


ALONE = {"own_vcf_nodes": 0, "other_vcf_nodes": 0, "hot_visits": 0, "statics": 0}
EVERY_MOVE = {"prior_cut": 1.0}  # a sharp policy would leave S0 fewer than five moves, and UCB1 knows no policy
NETWORK_ONLY = {"policy": PUCT, "rollout_share": 0.0, "explore_log": 0.0, "fpu_reduction": 0.0}

RECIPES = {
    "s0": Recipe({**ALONE, **EVERY_MOVE, **rollouts(FAST_DESCENT, WHOLE_GAME), "policy": FIVE_BEST}, best_mean),
    # c = 1 and 2 for values in -1..1 are half of that for values in 0..1.
    "s1": Recipe({**ALONE, **NETWORK_ONLY, "explore": 0.5}, most_visited, needs_network=True),
    "s2": Recipe(
        {**ALONE, **NETWORK_ONLY, "explore": 1.0, "min_root_visits": 2}, most_visited, needs_network=True
    ),
    # Winning cells are taken and fives answered, in the tree as in the simulations.
    "s3": Recipe(
        {**ALONE, **EVERY_MOVE, **rollouts(BIASED, WHOLE_GAME), "policy": UCB1, "explore": 1.0, "statics": 1},
        most_visited,
    ),
    "s4": Recipe({**ALONE, **rollouts(POLICY_SAMPLES, 10), "policy": THRESHOLDS}, s4_move),
}
USES_POLICY_NETWORK = ("s0", "s1", "s2", "s4")


class SeedPlayer(BoardPlayer):
    """Runs a recipe until the turn is over; the tree is kept from move to move."""

    def __init__(self, name: str, seed: int) -> None:
        super().__init__(seed)
        self._recipe = RECIPES[name]
        self._wants_network = name in USES_POLICY_NETWORK
        self._searcher = core.Searcher(TREE_BYTES, seed=seed + 1, **self._recipe.tunables)
        self._worker = core.Worker(self._searcher)
        self._evaluator: Evaluator | None = None
        self._simulate: Callable[[core.Worker, int], object] = core.Worker.run

    def new_game(self, width: int, height: int, rule: int, control: Control) -> None:
        super().new_game(width, height, rule, control)
        self._searcher.forget()
        if self._wants_network:
            self._load_network(rule)

    def _load_network(self, rule: int) -> None:
        try:
            if self._evaluator is None:
                self._evaluator = load_evaluator(rule)
            self._evaluator.use_rule(rule)
        except WeightsError as error:
            if self._recipe.needs_network:
                raise PlayerFailure("error", f"cannot play without a network: {error}") from error
            return
        self._simulate = self._evaluator.simulator(self._searcher, self.board, BATCH)

    def think(self, deadline: float) -> int:
        searcher, nodes = self._searcher, self.control.nodes
        searcher.set_position(self.board)
        self._simulate(self._worker, SLICE)
        while time.monotonic() < deadline and searcher.proof is None:
            if nodes and searcher.simulations >= nodes:
                break
            self._simulate(self._worker, SLICE)
        if searcher.proof_move is not None:
            return searcher.proof_move
        children = [Child(*child) for child in searcher.children()]
        for won in (child for child in children if child.proof is not None and child.proof > 0):
            return won.cell
        open_ = [child for child in children if child.proof is None or child.proof == 0]
        if not children:
            return self.candidates()[0]
        return self._recipe.final(open_).cell if open_ else max(children, key=lambda c: -(c.proof or 0)).cell
