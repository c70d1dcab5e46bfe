"""A network that the core runs by itself: no library, no batches. The usual form on a CPU.

The file is the same that ONNX Runtime runs; the line part becomes a table per rule, the trunk is copied into the core.
`brain/onnx_evaluator.py` is the other form: any network of ours, and CUDA.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import cython_core as core
from brain import onnx_file, weights
from brain.evaluator import Answer, Simulate
from brain.weights import WeightsError


class CoreEvaluator:
    """One network, ready to play one rule at a time. Searches on several threads may share it."""

    provider = "core"

    def __init__(self, file: onnx_file.OnnxFile) -> None:
        self.path, self.metadata = file.path, file.metadata
        with weights.using(self.path):
            self.network = core.LineNetwork(file.tensors, json.loads(file.metadata["shape"])["blocks"])

    @classmethod
    def load(cls, rule: int, path: Path | None = None) -> CoreEvaluator:
        """Opens and checks a network. Any failure is one WeightsError."""
        evaluator = cls(onnx_file.load(path))
        evaluator.use_rule(rule)
        with weights.using(evaluator.path):
            evaluator.evaluate(core.Board(15, 15, rule))
        return evaluator

    def _failure(self) -> WeightsError:
        return WeightsError(f"network file {self.path} gives answers that are NaN or infinite")

    @property
    def bytes(self) -> int:
        return self.network.bytes

    @property
    def rule(self) -> int | None:
        return self.network.prepared_rule

    def use_rule(self, rule: int) -> None:
        """Makes the tables of a rule; those of the rule before are dropped first. No search may be running with it."""
        with weights.using(self.path):
            self.network.prepare(rule)

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Simulate:
        """Attaches the network to a search; how to run simulations of it."""
        searcher.set_evaluator(self.network)

        def simulate(worker: core.Worker, count: int) -> None:
            worker.run(count)
            if searcher.evaluator_failed:
                raise self._failure()

        return simulate

    def evaluate(self, board: core.Board) -> Answer:
        """What it says of one position of the rule; WeightsError if that is NaN or infinite."""
        logits, shares = self.network.evaluate(board)
        if not all(map(math.isfinite, (*logits, *shares))):
            raise self._failure()
        return logits, shares
