"""Positions -> policy and value through ONNX Runtime: tables, sessions, providers.

The line part of the network sees nothing but 11 cells of a line, so its outputs are tabulated once per rule and the
features of a cell are four table rows added up. What is left, the trunk, runs here in batches. On a GPU the whole graph
runs instead, on the planes of a cell, which the core takes from a table as well.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import cython_core as core
from brain import onnx_file
from brain.evaluator import LIBRARY_BYTES, Answer, Simulate
from brain.onnx_part import part_after
from brain.weights import WeightsError, using
from cython_core.network.encoding import PLANE_CONTENTS, PLANES, WINDOW_ROWS, variant
from cython_core.network.features import write_line_features
from cython_core.network.line_table import line_table

# Newer versions of ONNX Runtime otherwise log their use in the user's home and report it to their maker.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

FEATURES = "features"
"""The value of the graph that the tables give, the trunk's input."""

Content = bytes
"""Of a model's file."""
Floats = npt.NDArray[np.float32]
Boards = npt.NDArray[np.uint8]
Table = npt.NDArray[np.int16]
Buffer = Any
"""An array on its way to the core: before Python 3.12 type checkers do not see that arrays are buffers."""


def plane_table(which: int) -> Table:
    """The line table of the whole graph, or of a network without a line part: rows whose sums over four directions are
    a cell's planes, in quarters."""
    centre = np.arange(WINDOW_ROWS) % 3
    table = np.zeros((len(centre), PLANES), np.int16)
    for plane, content in enumerate(PLANE_CONTENTS):
        table[centre == content, plane] = 1
    table[:, 3 + which] = 1
    return table


class Batch:
    """A buffer of positions of one board size: the core fills `features`, `evaluate` answers for the first rows."""

    def __init__(self, evaluator: OnnxEvaluator, width: int, height: int, size: int) -> None:
        self._evaluator = evaluator
        self.features: Buffer = np.zeros((size, evaluator.channels, height, width), np.float32)

    def evaluate(self, count: int) -> tuple[Buffer, Buffer]:
        """Policy logits [count, height * width] and win/draw/loss shares [count, 3] of the side to move.

        Any failure is one WeightsError.
        """
        path = self._evaluator.path
        with using(path):
            policy, value = self._evaluator.run(self.features[:count])
            if not (np.isfinite(policy).all() and np.isfinite(value).all()):
                raise WeightsError(f"network file {path} gives answers that are NaN or infinite")
        return policy, value

    def simulate(self, worker: core.Worker, most: int) -> None:
        """Simulations of a search until one batch is full, `most` wait or none can be added; and their evaluation."""
        leaves = worker.select(self.features, min(most, len(self.features)))
        if leaves:
            try:
                logits, wdl = self.evaluate(leaves)
            except BaseException:
                worker.drop()
                raise
            worker.apply(logits, wdl)


class OnnxEvaluator:
    """One network, ready to play one rule at a time. `run` may be called from several threads."""

    def __init__(self, file: onnx_file.OnnxFile, provider: str, whole: bool | None = None) -> None:
        """`whole`: run the whole graph on planes instead of the trunk on line features; by default on a GPU."""
        self.path, self.metadata = file.path, file.metadata
        self.provider = provider
        self._content, self._tensors = file.content, file.tensors
        with using(self.path):
            lines = json.loads(file.metadata["shape"])["kind"] == "line"
        self.whole = not lines or whole or (whole is None and provider == "cuda")
        """Does the whole graph run? Its inputs are planes, and so they are for a network without a line part."""
        self.channels = PLANES if self.whole else len(file.tensors.get("line.scales", ()))
        with using(self.path):
            self._graph = self._session(self._content if self.whole else self._trunk())
        # A CUDA build without CUDA falls back by itself.
        self.provider = "cuda" if "CUDAExecutionProvider" in self._graph.get_providers() else "cpu"
        self._input = self._graph.get_inputs()[0].name
        self._full: Any = self._graph if self.whole else None
        self.rule: int | None = None
        self.black_table: Buffer = np.zeros((0, self.channels), np.int16)
        """Line table int16 [397488, channels] for black to move; `white_table` is the same array except in renju."""
        self.white_table: Buffer = self.black_table
        self.scales: Buffer = np.full(PLANES, 0.25, np.float32) if self.whole else file.tensors.get("line.scales")
        """Feature value of one table step, per channel."""

    def _trunk(self) -> Content:
        return part_after(self._content, FEATURES, self.channels)

    @classmethod
    def load(cls, rule: int, path: Path | None = None, provider: str = "auto") -> OnnxEvaluator:
        """Opens, checks and warms up a network. `provider` is auto, cpu or cuda. Any failure is one WeightsError."""
        evaluator = cls(onnx_file.load(path), choose_provider(provider))
        evaluator.use_rule(rule)
        # Two sizes of boards: ours take any, so a graph that was fixed to one is foreign.
        for size, batch in ((15, 1), (15, 8), (7, 1)):
            policy, value = evaluator.batch(size, size, batch).evaluate(batch)
            if policy.shape != (batch, size * size) or value.shape != (batch, 3):
                raise WeightsError(f"network file {evaluator.path} gives answers of another shape")
        return evaluator

    def use_rule(self, rule: int) -> None:
        """Makes the tables of a rule; those of the rule before are dropped first."""
        if self.rule == rule:
            return
        self.rule = None
        self.black_table = self.white_table = np.zeros((0, self.channels), np.int16)
        with using(self.path):
            self.black_table = self._tabulate(rule, core.BLACK)
            same = variant(rule, core.BLACK) == variant(rule, core.WHITE)
            self.white_table = self.black_table if same else self._tabulate(rule, core.WHITE)
        self.rule = rule

    def _tabulate(self, rule: int, side: int) -> Table:
        if self.whole:
            return plane_table(variant(rule, side))
        return np.asarray(line_table(self._tensors, rule, side))

    def batch(self, width: int, height: int, size: int) -> Batch:
        return Batch(self, width, height, size)

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Simulate:
        """Attaches the line part to a search; how to run simulations of it, `batch` leaves at a time."""
        assert self.rule is not None, "not ready for any rule"
        searcher.set_evaluator(core.LineInputs(self.rule, self.black_table, self.white_table, self.scales))
        return self.batch(board.width, board.height, batch).simulate

    @property
    def bytes(self) -> int:
        """Memory it holds, the libraries included."""
        tables = {id(table): memoryview(table).nbytes for table in (self.black_table, self.white_table)}
        return LIBRARY_BYTES + sum(tables.values())

    def evaluate(self, board: core.Board) -> Answer:
        """What it says of one position of the rule, by the graph that plays."""
        batch = self.batch(board.width, board.height, 1)
        table = self.white_table if board.side else self.black_table
        write_line_features(board, table, self.scales, batch.features[0])
        return as_answer(*batch.evaluate(1))

    def evaluate_whole(self, board: core.Board) -> Answer:
        """The same by the whole graph: the definition that everything else has to agree with."""
        boards = np.zeros((1, board.height, board.width), np.uint8)
        for cell, colour in board.history:
            x, y = core.xy(cell)
            boards[0, y, x] = 1 if colour == board.side else 2
        with using(self.path):
            return as_answer(*self.run_full(boards, variant(board.rule, board.side)))

    def run(self, features: Floats) -> tuple[Floats, Floats]:
        """Line features (or planes) [n, channels, h, w] -> policy logits [n, h * w], win/draw/loss shares [n, 3] of the
        mover."""
        policy, value = self._graph.run(["policy", "value"], {self._input: features})
        return policy, value

    def run_full(self, boards: Boards, which: int) -> tuple[Floats, Floats]:
        """The whole graph on boards [n, h, w] of 0 empty, 1 own, 2 other, of one variant."""
        planes = np.zeros((len(boards), PLANES, *boards.shape[1:]), np.float32)
        for plane, content in enumerate(PLANE_CONTENTS):
            planes[:, plane] = boards == content
        planes[:, 3 + which] = 1
        if self._full is None:
            self._full = self._session(self._content)
        policy, value = self._full.run(["policy", "value"], {"planes": planes})
        return policy, value

    def _session(self, model: Content) -> Any:
        onnxruntime = library()
        # Whatever it has to say goes to stderr, which belongs to the manager; what matters is raised.
        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        # One core: a second thread, or one that spins while the search works, would steal from it.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 4
        providers = ["CUDAExecutionProvider"] * (self.provider == "cuda") + ["CPUExecutionProvider"]
        # That fusion breaks graphs with nameless nodes in ONNX Runtime 1.21 and gains nothing here.
        return onnxruntime.InferenceSession(
            model, options, providers=providers, disabled_optimizers=["GatherSliceToSplitFusion"]
        )


def as_answer(policy: Floats, value: Floats) -> Answer:
    """The answer for the first position of a batch."""
    win, draw, loss = map(float, value[0])
    return [float(logit) for logit in policy[0]], (win, draw, loss)


def library() -> Any:
    """ONNX Runtime, or a WeightsError: a half installed one fails in many ways."""
    try:
        import onnxruntime
    except Exception as error:
        raise WeightsError(f"onnxruntime is not usable ({error}); the network needs it") from error
    return onnxruntime


def choose_provider(wanted: str) -> str:
    """cpu or cuda; `auto` takes cuda where onnxruntime offers it."""
    if wanted not in ("auto", "cpu", "cuda"):
        raise WeightsError(f"unknown provider {wanted!r}: auto, cpu or cuda")
    if wanted == "cpu":
        return "cpu"
    if "CUDAExecutionProvider" in library().get_available_providers():
        return "cuda"
    if wanted == "cuda":
        raise WeightsError("onnxruntime has no CUDA provider here; install the extra `gpu`")
    return "cpu"
