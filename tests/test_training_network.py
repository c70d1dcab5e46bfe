"""training.network, export and learn: the two forms of the line part, exports, and runs that go on after a kill."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")

import onnx  # noqa: E402

from brain.evaluator import FORMAT, VARIANT_COUNT, window_indices  # noqa: E402
from training.dataset import Sampling, open_set, pack  # noqa: E402
from training.export import ExportError, export, load_exported, network_id  # noqa: E402
from training.files import WriteError  # noqa: E402
from training.games import move_text  # noqa: E402
from training.learn import CHECKPOINT, LearnError, Trainer, load_checkpoint  # noqa: E402
from training.network import LineNetwork, Shape, WindowLookup, build, planes_of  # noqa: E402
from training.recipe import Recipe  # noqa: E402

# A test's networks are so small that a second thread only waits.
torch.set_num_threads(1)

SHAPE = Shape(hidden=8, channels=8, blocks="sep,pool,conv,res", head=8)
RECIPE = Recipe(steps=6, batch=16, warm_up=2)
FULL_DISK = Path("/dev/full")


def line_network(seed: int = 0) -> LineNetwork:
    torch.manual_seed(seed)
    return LineNetwork(SHAPE).eval()


def random_boards(number: int, height: int, width: int) -> np.ndarray:
    rng = np.random.default_rng(height * width)
    return rng.choice([0, 1, 2], (number, height, width), p=[0.6, 0.2, 0.2]).astype(np.uint8)


@torch.no_grad()
def test_distinct_windows_give_the_convolutions_features() -> None:
    network, lookup = line_network(), WindowLookup()
    for height, width in ((5, 5), (15, 15), (7, 20)):
        boards = random_boards(VARIANT_COUNT, height, width)
        variants = torch.arange(VARIANT_COUNT)
        parts, rows = lookup(torch.from_numpy(window_indices(boards)), variants)
        found = network.from_windows(parts, rows)
        expected = network(planes_of(torch.from_numpy(boards), variants))
        for mine, theirs in zip(found, expected, strict=True):
            assert torch.allclose(mine, theirs, atol=1e-5)


def test_both_forms_have_the_same_gradients() -> None:
    lookup = WindowLookup()
    boards = random_boards(4, 9, 9)
    variants = torch.tensor([0, 2, 3, 5])
    gradients = []
    for windows in (False, True):
        network = line_network()
        if windows:
            policy, value = network.from_windows(*lookup(torch.from_numpy(window_indices(boards)), variants))
        else:
            policy, value = network(planes_of(torch.from_numpy(boards), variants))
        (policy.square().mean() + value.square().mean()).backward()
        gradients.append([parameter.grad for parameter in network.parameters()])
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


@torch.no_grad()
def test_a_borrowed_variant_judges_like_its_source() -> None:
    network = line_network()
    boards = torch.from_numpy(random_boards(2, 9, 9)[[0, 0]])
    before = network(planes_of(boards, torch.tensor([1, 5])))[0]
    network.line.borrow_variant(source=1, target=5)
    after = network(planes_of(boards, torch.tensor([1, 5])))[0]
    assert not torch.allclose(before[0], before[1]) and torch.allclose(after[0], after[1])
    assert torch.allclose(before[0], after[0])


def test_the_residual_network_has_the_same_answers_shape() -> None:
    network = build(replace(SHAPE, kind="residual", blocks="res,res"))
    policy, value = network(planes_of(torch.from_numpy(random_boards(3, 8, 11)), torch.tensor([0, 1, 2])))
    assert policy.shape == (3, 88) and value.shape == (3, 3)


def test_export_is_checked_against_pytorch_and_reads_back(tmp_path: Path) -> None:
    network = line_network()
    paths = export(network, tmp_path / "tiny.onnx", {"steps": 1})  # export itself compares sizes and variants
    assert [path.name for path in paths] == ["tiny.onnx", "tiny-line.onnx", "tiny-trunk.onnx"]
    again, metadata = load_exported(paths[0])
    assert network_id(again) == network_id(network) == metadata["network"]
    for path in paths:
        axes = onnx.load(str(path)).graph.input[0].type.tensor_type.shape.dim
        assert path.name == "tiny-line.onnx" or [axis.dim_param for axis in axes][::2] == ["batch", "height"]


def test_foreign_and_incomplete_exports_are_refused(tmp_path: Path) -> None:
    (path, *_) = export(line_network(), tmp_path / "tiny.onnx", {})
    model = onnx.load(str(path))
    del model.graph.initializer[0]
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
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(ExportError, match=r"tiny\.onnx: damaged file"):
        load_exported(path)


def test_an_export_that_fails_leaves_the_network_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = export(line_network(), tmp_path / "tiny.onnx", {})
    before = [path.read_bytes() for path in paths]
    monkeypatch.setattr("training.export.TOLERANCE", 0.0)
    with pytest.raises(ExportError, match="differs from PyTorch"):
        export(line_network(1), tmp_path / "tiny.onnx", {})
    assert [path.read_bytes() for path in paths] == before
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in paths)


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    lines = []
    for _ in range(60):
        cells = rng.permutation([x + 32 * y for x in range(9) for y in range(9)])[:8]
        lines.append(f"standard 9 {rng.choice(['B', 'W', 'D'])} {' '.join(map(move_text, cells))} # open=0")
    (tmp_path / "teacher_tiny.txt").write_text("\n".join(lines))
    pack([tmp_path / "teacher_tiny.txt"], tmp_path / "data")
    return tmp_path / "data"


def trained(folder: Path, data: Path, *stops: int) -> Trainer:
    """A run to the end, killed and taken up again after each of the given steps."""
    folder.mkdir(exist_ok=True)
    for steps in (*stops, RECIPE.steps):
        trainer = Trainer(folder, open_set(data), SHAPE, RECIPE, Sampling())
        trainer.resume()
        trainer.run(save_every=1, check_every=2, report=lambda text: None, stop_at=steps)
    return trainer


def test_a_killed_run_ends_exactly_like_an_undisturbed_one(tmp_path: Path, data_folder: Path) -> None:
    whole = trained(tmp_path / "whole", data_folder).state()
    pieces = trained(tmp_path / "pieces", data_folder, 1, 4).state()
    for part in ("network", "average"):
        assert all(torch.equal(whole[part][name], pieces[part][name]) for name in whole[part])
    for number, moments in whole["optimiser"]["state"].items():
        assert all(torch.equal(moments[key], pieces["optimiser"]["state"][number][key]) for key in moments)
    assert [row["step"] for row in pieces["curve"]] == [2, 4, 6]


def test_a_run_leaves_curves_and_learns_from_an_export(tmp_path: Path, data_folder: Path) -> None:
    trainer = trained(tmp_path / "run", data_folder)
    head = (tmp_path / "run" / "curves.csv").read_text().splitlines()[0].split(",")
    assert {"policy", "value", "top1", "top5", "entropy", "value_error", "game_length"} <= set(head)
    (path, *_) = export(trainer.average, tmp_path / "run.onnx", {})
    network, _ = load_exported(path)
    second = Trainer(tmp_path / "second", open_set(data_folder), network.shape, RECIPE, Sampling())
    second.begin_with(network)
    assert network_id(second.network) == network_id(trainer.average)


def test_damaged_checkpoints_are_named(tmp_path: Path, data_folder: Path) -> None:
    trainer = trained(tmp_path / "run", data_folder)
    path = tmp_path / "run" / CHECKPOINT
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(LearnError, match=CHECKPOINT):
        trainer.resume()
    torch.save({"format": 77}, path)
    with pytest.raises(LearnError, match="not a checkpoint of this version"):
        load_checkpoint(path)
    trainer.save()
    for shape, recipe, reason in (
        (replace(SHAPE, head=16), RECIPE, "another network"),
        (SHAPE, replace(RECIPE, batch=8), "another recipe"),
    ):
        other = Trainer(tmp_path / "run", open_set(data_folder), shape, recipe, Sampling())
        with pytest.raises(LearnError, match=f"{CHECKPOINT}: .*{reason}"):
            other.resume()
    longer = Trainer(tmp_path / "run", open_set(data_folder), SHAPE, replace(RECIPE, steps=9), Sampling())
    assert longer.resume() and longer.step == RECIPE.steps


def test_a_set_smaller_than_a_batch_is_refused(tmp_path: Path, data_folder: Path) -> None:
    trainer = Trainer(tmp_path, open_set(data_folder), SHAPE, replace(RECIPE, batch=4096), Sampling())
    with pytest.raises(LearnError, match="4096 training positions"):
        trainer.run(report=lambda text: None)


@pytest.mark.skipif(not FULL_DISK.exists(), reason="no /dev/full here")
def test_a_full_disk_is_named_and_keeps_the_checkpoint_before(tmp_path: Path, data_folder: Path) -> None:
    trainer = trained(tmp_path / "run", data_folder)
    path = tmp_path / "run" / CHECKPOINT
    before = path.read_bytes()
    path.with_name(path.name + ".part").symlink_to(FULL_DISK)
    with pytest.raises(WriteError, match=rf"{CHECKPOINT}: cannot be written"):
        trainer.save()
    assert path.read_bytes() == before
