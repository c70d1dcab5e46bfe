"""What evaluates positions for a search: one face for the network in the core, in ONNX Runtime, and for none at all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Protocol

import cython_core as core
from cython_core.search.estimate import expected_result
from cython_core.search.priors import weigh_candidates

Simulate = Callable[[core.Worker, int], object]
"""Runs about this number of simulations of a worker. WeightsError: the network gives NaN, or has failed otherwise."""
LIBRARY_BYTES = 90 << 20
"""Private memory of numpy, ONNX Runtime and a session."""
NO_LOGIT = -30.0
"""Of a cell that is no candidate."""
Answer = tuple[list[float], tuple[float, float, float]]
"""Policy logits, row by row, and win, draw, loss shares of the side to move."""


class Evaluator(Protocol):
    """Evaluates positions, ready for one rule at a time. Searches on several threads may share it."""

    @property
    def provider(self) -> str:
        """Where it runs: core, cpu, cuda or none."""

    @property
    def metadata(self) -> Mapping[str, str]:
        """What its file tells of it."""

    @property
    def bytes(self) -> int:
        """Memory it holds."""

    @property
    def rule(self) -> int | None:
        """The rule it is ready for."""

    def use_rule(self, rule: int) -> None:
        """Makes ready for another rule. No search may be running with it."""

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Simulate:
        """Attaches itself to a search of positions like `board`; how to run simulations of that from now on, with
        `batch` leaves at a time where it works in batches."""

    def evaluate(self, board: core.Board) -> Answer:
        """What it says of one position of the rule; WeightsError if it cannot say anything."""


class ShapeEvaluator:
    """No network: shape priors, the static estimate and rollouts, which a search has of its own. Fits every rule."""

    provider = "none"
    bytes = 0
    metadata: Mapping[str, str] = MappingProxyType({})

    def __init__(self) -> None:
        self.rule: int | None = None

    def use_rule(self, rule: int) -> None:
        self.rule = rule

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Simulate:
        searcher.set_evaluator(None)
        return core.Worker.run

    def evaluate(self, board: core.Board) -> Answer:
        """Logarithms of the shape priors, and the static estimate as a win or a loss."""
        logits = [NO_LOGIT] * (board.width * board.height)
        for cell, weight in weigh_candidates(board):
            if weight > 0:
                x, y = core.xy(cell)
                logits[y * board.width + x] = math.log(weight)
        win = expected_result(board)
        return logits, (win, 0.0, 1 - win)
