"""The network in the core: it must say what ONNX Runtime says of the same files, on every rule, size and processor."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Never

import numpy as np
import onnx
import pytest
from networks import CORE_BLOCKS, change, write_network
from onnx import numpy_helper

import cython_core as core
from brain import onnx_file
from brain.core_evaluator import CoreEvaluator
from brain.network import load_evaluator
from brain.onnx_evaluator import OnnxEvaluator
from brain.onnx_file import FLOAT, GRAPH, INITIALIZER
from brain.onnx_part import encoded
from brain.parity import CORE_PARITY, distance, shares
from brain.weights import WeightsError, weights_folder
from cython_core.network.encoding import LINE_LIMIT, VARIANTS, WINDOW_REACH, WINDOW_ROWS, variant
from cython_core.network.line_table import line_table
from cython_core.network.trunk import Trunk
from training.windows import window_parts

SIZES = ((15, 15), (5, 5), (20, 20), (9, 14), (32, 32))
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "small.onnx"
    return write_network(path, channels=32, hidden=16, blocks=CORE_BLOCKS, step=LINE_LIMIT / 32760)


def random_board(width: int, height: int, rule: int, seed: int) -> core.Board:
    rng = random.Random(seed)
    board = core.Board(width, height, rule)
    for _ in range(rng.randrange(2, width * height // 3)):
        cell = core.cell(rng.randrange(width), rng.randrange(height))
        if board.legal(cell) and board.winner == core.EMPTY:
            board.play(cell)
    return board


def slow_table(tensors: dict[str, np.ndarray], number: int) -> np.ndarray:
    """The line features of every window of a variant, level by level, in numpy."""
    stones, chosen = np.eye(3, dtype=np.float32)[[2, 0, 1]], np.eye(VARIANTS, dtype=np.float32)[[number] * 3]
    features = np.concatenate([stones, chosen], 1)
    for level in range(1, WINDOW_REACH + 1):
        name = "line.first" if level == 1 else f"line.layers.{level - 2}"
        bias = np.asarray(tensors[f"{name}.bias"])
        taps = np.asarray(tensors[f"{name}.weight"]).reshape(len(bias), -1, 3)
        parts = window_parts(level)
        below = np.concatenate([features, np.zeros((1, features.shape[1]), np.float32)])
        total = bias + sum(below[parts[:, tap]] @ taps[:, :, tap].T for tap in range(3))
        features = np.maximum(total, 0) + (features[parts[:, 1]] if level > 1 else 0)
    scales = np.asarray(tensors["line.scales"])
    last = np.asarray(tensors["line.last.weight"]).reshape(len(scales), -1)
    return np.rint(np.clip(features @ last.T, -LINE_LIMIT, LINE_LIMIT) / scales)


@pytest.mark.parametrize(("channels", "hidden"), [(32, 16), (10, 7)])
@pytest.mark.parametrize("rule", [core.FREESTYLE, core.RENJU, core.CARO])
def test_tables_are_those_of_a_slow_definition(tmp_path: Path, rule: int, channels: int, hidden: int) -> None:
    path = write_network(tmp_path / "net.onnx", channels=channels, hidden=hidden, step=LINE_LIMIT / 32760)
    tensors = onnx_file.load(path).tensors
    for side in (core.BLACK, core.WHITE):
        found = np.asarray(line_table(tensors, rule, side)).astype(np.int32)
        assert found.shape == (WINDOW_ROWS, channels)
        gap = np.abs(found - slow_table(tensors, variant(rule, side)))
        assert gap.max() <= 1, "rounding may differ by one step, nothing else"
        assert (gap > 0).mean() < 1e-3


@pytest.mark.parametrize("path", [None, "network"], ids=["shipped", "random"])
@pytest.mark.parametrize("rule", core.RULES)
def test_positions_are_evaluated_as_by_the_whole_graph(
    request: pytest.FixtureRequest, path: str | None, rule: int
) -> None:
    file = request.getfixturevalue(path) if path else None
    ours, theirs = CoreEvaluator.load(rule, file), OnnxEvaluator.load(rule, file, provider="cpu")
    for seed, (width, height) in enumerate(SIZES):
        board = random_board(width, height, rule, seed)
        answer, whole = ours.evaluate(board), theirs.evaluate_whole(board)
        assert distance(answer, whole) < CORE_PARITY
        best = shares(whole[0])
        assert best[int(np.argmax(answer[0]))] > max(best) - CORE_PARITY


def test_a_search_in_the_core_starts_as_one_through_onnx_runtime(network: Path) -> None:
    board = random_board(15, 15, core.FREESTYLE, 6)
    found = []
    for provider in ("core", "cpu"):
        evaluator = load_evaluator(core.FREESTYLE, network, provider)
        searcher = core.Searcher(8 << 20, statics=0, own_vcf_nodes=0, other_vcf_nodes=0)
        worker = core.Worker(searcher)
        searcher.set_position(board)
        evaluator.simulator(searcher, board, 1)(worker, 1)
        found.append((searcher.value, {cell: prior for cell, _, _, _, prior, _ in searcher.children()}))
    (value, priors), (other_value, other_priors) = found
    assert value == pytest.approx(other_value, abs=0.01)
    # The unlikeliest moves are left out, and which ones those are may differ.
    for cell in priors.keys() | other_priors.keys():
        assert priors.get(cell, 0) == pytest.approx(other_priors.get(cell, 0), abs=CORE_PARITY)


def test_simulations_in_the_core_are_repeatable_and_use_the_network(network: Path) -> None:
    board = random_board(15, 15, core.RENJU, 3)

    def search(with_network: bool) -> list[tuple[object, ...]]:
        searcher = core.Searcher(16 << 20)
        worker = core.Worker(searcher)
        searcher.set_position(board)
        if with_network:
            load_evaluator(core.RENJU, network, "core").simulator(searcher, board, 1)
        assert worker.run(200) == 200
        return searcher.children()

    assert search(True) == search(True)
    assert search(True) != search(False)


def test_onnx_files_are_read_as_the_onnx_package_reads_them(network: Path) -> None:
    read, model = onnx_file.read(network), onnx.load(str(network))
    wanted = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    floats = {name: value for name, value in wanted.items() if value.dtype == np.float32}
    assert read.tensors.keys() == floats.keys()
    assert all(np.array_equal(np.asarray(read.tensors[name]), value.ravel()) for name, value in floats.items())
    assert read.metadata == {entry.key: entry.value for entry in model.metadata_props}


def test_files_cut_short_or_foreign_are_one_clear_error(network: Path, tmp_path: Path) -> None:
    path, whole = tmp_path / "cut.onnx", network.read_bytes()
    cut = [whole[:length] for length in (*range(0, 200, 7), len(whole) // 2, len(whole) - 1)]
    for content in (*cut, random.Random(1).randbytes(5000), b"\x0a\xff\xff\xff\xff\x0f", b"\x3a\x03\x2a\x7f\x00"):
        path.write_bytes(content)
        with pytest.raises(WeightsError, match=r"cut\.onnx"):
            CoreEvaluator.load(core.FREESTYLE, path)


@pytest.mark.parametrize("byte", [b"\xff", b"\x80", b"\x00", b"\x0a\x00", b"\x3a\x02\x2a\x00"])
def test_a_hostile_file_takes_no_longer_than_its_size_asks_for(tmp_path: Path, byte: bytes) -> None:
    times = []
    for size in (1 << 18, 1 << 20):
        path = tmp_path / "hostile.onnx"
        path.write_bytes(byte * (size // len(byte)))
        began = time.process_time()
        with pytest.raises(WeightsError, match=r"hostile\.onnx"):
            onnx_file.load(path)
        times.append(time.process_time() - began)
    assert times[1] < 12 * times[0] + 0.5, "four times the size, far less than sixteen times the time"


def nested(depth: int) -> bytes:
    content = b""
    for _ in range(depth):
        content = encoded(GRAPH, encoded(INITIALIZER, content))
    return content


@pytest.mark.parametrize(
    "content",
    [
        nested(20_000),  # 100 kB of messages in messages
        b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",  # a graph of 2^63 - 1 bytes
        encoded(GRAPH, b"\x2a\xff\xff\xff\xff\x0f"),  # a tensor of 4 GB
        encoded(GRAPH, encoded(INITIALIZER, encoded(2, FLOAT) + b"\x4a\xff\xff\xff\xff\x07")),  # its data
        encoded(GRAPH, encoded(INITIALIZER, encoded(2, FLOAT) + encoded(9, b"abc"))),  # not a multiple of four bytes
    ],
    ids=["deep", "graph", "tensor", "data", "odd"],
)
def test_huge_lengths_and_deep_nesting_are_one_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "hostile.onnx"
    path.write_bytes(content)
    tracemalloc.start()
    with pytest.raises(WeightsError, match=r"hostile\.onnx"):
        onnx_file.load(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * len(content) + (1 << 20), "nothing is made room for that is not there"


def test_a_file_far_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.onnx"
    with path.open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(WeightsError, match=r"large\.onnx has 65 MB, more than any network of ours"):
        onnx_file.load(path)


def test_a_changed_byte_is_damage(network: Path, tmp_path: Path) -> None:
    path, content = tmp_path / "odd.onnx", bytearray(network.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(WeightsError, match=r"odd\.onnx is damaged: its sha256 is not the one in its metadata"):
        CoreEvaluator.load(core.FREESTYLE, path)


@pytest.mark.parametrize(
    ("name", "number", "complaint"),
    [
        # cut at zero on the way, this one does not show in the answers
        ("trunk.blocks.0.point.weight", np.nan, r"has NaN or infinity in tensor trunk\.blocks\.0\.point\.weight"),
        ("trunk.value.2.bias", np.inf, r"has NaN or infinity in tensor trunk\.value\.2\.bias"),
        ("line.layers.2.weight", np.nan, r"has NaN or infinity in tensor line\.layers\.2\.weight"),
        ("line.first.bias", -np.inf, r"has NaN or infinity in tensor line\.first\.bias"),
        ("line.scales", 0.0, r"tensor line\.scales has steps that are not above zero"),
        # finite themselves, and cut at the table's limits, what they make of a window would not show either
        ("line.layers.2.weight", 1e37, "its line part has weights so large that features are infinite"),
        ("line.last.weight", 3e38, "its line part has weights so large that features are infinite"),
        ("trunk.value.2.weight", 3e38, "gives answers that are NaN or infinite"),
    ],
)
def test_a_network_with_numbers_that_cannot_be_is_one_clear_error(
    tmp_path: Path, name: str, number: float, complaint: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_network(tmp_path / "odd.onnx", channels=16, hidden=16, blocks=CORE_BLOCKS)
    change(path, name, number)
    for kind in (CoreEvaluator, OnnxEvaluator):
        with pytest.raises(WeightsError, match=rf"odd\.onnx.* {complaint}"):
            kind.load(core.FREESTYLE, path)
    assert capfd.readouterr().err == ""


def test_a_table_that_finds_no_memory_is_one_clear_error(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Crowded:
        def __init__(self, *arguments: object) -> None:
            pass

        def prepare(self, rule: int) -> None:
            raise MemoryError("no memory for a line table")

    monkeypatch.setattr("brain.core_evaluator.core", SimpleNamespace(**{**vars(core), "LineNetwork": Crowded}))
    with pytest.raises(WeightsError, match=r"small\.onnx cannot be used: no memory for a line table"):
        CoreEvaluator.load(core.FREESTYLE, network)


def test_networks_the_core_does_not_run_are_left_to_onnx_runtime(tmp_path: Path) -> None:
    path = write_network(tmp_path / "other.onnx")
    with pytest.raises(WeightsError, match="the core does not run trunks"):
        load_evaluator(core.FREESTYLE, path, "core")
    assert load_evaluator(core.FREESTYLE, path).provider == "cpu"
    assert load_evaluator(core.FREESTYLE).provider == "core"


def test_a_trunk_with_a_tensor_missing_or_of_another_size_is_refused(network: Path) -> None:
    tensors = onnx_file.read(network).tensors
    blocks = ",".join(CORE_BLOCKS)
    with pytest.raises(ValueError, match=r"no tensor trunk\.policy\.bias"):
        Trunk({name: value for name, value in tensors.items() if name != "trunk.policy.bias"}, blocks)
    with pytest.raises(ValueError, match=r"trunk\.policy\.weight has 31 numbers instead of 32"):
        Trunk({**tensors, "trunk.policy.weight": tensors["trunk.policy.weight"][:31]}, blocks)


def test_the_shipped_network_is_one_the_core_runs() -> None:
    assert CoreEvaluator.load(core.FREESTYLE).path == weights_folder() / "renga.onnx"


def test_others_get_the_interpreter_while_a_large_tensor_is_checked() -> None:
    """They do between two sums, so no sum may be long."""
    lengths = []

    class Watched(list[float]):
        def __getitem__(self, piece: object) -> list[float]:  # type: ignore[override]
            assert isinstance(piece, slice)
            lengths.append(len(found := super().__getitem__(piece)))
            return found

        def __iter__(self) -> Never:
            raise AssertionError("all of it at once")

    tensor = Watched([0.0] * 100_000)
    assert onnx_file.finite(tensor)
    assert sum(lengths) == len(tensor) and max(lengths) <= 1 << 14


def test_a_number_that_cannot_be_is_found_in_every_piece() -> None:
    for at in (0, onnx_file.PIECE - 1, onnx_file.PIECE, 3 * onnx_file.PIECE):
        tensor = np.zeros(3 * onnx_file.PIECE + 1, np.float32)
        assert onnx_file.finite(memoryview(tensor))
        tensor[at] = np.nan
        assert not onnx_file.finite(memoryview(tensor))
