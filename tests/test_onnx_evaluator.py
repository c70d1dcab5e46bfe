"""brain.onnx_evaluator: the agreement of the tabulated and the whole network, and bad files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from arrays import SIZES, board_of, random_boards
from networks import save, write_network
from onnx import numpy_helper

import cython_core as core
from brain import onnx_file
from brain.onnx_evaluator import OnnxEvaluator, choose_provider
from brain.parity import PARITY, distance, sample_boards
from brain.weights import WeightsError
from cython_core.network.features import write_line_features


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_network(tmp_path_factory.mktemp("network") / "tiny.onnx")


@pytest.fixture(scope="module")
def evaluator(network: Path) -> OnnxEvaluator:
    return OnnxEvaluator.load(0, network, provider="cpu")


@pytest.mark.parametrize("rule", core.RULES)
def test_tabulated_and_whole_network_agree_on_all_rules_and_sizes(evaluator: OnnxEvaluator, rule: int) -> None:
    evaluator.use_rule(rule)
    for height, width in SIZES:
        for side in (core.BLACK, core.WHITE):
            board = board_of(random_boards(1, height, width, seed=rule)[0], rule, side)
            answer = evaluator.evaluate(board)
            assert len(answer[0]) == height * width and sum(answer[1]) == pytest.approx(1)
            assert distance(answer, evaluator.evaluate_whole(board)) < PARITY


@pytest.mark.parametrize("rule", [0, 4, 9])
def test_the_whole_graph_on_planes_from_the_core_gives_the_same_answers(network: Path, rule: int) -> None:
    file = onnx_file.load(network)
    whole, tabulated = OnnxEvaluator(file, "cpu", whole=True), OnnxEvaluator(file, "cpu")
    for evaluator in (whole, tabulated):
        evaluator.use_rule(rule)
    for board in sample_boards(rule):
        assert distance(whole.evaluate(board), whole.evaluate_whole(board)) < 1e-5
        assert distance(whole.evaluate(board), tabulated.evaluate(board)) < PARITY


def test_a_search_runs_the_whole_graph_as_it_runs_the_trunk(network: Path) -> None:
    board = core.Board(9, 9, core.FREESTYLE)
    board.play(core.cell(4, 4))
    found = []
    for whole in (True, False):
        evaluator = OnnxEvaluator(onnx_file.load(network), "cpu", whole)
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


def test_only_renju_needs_two_tables_and_only_one_rule_is_kept(evaluator: OnnxEvaluator) -> None:
    evaluator.use_rule(core.RENJU)
    black = evaluator.black_table
    assert black.dtype == np.int16 and black.shape == (397488, evaluator.channels)
    assert not np.array_equal(black, evaluator.white_table)
    evaluator.use_rule(core.STANDARD)
    assert evaluator.black_table is evaluator.white_table is not black


def test_a_batch_answers_for_as_many_positions_as_were_filled_in(evaluator: OnnxEvaluator) -> None:
    boards = [board_of(cells, core.FREESTYLE, core.WHITE) for cells in random_boards(3, 9, 14)]
    evaluator.use_rule(core.FREESTYLE)
    batch = evaluator.batch(14, 9, 8)
    for board, target in zip(boards, batch.features, strict=False):
        write_line_features(board, evaluator.white_table, evaluator.scales, target)
    policy, value = batch.evaluate(3)
    for row, board in enumerate(boards):
        logits, shares = evaluator.evaluate(board)
        assert np.allclose(policy[row], logits, atol=1e-4) and np.allclose(value[row], shares, atol=1e-4)


def test_missing_damaged_and_foreign_files_are_one_clear_error(network: Path, tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match=r"none\.onnx is missing"):
        OnnxEvaluator.load(0, tmp_path / "none.onnx")
    copy = write_network(tmp_path / "copy.onnx")
    copy.write_bytes(copy.read_bytes()[:500])
    with pytest.raises(WeightsError, match=r"copy\.onnx is not a whole ONNX file"):
        OnnxEvaluator.load(0, copy)
    write_network(copy, format_="99")
    with pytest.raises(WeightsError, match="not a Renga network"):
        OnnxEvaluator.load(0, copy)


def fix_the_board(model: onnx.ModelProto) -> None:
    for axis in model.graph.input[0].type.tensor_type.shape.dim[2:]:
        axis.Clear()
        axis.dim_value = 15


def rename_the_input(model: onnx.ModelProto) -> None:
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            if name == "features":
                node.input[place] = "missing"


def flatten_only_columns(model: onnx.ModelProto) -> None:
    (flatten,) = (node for node in model.graph.node if "policy" in node.output)
    flatten.attribute[0].i = 3


def reshape_wrongly(model: onnx.ModelProto) -> None:
    """Fails only when it is run, which ONNX Runtime would also log."""
    renamed = next(node for node in model.graph.node if "policy" in node.output)
    renamed.output[list(renamed.output).index("policy")] = "moves"
    model.graph.initializer.append(numpy_helper.from_array(np.array([1, 7], np.int64), "seven"))
    model.graph.node.append(onnx.helper.make_node("Reshape", ["moves", "seven"], ["policy"]))


def drop_tensor(name: str) -> Callable[[onnx.ModelProto], None]:
    def change(model: onnx.ModelProto) -> None:
        kept = [entry for entry in model.graph.initializer if entry.name != name]
        del model.graph.initializer[:]
        model.graph.initializer.extend(kept)

    return change


@pytest.mark.parametrize(
    "change",
    [lambda model: model.graph.output.pop(1), flatten_only_columns, reshape_wrongly, rename_the_input,
     drop_tensor("line.scales"), drop_tensor("line.first.weight"), drop_tensor("trunk.policy.bias")],
    ids=["no value", "policy of rows", "policy of seven", "no features", "no scales", "no first layer", "no bias"],
)  # fmt: skip
def test_a_file_of_ours_in_an_odd_form_is_one_clear_error_and_nothing_else(
    tmp_path: Path, change: Callable[[onnx.ModelProto], object], capfd: pytest.CaptureFixture[str]
) -> None:
    path = write_network(tmp_path / "odd.onnx")
    model = onnx.load(str(path))
    metadata = {entry.key: entry.value for entry in model.metadata_props if entry.key != "sha256"}
    change(model)
    save(path, model, metadata)
    with pytest.raises(WeightsError, match=r"odd\.onnx"):
        OnnxEvaluator.load(0, path, provider="cpu")
    assert capfd.readouterr().err == ""


def test_a_whole_graph_for_one_size_is_refused(tmp_path: Path) -> None:
    path = write_network(tmp_path / "odd.onnx")
    model = onnx.load(str(path))
    fix_the_board(model)
    metadata = {entry.key: entry.value for entry in model.metadata_props if entry.key != "sha256"}
    save(path, model, metadata)
    evaluator = OnnxEvaluator(onnx_file.load(path), "cpu", whole=True)
    evaluator.use_rule(0)
    with pytest.raises(WeightsError, match=r"odd\.onnx cannot be used"):
        evaluator.evaluate(core.Board(9, 9, 0))


def test_a_table_that_finds_no_memory_is_one_clear_error(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(OnnxEvaluator, "_tabulate", full)
    with pytest.raises(WeightsError, match=r"tiny\.onnx cannot be used: MemoryError"):
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
        shipped.use_rule(rule)
        for height, width in SIZES:
            board = board_of(random_boards(1, height, width, seed=rule)[0], rule, core.WHITE)
            assert distance(shipped.evaluate(board), shipped.evaluate_whole(board)) < PARITY


def test_the_shipped_network_sees_a_five_and_where_to_stop_one() -> None:
    shipped = OnnxEvaluator.load(core.FREESTYLE, provider="cpu")
    for own in (1, 2):
        cells = np.zeros((15, 15), np.uint8)
        cells[7, 4:8] = own
        cells[7, 3] = 3 - own
        cells[(3, 4, 6, 11), (3, 11, 9, 5)] = 3 - own
        logits, shares = shipped.evaluate(board_of(cells, core.FREESTYLE, core.BLACK))
        legal = np.where(cells.ravel() == 0, logits, -np.inf)  # what it says of taken cells was never trained
        assert int(np.argmax(legal)) == 7 * 15 + 8
        if own == 1:
            assert shares[0] > 0.9
