"""Positions -> policy and value through ONNX Runtime: line tables, sessions, providers. An absent network is normal.

The line part of the network sees nothing but 11 cells of a line, so its outputs are tabulated once per rule and the
features of a cell are four table rows added up. What is left, the trunk, runs here in batches. On a GPU the whole graph
runs instead, on the planes of a cell, which the core takes from a table as well.

    window   = 5 cells to the left, centre, 5 cells to the right; cut off where the board ends
    cells    = 0 empty, 1 own, 2 opponent (or a stone of nobody)
    side     = (3^k - 1) / 2 + base-3 number of its k visible cells, the nearest first (most significant)
    index    = (left * 364 + right) * 3 + centre
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import cython_core as core
from brain import weights
from brain.evaluator import LIBRARY_BYTES, Answer, Simulate
from brain.weights import FORMAT, WeightsError, using
from cython_core.network.features import write_line_features

# Newer versions of ONNX Runtime else keep a diary in the user's home and report it to their maker.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")


HALF = 5
"""Cells a line window shows on each side of its centre."""
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""(dx, dy) of the four directions; the left side of a window lies against the step."""
VARIANTS = {
    (0, 0): 0, (0, 1): 0, (1, 0): 1, (1, 1): 1, (4, 0): 2, (4, 1): 3, (8, 0): 4, (8, 1): 4, (9, 0): 5, (9, 1): 5,
}  # fmt: skip
"""(rule, side to move) -> variant. Each has its own table; only in renju do black and white differ."""
VARIANT_COUNT = 6
PLANES = 3 + VARIANT_COUNT
"""Inputs of the whole network: own, opponent, empty; then one plane per variant, ones for the position's."""
PLANE_CONTENTS = (1, 2, 0)
"""What the first planes show, as boards have it."""
LINE_LIMIT = 24.0
"""Line features are cut off here, by the network's definition: windows beyond it hardly occur, and the smaller range
makes the steps of a 16-bit table six times finer. Measured: no held-out accuracy lost down to 16."""
TABLE_CHUNK = 33124
"""Windows tabulated at a time (a twelfth of all): bounds the memory needed beside the table to about 40 MB."""

Floats = npt.NDArray[np.float32]
Boards = npt.NDArray[np.uint8]
Table = npt.NDArray[np.int16]
Buffer = Any
"""An array on its way to the core: before Python 3.12 type checkers do not see that arrays are buffers."""


def side_codes(level: int) -> int:
    """How many codes one side of a window of half length `level` has: 1, 4, 13, 40, 121, 364."""
    return int(3 ** (level + 1) - 1) // 2


def window_count(level: int) -> int:
    return 3 * side_codes(level) ** 2


def window_parts(level: int) -> npt.NDArray[np.int32]:
    """[window_count(level), 3]: the windows of the level below around the left neighbour, the centre and the right one.

    A neighbour behind the edge has number window_count(level - 1): the row of zeros after the last window.
    """
    sides = side_codes(level)
    code = np.arange(sides)
    length = np.searchsorted(np.array([(3**k - 1) // 2 for k in range(1, level + 1)]), code, side="right")
    number = code - (3**length - 1) // 2
    # Side codes one cell shorter: without the farthest cell, and without the nearest one.
    near = np.where(length == level, (code - 1) // 3, code)
    scale = 3 ** np.maximum(length - 1, 0)
    first, rest = number // scale, (scale - 1) // 2 + number % scale

    def shifted(inner: npt.NDArray[np.int64], outer: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Code of the side that begins with the old centre `inner` and goes on with side `outer`, cut to level - 1."""
        cut, cells = outer, length[outer]
        while (long := cells > level - 2).any():
            cut, cells = np.where(long, (cut - 1) // 3, cut), np.where(long, cells - 1, cells)
        return (3 ** (cells + 1) - 1) // 2 + inner * 3**cells + cut - (3**cells - 1) // 2

    window = np.arange(window_count(level))
    left, right, centre = window // 3 // sides, window // 3 % sides, window % 3
    below = side_codes(level - 1)
    outside = window_count(level - 1)
    if level == 1:
        towards_left = np.where(length[left] > 0, first[left], outside)
        towards_right = np.where(length[right] > 0, first[right], outside)
        return np.stack([towards_left, centre, towards_right], 1).astype(np.int32)
    parts = np.empty((len(window), 3), np.int32)
    parts[:, 0] = np.where(length[left] > 0, (rest[left] * below + shifted(centre, right)) * 3 + first[left], outside)
    parts[:, 1] = (near[left] * below + near[right]) * 3 + centre
    parts[:, 2] = np.where(length[right] > 0, (shifted(centre, left) * below + rest[right]) * 3 + first[right], outside)
    return parts


def window_indices(boards: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """[n, height, width, 4]: window of every cell in every direction, for boards as in Evaluator.judge."""
    n, height, width = boards.shape
    padded = np.full((n, height + 2 * HALF, width + 2 * HALF), 3, np.int16)
    padded[:, HALF:-HALF, HALF:-HALF] = boards
    out = np.empty((n, height, width, 4), np.int32)
    for direction, (dx, dy) in enumerate(STEPS):
        codes = []
        for sign in (-1, 1):
            code = np.zeros((n, height, width), np.int16)
            open_ = np.ones((n, height, width), bool)
            for distance in range(1, HALF + 1):
                y, x = HALF + sign * distance * dy, HALF + sign * distance * dx
                cell = padded[:, y : y + height, x : x + width]
                open_ &= cell != 3
                code = np.where(open_, 3 * code + 1 + cell, code)
            codes.append(code.astype(np.int32))
        out[..., direction] = (codes[0] * side_codes(HALF) + codes[1]) * 3 + boards
    return out


def line_features(boards: Boards, table: Table, scales: Floats) -> Floats:
    """[n, channels, height, width]: four table rows added up for every cell; the core does the same, faster."""
    indices = window_indices(boards)
    total = np.zeros((*boards.shape, table.shape[1]), np.int32)
    for direction in range(4):
        total += table[indices[..., direction]]
    return np.ascontiguousarray((total * scales).transpose(0, 3, 1, 2), np.float32)


def plane_table(variant: int) -> Table:
    """The line table of the whole graph: rows whose sums over four directions are a cell's planes, in quarters."""
    centre = np.arange(window_count(HALF)) % 3
    table = np.zeros((len(centre), PLANES), np.int16)
    for plane, content in enumerate(PLANE_CONTENTS):
        table[centre == content, plane] = 1
    table[:, 3 + variant] = 1
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
        file = self._evaluator.running
        with using(file):
            policy, value = self._evaluator.run(self.features[:count])
            if not (np.isfinite(policy).all() and np.isfinite(value).all()):
                raise WeightsError(f"network file {file} gives answers that are NaN or infinite")
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

    def __init__(self, files: weights.NetworkFiles, provider: str, whole: bool | None = None) -> None:
        """`whole`: run the whole graph on planes instead of the trunk on line features; by default on a GPU."""
        self.files = files
        self.provider = provider
        self._graph = self._session(files.trunk)
        # A CUDA build without CUDA falls back by itself; the form of the network must follow.
        self.provider = "cuda" if "CUDAExecutionProvider" in self._graph.get_providers() else "cpu"
        self.whole = self.provider == "cuda" if whole is None else whole
        self.running = files.full if self.whole else files.trunk
        """The file whose graph gives the answers."""
        self._full: Any = None
        meta = self._graph.get_modelmeta().custom_metadata_map
        if meta.get("renga_format") != FORMAT:
            raise WeightsError(f"network file {files.trunk} is not a Renga network of format {FORMAT}")
        self.metadata: dict[str, str] = dict(meta)
        """What the export wrote into the files: shape, recipe, revision."""
        inputs = [(entry.name, *map(str, entry.shape[1:2])) for entry in self._graph.get_inputs()]
        if inputs != [("features", meta.get("channels"))]:
            raise WeightsError(f"network file {files.trunk} is no trunk: its inputs are {inputs}")
        self.channels = PLANES if self.whole else int(meta["channels"])
        if self.whole:
            self._graph = self._whole_graph()
        self._input = self._graph.get_inputs()[0].name
        self.rule: int | None = None
        self.black_table: Buffer = np.zeros((0, self.channels), np.int16)
        """Line table int16 [397488, channels] for black to move; `white_table` is the same array except in renju."""
        self.white_table: Buffer = self.black_table
        self.scales: Buffer = np.zeros(self.channels, np.float32)
        """Feature value of one table step, per channel."""

    @classmethod
    def load(cls, rule: int, path: Path | None = None, provider: str = "auto") -> OnnxEvaluator:
        """Opens, checks and warms up a network. `provider` is auto, cpu or cuda. Any failure is one WeightsError."""
        files = weights.find(path)
        weights.check(files)
        evaluator = cls(files, choose_provider(provider))
        evaluator.use_rule(rule)
        # Two sizes of boards: a graph that was fixed to one of them is none of ours.
        for size, batch in ((15, 1), (15, 8), (7, 1)):
            policy, value = evaluator.batch(size, size, batch).evaluate(batch)
            if policy.shape != (batch, size * size) or value.shape != (batch, 3):
                raise WeightsError(f"network file {evaluator.running} gives answers of another shape")
        return evaluator

    def use_rule(self, rule: int) -> None:
        """Makes the tables of a rule; those of the rule before are dropped first."""
        if self.rule == rule:
            return
        self.rule = None
        self.black_table = self.white_table = np.zeros((0, self.channels), np.int16)
        with using(self.files.line):
            self.black_table = self._tabulate(VARIANTS[rule, 0])
            same = VARIANTS[rule, 0] == VARIANTS[rule, 1]
            self.white_table = self.black_table if same else self._tabulate(VARIANTS[rule, 1])
        self.rule = rule

    def batch(self, width: int, height: int, size: int) -> Batch:
        return Batch(self, width, height, size)

    def simulator(self, searcher: core.Searcher, board: core.Board, batch: int) -> Simulate:
        """Gives the line part to a search; how to run simulations of it, `batch` leaves at a time."""
        assert self.rule is not None, "not ready for any rule"
        searcher.set_evaluator(core.LineInputs(self.rule, self.black_table, self.white_table, self.scales))
        return self.batch(board.width, board.height, batch).simulate

    def run(self, features: Floats) -> tuple[Floats, Floats]:
        """Line features (or planes) [n, channels, h, w] -> policy logits [n, h * w], win/draw/loss shares [n, 3] of the
        mover."""
        policy, value = self._graph.run(["policy", "value"], {self._input: features})
        return policy, value

    @property
    def bytes(self) -> int:
        """Memory it holds, the libraries included."""
        tables = {id(table): memoryview(table).nbytes for table in (self.black_table, self.white_table)}
        return LIBRARY_BYTES + sum(tables.values())

    def evaluate(self, board: core.Board) -> Answer:
        """What it says of one position of the rule."""
        batch = self.batch(board.width, board.height, 1)
        table = self.white_table if board.side else self.black_table
        write_line_features(board, table, self.scales, batch.features[0])
        policy, value = batch.evaluate(1)
        win, draw, loss = map(float, value[0])
        return [float(logit) for logit in policy[0]], (win, draw, loss)

    def judge(self, boards: Boards, rule: int, side: int) -> tuple[Floats, Floats]:
        """As `run`, for boards [n, h, w] of 0 empty, 1 own, 2 opponent."""
        self.use_rule(rule)
        return self.run(line_features(boards, self.white_table if side else self.black_table, self.scales))

    def run_full(self, boards: Boards, variant: int) -> tuple[Floats, Floats]:
        """The whole graph, the definition that the tabulated form has to agree with."""
        planes = np.zeros((len(boards), PLANES, *boards.shape[1:]), np.float32)
        for plane, content in enumerate(PLANE_CONTENTS):
            planes[:, plane] = boards == content
        planes[:, 3 + variant] = 1
        policy, value = self._whole_graph().run(["policy", "value"], {"planes": planes})
        return policy, value

    def _whole_graph(self) -> Any:
        if self._full is None:
            self._full = self._session(self.files.full)
            self._check_network(self._full, self.files.full)
        return self._full

    def _check_network(self, session: Any, path: Path) -> None:
        if session.get_modelmeta().custom_metadata_map.get("network") != self.metadata.get("network"):
            raise WeightsError(f"network files {path} and {self.files.trunk} are from different networks")

    def _tabulate(self, variant: int) -> Table:
        if self.whole:
            self.scales = np.full(PLANES, 0.25, np.float32)
            return plane_table(variant)
        # Without the arena the session's memory goes back when it is dropped.
        session = self._session(self.files.line, arena=False)
        self._check_network(session, self.files.line)
        parts = {f"parts{level}": window_parts(level).astype(np.int64) for level in range(1, HALF)}
        last = window_parts(HALF)
        table = np.empty((len(last), self.channels), np.int16)
        one_hot = np.zeros(VARIANT_COUNT, np.float32)
        one_hot[variant] = 1
        for start in range(0, len(last), TABLE_CHUNK):
            chunk = last[start : start + TABLE_CHUNK].astype(np.int64)
            inputs = {"variant": one_hot, **parts, f"parts{HALF}": chunk}
            rows, self.scales = session.run(["rows", "scales"], inputs)
            table[start : start + TABLE_CHUNK] = np.rint(rows)
        return table

    def _session(self, path: Path, arena: bool = True) -> Any:
        onnxruntime = library()
        onnxruntime.set_default_logger_severity(4)  # a missing CUDA is no news for the manager's stderr
        options = onnxruntime.SessionOptions()
        # One core: a second thread, or one that spins while the search works, would steal from it.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = arena
        options.log_severity_level = 3
        providers = ["CUDAExecutionProvider"] * (self.provider == "cuda") + ["CPUExecutionProvider"]
        with using(path):
            # That fusion breaks graphs with nameless nodes in ONNX Runtime 1.21 and gains nothing here.
            return onnxruntime.InferenceSession(
                str(path), options, providers=providers, disabled_optimizers=["GatherSliceToSplitFusion"]
            )


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
