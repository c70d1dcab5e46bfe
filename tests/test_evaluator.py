"""brain.onnx_evaluator: windows, tables, the agreement of the tabulated and the whole network, and bad files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from networks import write_network

import cython_core as core
from brain import weights
from brain.onnx_evaluator import (
    HALF,
    STEPS,
    VARIANTS,
    OnnxEvaluator,
    choose_provider,
    line_features,
    side_codes,
    window_count,
    window_indices,
    window_parts,
)
from brain.weights import WeightsError
from cython_core.network.features import write_line_features

SIZES = ((15, 15), (5, 5), (20, 20), (9, 14))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "tiny.onnx")


@pytest.fixture(scope="module")
def evaluator(network: Path) -> OnnxEvaluator:
    return OnnxEvaluator.load(0, network, provider="cpu")


def random_boards(number: int, height: int, width: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice([0, 1, 2], (number, height, width), p=[0.6, 0.2, 0.2]).astype(np.uint8)


def board_of(cells: np.ndarray, rule: int, side: int) -> core.Board:
    board = core.Board(cells.shape[1], cells.shape[0], rule)
    for y, x in zip(*np.nonzero(cells), strict=True):
        board.put(core.cell(int(x), int(y)), side if cells[y, x] == 1 else 1 - side)
    board.side = side
    return board


def slow_index(cells: np.ndarray, x: int, y: int, dx: int, dy: int, half: int) -> int:
    """The formula of brain/onnx_evaluator.py, cell by cell."""
    codes = []
    for sign in (-1, 1):
        seen = []
        for distance in range(1, half + 1):
            at = y + sign * distance * dy, x + sign * distance * dx
            if not (0 <= at[0] < cells.shape[0] and 0 <= at[1] < cells.shape[1]):
                break
            seen.append(int(cells[at]))
        number = sum(value * 3 ** (len(seen) - 1 - place) for place, value in enumerate(seen))
        codes.append((3 ** len(seen) - 1) // 2 + number)
    return (codes[0] * side_codes(half) + codes[1]) * 3 + int(cells[y, x])


def shares(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def test_windows_are_counted_by_level() -> None:
    assert [window_count(level) for level in range(1, 6)] == [48, 507, 4800, 43923, 397488]


def test_window_indices_follow_the_formula_and_the_core() -> None:
    for height, width in SIZES:
        cells = random_boards(1, height, width)[0]
        found = window_indices(cells[None])[0]
        board = board_of(cells, core.FREESTYLE, core.BLACK)
        for y in range(height):
            for x in range(width):
                for direction, (dx, dy) in enumerate(STEPS):
                    index = found[y, x, direction]
                    assert index == slow_index(cells, x, y, dx, dy, HALF)
                    assert index // 3 == board.window(core.cell(x, y), core.BLACK, direction)


@pytest.mark.parametrize("level", range(1, HALF + 1))
def test_parts_of_a_window_are_the_windows_of_its_neighbours(level: int) -> None:
    parts = window_parts(level)
    assert len(parts) == window_count(level)
    for width in (1, 2, 3, 6, 12):
        row = random_boards(1, 1, width, seed=width)[0]
        for x in range(width):
            found = parts[slow_index(row, x, 0, 1, 0, level)]
            for place, at in enumerate((x - 1, x, x + 1)):
                inside = 0 <= at < width
                expected = slow_index(row, at, 0, 1, 0, level - 1) if inside else window_count(level - 1)
                assert found[place] == expected


@pytest.mark.parametrize("rule", [0, 1, 4, 8, 9])
def test_tabulated_and_whole_network_agree_on_all_rules_and_sizes(evaluator: OnnxEvaluator, rule: int) -> None:
    for height, width in SIZES:
        boards = random_boards(4, height, width, seed=rule)
        for side in (core.BLACK, core.WHITE):
            policy, value = evaluator.judge(boards, rule, side)
            full_policy, full_value = evaluator.run_full(boards, VARIANTS[rule, side])
            assert policy.shape == (4, height * width) and value.shape == (4, 3)
            assert np.abs(policy - full_policy).max() < 1e-3
            assert np.abs(value - full_value).max() < 1e-3
            assert np.allclose(value.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize("rule", [0, 4, 9])
def test_the_whole_graph_on_planes_from_the_core_gives_the_same_answers(network: Path, rule: int) -> None:
    files = weights.find(network)
    whole, tabulated = OnnxEvaluator(files, "cpu", whole=True), OnnxEvaluator(files, "cpu")
    for height, width in SIZES:
        boards = random_boards(3, height, width, seed=rule)
        for side in (core.BLACK, core.WHITE):
            for ours, theirs in zip(whole.judge(boards, rule, side), tabulated.judge(boards, rule, side), strict=True):
                assert np.abs(ours - theirs).max() < 1e-3


def test_a_search_runs_the_whole_graph_as_it_runs_the_trunk(network: Path) -> None:
    board = core.Board(9, 9, core.FREESTYLE)
    board.play(core.cell(4, 4))
    found = []
    for whole in (True, False):
        evaluator = OnnxEvaluator(weights.find(network), "cpu", whole)
        evaluator.use_rule(board.rule)
        searcher = core.Searcher(8 << 20)
        searcher.set_position(board)
        worker, simulate = core.Worker(searcher), evaluator.simulator(searcher, board, 1)
        simulate(worker, 1)
        found.append([(cell, prior) for cell, _, _, _, prior, _ in searcher.children()])
    assert len(found[0]) > 5
    assert sorted(cell for cell, _ in found[0]) == sorted(cell for cell, _ in found[1])
    for (_, ours), (_, theirs) in zip(*found, strict=True):
        assert abs(ours - theirs) < 1e-3


def test_the_core_sums_the_same_features(evaluator: OnnxEvaluator) -> None:
    for rule, side in ((core.FREESTYLE, core.BLACK), (core.RENJU, core.WHITE)):
        evaluator.use_rule(rule)
        table = evaluator.white_table if side else evaluator.black_table
        for height, width in SIZES:
            cells = random_boards(1, height, width)[0]
            out = np.zeros((evaluator.channels, height, width), np.float32)
            write_line_features(board_of(cells, rule, side), table, evaluator.scales, out)
            assert np.allclose(out, line_features(cells[None], table, evaluator.scales)[0], atol=1e-5)


def test_only_renju_needs_two_tables_and_only_one_rule_is_kept(evaluator: OnnxEvaluator) -> None:
    evaluator.use_rule(core.RENJU)
    black = evaluator.black_table
    assert black.dtype == np.int16 and black.shape == (397488, evaluator.channels)
    assert not np.array_equal(black, evaluator.white_table)
    evaluator.use_rule(core.STANDARD)
    assert evaluator.black_table is evaluator.white_table is not black


def test_a_batch_answers_for_as_many_positions_as_were_filled_in(evaluator: OnnxEvaluator) -> None:
    boards = random_boards(3, 9, 14)
    evaluator.use_rule(core.FREESTYLE)
    batch = evaluator.batch(14, 9, 8)
    for cells, target in zip(boards, batch.features, strict=False):
        write_line_features(board_of(cells, 0, core.WHITE), evaluator.white_table, evaluator.scales, target)
    policy, value = batch.evaluate(3)
    expected = evaluator.judge(boards, core.FREESTYLE, core.WHITE)
    assert np.allclose(policy, expected[0], atol=1e-4) and np.allclose(value, expected[1], atol=1e-4)


def test_missing_damaged_and_foreign_files_are_one_clear_error(network: Path, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"none\.onnx is missing"):
        OnnxEvaluator.load(0, tmp_path / "none.onnx")
    copy = write_network(tmp_path / "copy.onnx")
    trunk = tmp_path / "copy-trunk.onnx"
    trunk.write_bytes(trunk.read_bytes()[:500])
    with pytest.raises(WeightsError, match=r"copy-trunk\.onnx cannot be used"):
        OnnxEvaluator.load(0, copy)
    write_network(copy, format_="99")
    with pytest.raises(WeightsError, match="not a Renga network"):
        OnnxEvaluator.load(0, copy)
    write_network(copy, seed=2)
    (tmp_path / "copy-line.onnx").write_bytes(network.with_name("tiny-line.onnx").read_bytes())
    with pytest.raises(WeightsError, match="different networks"):
        OnnxEvaluator.load(0, copy)


def test_a_graph_with_other_inputs_is_foreign(tmp_path: Path) -> None:
    path = write_network(tmp_path / "odd.onnx")
    (tmp_path / "odd-trunk.onnx").write_bytes(path.read_bytes())
    with pytest.raises(WeightsError, match=r"odd-trunk\.onnx"):
        OnnxEvaluator.load(0, path)


def fix_the_board(model: onnx.ModelProto) -> None:
    for axis in model.graph.input[0].type.tensor_type.shape.dim[2:]:
        axis.Clear()
        axis.dim_value = 15


def forget_a_number(model: onnx.ModelProto) -> None:
    bias = next(entry for entry in model.graph.initializer if entry.name == "trunk.bias")
    values = onnx.numpy_helper.to_array(bias).copy()
    values[:] = np.nan
    bias.CopyFrom(onnx.numpy_helper.from_array(values, bias.name))


def flatten_only_columns(model: onnx.ModelProto) -> None:
    (flatten,) = (node for node in model.graph.node if "policy" in node.output)
    flatten.attribute[0].i = 3


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("trunk", lambda model: model.metadata_props.pop(2)),
        ("trunk", lambda model: model.graph.output.pop()),
        ("trunk", flatten_only_columns),
        ("trunk", fix_the_board),
        ("trunk", forget_a_number),
        ("line", lambda model: model.graph.output.pop()),
        ("line", lambda model: model.graph.input.pop()),
    ],
    ids=["no channels", "no value", "policy of rows", "15x15 only", "not a number", "no scales", "no last level"],
)  # fmt: skip
def test_a_file_of_ours_in_an_odd_form_is_one_clear_error(
    tmp_path: Path, part: str, change: Callable[[onnx.ModelProto], object]
) -> None:
    path, odd = write_network(tmp_path / "odd.onnx"), tmp_path / f"odd-{part}.onnx"
    model = onnx.load(str(odd))
    change(model)
    onnx.save(model, str(odd))
    with pytest.raises(WeightsError, match=rf"odd-{part}\.onnx"):
        OnnxEvaluator.load(0, path, provider="cpu")


def test_a_whole_graph_of_another_network_is_named(tmp_path: Path) -> None:
    path, other = write_network(tmp_path / "one.onnx"), write_network(tmp_path / "two.onnx", seed=2)
    path.write_bytes(other.read_bytes())
    with pytest.raises(WeightsError, match=r"one\.onnx and .*one-trunk\.onnx are from different networks"):
        OnnxEvaluator(weights.find(path), "cpu", whole=True)
    assert OnnxEvaluator(weights.find(other), "cpu", whole=True).running == other


def test_a_table_that_finds_no_memory_is_one_clear_error(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(OnnxEvaluator, "_tabulate", full)
    with pytest.raises(WeightsError, match=r"tiny-line\.onnx cannot be used: MemoryError"):
        OnnxEvaluator.load(0, network, provider="cpu")


def test_providers_are_chosen_by_name() -> None:
    assert choose_provider("cpu") == "cpu"
    assert choose_provider("auto") in ("cpu", "cuda")
    with pytest.raises(WeightsError, match="unknown provider"):
        choose_provider("tpu")


def test_without_onnxruntime_the_error_says_so(network: Path) -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from pathlib import Path\nfrom brain.onnx_evaluator import OnnxEvaluator\n"
        "from brain.weights import WeightsError\n"
        f"try: OnnxEvaluator.load(0, Path({str(network)!r}), provider='cpu')\n"
        "except WeightsError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "onnxruntime is not usable" in done.stdout


def test_the_shipped_network_is_whole_and_its_tables_agree_with_its_graph() -> None:
    shipped = OnnxEvaluator.load(core.FREESTYLE, provider="cpu")
    for rule in core.RULES:
        for height, width in SIZES:
            boards = random_boards(2, height, width, seed=rule)
            policy, value = shipped.judge(boards, rule, core.WHITE)
            full_policy, full_value = shipped.run_full(boards, VARIANTS[rule, core.WHITE])
            assert np.abs(shares(policy) - shares(full_policy)).max() < 1e-3
            assert np.abs(value - full_value).max() < 1e-3


def test_the_shipped_network_sees_a_five_and_where_to_stop_one() -> None:
    shipped = OnnxEvaluator.load(core.FREESTYLE, provider="cpu")
    for own in (1, 2):
        boards = np.zeros((1, 15, 15), np.uint8)
        boards[0, 7, 4:8] = own
        boards[0, 7, 3] = 3 - own
        boards[0, (3, 4, 6, 11), (3, 11, 9, 5)] = 3 - own
        policy, value = shipped.judge(boards, core.FREESTYLE, core.BLACK)
        assert policy[0].argmax() == 7 * 15 + 8
        if own == 1:
            assert value[0, 0] > 0.9
