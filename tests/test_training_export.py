"""training.export: one file, checked in every form in which it may play, and read back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")

import onnx  # noqa: E402
from torch_networks import RESIDUAL, SHAPE, line_network, network_of  # noqa: E402

from bench.own_players import make_own  # noqa: E402
from bench.players import Control  # noqa: E402
from brain.core_evaluator import CoreEvaluator  # noqa: E402
from brain.evaluator import Answer  # noqa: E402
from brain.onnx_evaluator import OnnxEvaluator  # noqa: E402
from brain.parity import distance, sample_boards  # noqa: E402
from brain.weights import FORMAT  # noqa: E402
from cython_core import CARO, FREESTYLE, RENJU, Board  # noqa: E402
from training.export import (  # noqa: E402
    ExportError,
    as_tensors,
    export,
    learned_rules,
    load_exported,
    network_id,
    verify,
)
from training.network import Shape, planes_of  # noqa: E402
from training.pit import Match, Pairing, play_pair  # noqa: E402

CORE_SHAPE = replace(SHAPE, hidden=16, channels=16, blocks="sep,pool")
"""One that the core runs."""


@pytest.mark.parametrize("shape", [SHAPE, RESIDUAL], ids=["line", "residual"])
def test_export_is_checked_against_pytorch_and_reads_back(tmp_path: Path, shape: Shape) -> None:
    network = network_of(shape)
    facts = {"rules": "freestyle caro"}
    path = export(network, tmp_path / "tiny.onnx", facts)  # export itself compares sizes and rules
    assert path == tmp_path / "tiny.onnx" and list(tmp_path.iterdir()) == [path]
    again, metadata = load_exported(path)
    assert network_id(again) == network_id(network) == metadata["network"]
    assert learned_rules(metadata) == [FREESTYLE, CARO] and learned_rules({}) == []
    axes = onnx.load(str(path)).graph.input[0].type.tensor_type.shape.dim
    assert [axis.dim_param for axis in axes][::2] == ["batch", "height"]


@torch.no_grad()
def test_the_engine_evaluates_by_a_residual_network_exactly(tmp_path: Path) -> None:
    network = network_of(RESIDUAL)
    path = export(network, tmp_path / "tiny.onnx", {})
    evaluator = OnnxEvaluator.load(RENJU, path, provider="cpu")
    for board in sample_boards(RENJU):
        policy, value = network(planes_of(*as_tensors(board)))
        win, draw, loss = value[0].softmax(0).tolist()
        assert distance(evaluator.evaluate(board), (policy[0].tolist(), (win, draw, loss))) < 1e-5


def test_a_residual_network_plays(tmp_path: Path) -> None:
    path = export(network_of(RESIDUAL), tmp_path / "tiny.onnx", {})
    match = Match(simulations=8, rules=(FREESTYLE,), sizes=(7,))
    assert len(play_pair(Pairing((str(path), ""), match, 1))) == 2
    player = make_own(f"renga:network={path}", 1)
    player.new_game(9, 9, RENJU, Control(turn_ms=60_000, nodes=40))
    x, y = player.choose([(4, 4), (3, 3), (4, 5)], 60_000)
    assert 0 <= x < 9 and 0 <= y < 9


def test_a_file_that_differs_from_pytorch_is_named_with_the_form_that_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = network_of(CORE_SHAPE)
    path = export(network, tmp_path / "tiny.onnx", {})
    verify(network, path)
    with pytest.raises(ExportError, match=r"tiny\.onnx: the whole graph differs from PyTorch by .*, rule 0, 15x15"):
        verify(network_of(CORE_SHAPE, seed=1), path)

    def wrong(self: object, board: Board) -> Answer:
        logits, (win, draw, loss) = evaluate(self, board)
        return logits, (win, draw + (0.1 if board.rule == RENJU and board.width == 20 else 0), loss)

    for kind, name in ((CoreEvaluator, "the core"), (OnnxEvaluator, "the graph on tables")):
        with monkeypatch.context() as patch:
            evaluate = kind.evaluate
            patch.setattr(kind, "evaluate", wrong)
            with pytest.raises(ExportError, match=rf"{name} differs from PyTorch by 0\.1, rule 4, 20x20"):
                verify(network, path)


def test_a_network_that_is_no_number_is_not_exported(tmp_path: Path) -> None:
    network = line_network()
    with torch.no_grad():
        network.trunk.policy.bias.fill_(float("nan"))
    with pytest.raises(ExportError, match=r"tiny\.onnx: not written, .* NaN or infinite: trunk\.policy\.bias"):
        export(network, tmp_path / "tiny.onnx", {})
    with pytest.raises(ExportError, match=r"net-0\.5: the name of a network ends with \.onnx"):
        export(line_network(), tmp_path / "net-0.5", {})
    assert not list(tmp_path.iterdir())


def tensor_of(model: onnx.ModelProto, name: str) -> onnx.TensorProto:
    return next(entry for entry in model.graph.initializer if entry.name == name)


def test_foreign_and_incomplete_exports_are_refused(tmp_path: Path) -> None:
    path = export(line_network(), tmp_path / "tiny.onnx", {})
    model = onnx.load(str(path))
    model.graph.initializer.remove(tensor_of(model, "line.first.bias"))
    onnx.save(model, str(path))
    with pytest.raises(ExportError, match=r"tiny\.onnx: weights missing"):
        load_exported(path)
    del model.metadata_props[:]
    onnx.save(model, str(path))
    with pytest.raises(ExportError, match="not a Renga network"):
        load_exported(path)
    onnx.helper.set_model_props(model, {"renga_format": FORMAT, "shape": "{}, what?"})
    onnx.save(model, str(path))
    with pytest.raises(ExportError, match=r"tiny\.onnx: its shape is not one of ours: \{\}, what\?"):
        load_exported(path)
    path = export(line_network(), tmp_path / "tiny.onnx", {})
    model = onnx.load(str(path))
    tensor_of(model, "line.first.bias").raw_data = b"half"
    onnx.save(model, str(path))
    with pytest.raises(ExportError, match=r"tiny\.onnx: damaged file"):
        load_exported(path)
    weight = tensor_of(model, "line.first.weight")
    weight.CopyFrom(onnx.numpy_helper.from_array(np.zeros((8, 27), np.float32), weight.name))
    onnx.save(model, str(path))
    with pytest.raises(ExportError, match=r"tiny\.onnx: damaged file"):
        load_exported(path)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(ExportError, match=r"tiny\.onnx: damaged file"):
        load_exported(path)


def test_an_export_that_fails_leaves_the_network_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = export(line_network(), tmp_path / "tiny.onnx", {})
    before = path.read_bytes()
    monkeypatch.setattr("training.export.PARITY", -1.0)
    with pytest.raises(ExportError, match="differs from PyTorch"):
        export(line_network(1), tmp_path / "tiny.onnx", {})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
