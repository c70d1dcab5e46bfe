"""A network that the core runs by itself: no library, no batches. The usual form on a CPU.

The ONNX files are the same that ONNX Runtime reads; the line part becomes a table per rule, the trunk is copied into
the core. `brain/evaluator.py` is the other form: any network of ours, and CUDA.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain import onnx_file, weights
from brain.weights import WeightsError
from cython_core import Board, Worker
from cython_core.network.line_table import line_table
from cython_core.network.trunk import Trunk

if TYPE_CHECKING:
    from collections.abc import Callable

    from cython_core import Searcher


class CoreEvaluator:
    """One network, ready to play one rule at a time. Searches on several threads may share it."""

    provider = "core"

    def __init__(self, files: weights.NetworkFiles) -> None:
        self.files = files
        line, trunk = onnx_file.read(files.line), onnx_file.read(files.trunk)
        if trunk.metadata.get("renga_format") != weights.FORMAT:
            raise WeightsError(f"network file {files.trunk} is not a Renga network of format {weights.FORMAT}")
        if line.metadata.get("network") != trunk.metadata.get("network"):
            raise WeightsError(f"network files {files.line} and {files.trunk} are from different networks")
        self.metadata = trunk.metadata
        self._line = line.tensors
        self.scales: Any = line.tensors.get("line.scales")
        """Feature value of one table step, per channel."""
        with weights.using(files.trunk):
            self.trunk = Trunk(trunk.tensors, json.loads(trunk.metadata["shape"])["blocks"])
        self.rule: int | None = None
        self.black_table: Any = None
        """Line table int16 [397488, channels] for black to move; `white_table` is the same one except in renju."""
        self.white_table: Any = None

    @classmethod
    def load(cls, rule: int, path: Path | None = None) -> CoreEvaluator:
        """Opens and checks a network. Any failure is one WeightsError."""
        files = weights.find(path)
        weights.check(files)
        evaluator = cls(files)
        evaluator.use_rule(rule)
        with weights.using(files.trunk):
            logits, shares = evaluator.judge(Board(15, 15, rule))
            if not all(map(math.isfinite, (*logits, *shares))):
                raise WeightsError(f"network file {files.trunk} gives answers that are no numbers")
        return evaluator

    def use_rule(self, rule: int) -> None:
        """Makes the tables of a rule; those of the rule before are dropped first."""
        if self.rule == rule:
            return
        self.rule = None
        self.black_table = self.white_table = None
        with weights.using(self.files.line):
            self.black_table = line_table(self._line, rule, 0)
            self.white_table = line_table(self._line, rule, 1) if rule == 4 else self.black_table
        self.rule = rule

    def simulator(self, searcher: Searcher, board: Board, batch: int) -> Callable[[Worker, int], object]:
        """Gives the network to a search; how to run simulations of it."""
        self.give_to(searcher)
        return Worker.run

    def give_to(self, searcher: Searcher) -> None:
        """From now on `Worker.run` uses the network, on boards of the rule."""
        searcher.set_network(self.black_table, self.white_table, self.scales, self.trunk)

    def judge(self, board: Board) -> tuple[list[float], tuple[float, float, float]]:
        """Policy logits, row by row, and win, draw, loss shares of the side to move; the board must be of the rule."""
        return self.trunk.judge(board, self.white_table if board.side else self.black_table, self.scales)
