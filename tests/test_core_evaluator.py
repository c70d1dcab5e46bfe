"""The network in the core: it must say what ONNX Runtime says of the same files, on every rule, size and processor."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from networks import CORE_BLOCKS, write_network
from onnx import numpy_helper

import cython_core as core
from brain import onnx_file
from brain.core_evaluator import CoreEvaluator
from brain.network import load_evaluator
from brain.onnx_evaluator import LINE_LIMIT, VARIANTS, OnnxEvaluator
from brain.weights import WeightsError, weights_folder
from cython_core.network.trunk import Trunk

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


def seen_by_mover(board: core.Board) -> np.ndarray:
    cells = np.zeros((1, board.height, board.width), np.uint8)
    for y in range(board.height):
        for x in range(board.width):
            stone = board.stone(core.cell(x, y))
            cells[0, y, x] = 0 if stone == core.EMPTY else 1 if stone == board.side else 2
    return cells


@pytest.mark.parametrize("rule", core.RULES)
def test_tables_are_those_of_onnx_runtime(network: Path, rule: int) -> None:
    ours, theirs = CoreEvaluator.load(rule, network), OnnxEvaluator.load(rule, network, provider="cpu")
    for mine, other in ((ours.network.black_table, theirs.black_table), (ours.network.white_table, theirs.white_table)):
        gap = np.abs(np.asarray(mine).astype(np.int32) - other)
        assert gap.max() <= 1, "rounding may differ by one step, nothing else"
        assert (gap > 0).mean() < 1e-3


@pytest.mark.parametrize("path", [None, "network"], ids=["shipped", "random"])
@pytest.mark.parametrize("rule", core.RULES)
def test_positions_are_judged_as_by_the_whole_graph(
    request: pytest.FixtureRequest, path: str | None, rule: int
) -> None:
    file = request.getfixturevalue(path) if path else None
    ours, theirs = CoreEvaluator.load(rule, file), OnnxEvaluator.load(rule, file, provider="cpu")
    for seed, (width, height) in enumerate(SIZES):
        board = random_board(width, height, rule, seed)
        logits, wdl = ours.evaluate(board)
        policy, value = theirs.run_full(seen_by_mover(board), VARIANTS[rule, board.side])
        odds, whole_odds = np.exp(logits - np.max(logits)), np.exp(policy[0] - policy[0].max())
        assert np.abs(odds / odds.sum() - whole_odds / whole_odds.sum()).max() < 1e-3
        assert np.abs(np.array(wdl) - value[0]).max() < 1e-3
        assert int(np.argmax(logits)) == int(np.argmax(policy[0]))


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
    assert value == pytest.approx(other_value, abs=1e-3)
    assert priors == pytest.approx(other_priors, abs=1e-3)


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


NARROW = """
import sys
import cython_core as core
from brain.core_evaluator import CoreEvaluator
board = core.Board(15, 15, core.FREESTYLE)
for x, y in [(7, 7), (8, 8), (7, 8), (7, 9), (8, 6), (6, 8), (9, 5)]:
    board.play(core.cell(x, y))
logits, wdl = CoreEvaluator.load(core.FREESTYLE).evaluate(board)
print(*(round(number, 3) + 0.0 for number in [*logits, *wdl]))
"""


def test_processors_without_wide_registers_say_the_same() -> None:
    def judged(**extra: str) -> np.ndarray:
        ran = subprocess.run([sys.executable, "-c", NARROW], cwd=ROOT, env={**os.environ, **extra}, check=True,
                             capture_output=True, text=True)  # fmt: skip
        return np.array(ran.stdout.split(), float)

    assert np.abs(judged() - judged(RENGA_NARROW="1")).max() <= 2e-3


def test_onnx_files_are_read_as_the_onnx_package_reads_them(network: Path) -> None:
    read, model = onnx_file.read(network), onnx.load(str(network))
    wanted = {entry.name: numpy_helper.to_array(entry) for entry in model.graph.initializer}
    floats = {name: value for name, value in wanted.items() if value.dtype == np.float32}
    assert read.tensors.keys() == floats.keys()
    assert all(np.array_equal(np.asarray(read.tensors[name]), value.ravel()) for name, value in floats.items())
    assert read.metadata == {entry.key: entry.value for entry in model.metadata_props}


def test_files_cut_short_or_foreign_are_one_clear_error(network: Path, tmp_path: Path) -> None:
    for part in ("", "-line", "-trunk"):
        source = network.with_name(f"{network.stem}{part}.onnx")
        (tmp_path / f"cut{part}.onnx").write_bytes(source.read_bytes())
    trunk = tmp_path / "cut-trunk.onnx"
    whole = trunk.read_bytes()
    for length in [*range(0, 200, 7), len(whole) // 2, len(whole) - 1]:
        trunk.write_bytes(whole[:length])
        with pytest.raises(WeightsError, match=r"cut-trunk\.onnx"):
            CoreEvaluator.load(core.FREESTYLE, tmp_path / "cut.onnx")
    trunk.write_bytes(random.Random(1).randbytes(5000))
    with pytest.raises(WeightsError, match=r"cut-trunk\.onnx"):
        CoreEvaluator.load(core.FREESTYLE, tmp_path / "cut.onnx")


@pytest.mark.parametrize(
    ("name", "number", "complaint"),
    [
        # cut at zero on the way, this one does not show in the answers
        ("trunk.blocks.0.point.weight", np.nan, r"tensor trunk\.blocks\.0\.point\.weight has numbers that are none"),
        ("trunk.value.2.bias", np.inf, r"tensor trunk\.value\.2\.bias has numbers that are none"),
        ("trunk.value.2.weight", 3e38, "gives answers that are NaN or infinite"),
    ],
)
def test_a_network_that_is_no_number_is_one_clear_error(
    tmp_path: Path, name: str, number: float, complaint: str
) -> None:
    path = write_network(tmp_path / "odd.onnx", channels=16, hidden=16, blocks=CORE_BLOCKS)
    model = onnx.load(str(tmp_path / "odd-trunk.onnx"))
    tensor = next(entry for entry in model.graph.initializer if entry.name == name)
    shape = numpy_helper.to_array(tensor).shape
    tensor.CopyFrom(numpy_helper.from_array(np.full(shape, number, np.float32), name))
    onnx.save(model, str(tmp_path / "odd-trunk.onnx"))
    with pytest.raises(WeightsError, match=rf"odd-trunk\.onnx.* {complaint}"):
        CoreEvaluator.load(core.FREESTYLE, path)


def test_a_table_that_finds_no_memory_is_one_clear_error(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Crowded:
        def __init__(self, *arguments: object) -> None:
            pass

        def prepare(self, rule: int) -> None:
            raise MemoryError("no memory for a line table")

    monkeypatch.setattr("brain.core_evaluator.core", SimpleNamespace(**{**vars(core), "LineNetwork": Crowded}))
    with pytest.raises(WeightsError, match=r"small-line\.onnx cannot be used: no memory for a line table"):
        CoreEvaluator.load(core.FREESTYLE, network)


def test_networks_the_core_does_not_run_are_left_to_onnx_runtime(tmp_path: Path) -> None:
    path = write_network(tmp_path / "other.onnx")
    with pytest.raises(WeightsError, match="the core does not run trunks"):
        load_evaluator(core.FREESTYLE, path, "core")
    assert load_evaluator(core.FREESTYLE, path).provider == "cpu"
    assert load_evaluator(core.FREESTYLE).provider == "core"


def test_a_trunk_with_a_tensor_missing_or_of_another_size_is_refused(network: Path) -> None:
    tensors = onnx_file.read(network.with_name("small-trunk.onnx")).tensors
    blocks = ",".join(CORE_BLOCKS)
    with pytest.raises(ValueError, match=r"no tensor trunk\.policy\.bias"):
        Trunk({name: value for name, value in tensors.items() if name != "trunk.policy.bias"}, blocks)
    with pytest.raises(ValueError, match=r"trunk\.policy\.weight has 31 numbers instead of 32"):
        Trunk({**tensors, "trunk.policy.weight": tensors["trunk.policy.weight"][:31]}, blocks)


def test_the_shipped_network_is_one_the_core_runs() -> None:
    assert CoreEvaluator.load(core.FREESTYLE).files.full == weights_folder() / "renga.onnx"
