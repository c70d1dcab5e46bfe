"""training.network and learn: the two forms of the line part, and runs that go on after a kill."""

from __future__ import annotations

import contextlib
import re
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")

from torch_networks import RESIDUAL, SHAPE, line_network, network_of  # noqa: E402

from bench.machine import revision  # noqa: E402
from cython_core import RENJU  # noqa: E402
from cython_core.network.encoding import VARIANTS  # noqa: E402
from cython_core.network.trunk import runs  # noqa: E402
from training.__main__ import main  # noqa: E402
from training.blocks import KINDS  # noqa: E402
from training.dataset import Sampling, chosen_positions, open_set, pack  # noqa: E402
from training.export import (  # noqa: E402
    export,
    facts_of,
    learned_rules,
    load_exported,
    network_id,
)
from training.export import network_of as network_of_state  # noqa: E402
from training.files import WriteError  # noqa: E402
from training.games import RULES, move_text  # noqa: E402
from training.grow import GrowError, grown  # noqa: E402
from training.learn import CHECKPOINT, Inputs, LearnError, Trainer, load_checkpoint, validate  # noqa: E402
from training.network import (  # noqa: E402
    MODULES,
    LineNetwork,
    Shape,
    planes_of,
)
from training.recipe import Recipe  # noqa: E402
from training.windows import WindowLookup  # noqa: E402

RECIPE = Recipe(steps=6, batch=16, warm_up=2)
FULL_DISK = Path("/dev/full")


def random_boards(number: int, height: int, width: int) -> np.ndarray:
    rng = np.random.default_rng(height * width)
    return rng.choice([0, 1, 2], (number, height, width), p=[0.6, 0.2, 0.2]).astype(np.uint8)


def tensors_of(windows: tuple[list[np.ndarray], np.ndarray]) -> tuple[list[torch.Tensor], torch.Tensor]:
    parts, rows = windows
    return [torch.from_numpy(part) for part in parts], torch.from_numpy(rows)


@torch.no_grad()
def test_distinct_windows_give_the_convolutions_features() -> None:
    network, lookup = line_network(), WindowLookup()
    for height, width in ((5, 5), (15, 15), (7, 20)):
        boards = random_boards(VARIANTS, height, width)
        variants = np.arange(VARIANTS, dtype=np.uint8)
        found = network.from_windows(*tensors_of(lookup(boards, variants)))
        expected = network(planes_of(torch.from_numpy(boards), torch.from_numpy(variants)))
        for mine, theirs in zip(found, expected, strict=True):
            assert torch.allclose(mine, theirs, atol=1e-5)


def test_both_forms_have_the_same_gradients() -> None:
    lookup = WindowLookup()
    boards = random_boards(4, 9, 9)
    variants = np.array([0, 2, 3, 5], np.uint8)
    gradients = []
    for windows in (False, True):
        network = line_network()
        if windows:
            policy, value = network.from_windows(*tensors_of(lookup(boards, variants)))
        else:
            policy, value = network(planes_of(torch.from_numpy(boards), torch.from_numpy(variants)))
        (policy.square().mean() + value.square().mean()).backward()
        gradients.append([parameter.grad for parameter in network.parameters()])
    for one, other in zip(*gradients, strict=True):
        assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("shape", [SHAPE, RESIDUAL], ids=["line", "residual"])
@torch.no_grad()
def test_a_borrowed_variant_evaluates_like_its_source(shape: Shape) -> None:
    network = network_of(shape)
    boards = torch.from_numpy(random_boards(2, 9, 9)[[0, 0]])
    before = network(planes_of(boards, torch.tensor([1, 5])))[0]
    network.borrow_variant(source=1, target=5)
    after = network(planes_of(boards, torch.tensor([1, 5])))[0]
    assert not torch.allclose(before[0], before[1]) and torch.allclose(after[0], after[1])
    assert torch.allclose(before[0], after[0])


@pytest.mark.parametrize("shape", [SHAPE, RESIDUAL], ids=["line", "residual"])
def test_a_grown_network_answers_as_before_and_learns_with_all_of_it(shape: Shape) -> None:
    network = network_of(shape, seed=1)
    wider = grown(network, replace(shape, hidden=shape.hidden + 8, channels=24))
    planes = planes_of(torch.from_numpy(random_boards(VARIANTS, 9, 11)), torch.arange(VARIANTS))
    for ours, theirs in zip(wider(planes), network(planes), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)
    policy, value = wider(planes)
    (policy.square().sum() + value.square().sum()).backward()
    assert wider.trunk.policy.weight.grad[:, shape.channels :].abs().max() > 0
    if isinstance(wider, LineNetwork):
        assert wider.line.last.weight.grad[: shape.channels, shape.hidden :].abs().max() > 0


@pytest.mark.parametrize("shape", [SHAPE, RESIDUAL], ids=["line", "residual"])
def test_new_blocks_come_after_the_old_ones_add_almost_nothing_and_can_learn(shape: Shape) -> None:
    network = network_of(shape, seed=1)
    deeper = grown(network, replace(shape, blocks=f"{shape.blocks},pool,{shape.blocks.split(',')[0]}"))
    planes = planes_of(torch.from_numpy(random_boards(VARIANTS, 9, 11)), torch.arange(VARIANTS))
    for ours, theirs in zip(deeper(planes), network(planes), strict=True):
        assert torch.allclose(ours, theirs, atol=0.05) and not torch.equal(ours, theirs)
    policy, value = deeper(planes)
    (policy.square().sum() + value.square().sum()).backward()
    new = list(deeper.trunk.blocks)[len(network.trunk.blocks) :]
    for parameter in (parameter for block in new for parameter in block.parameters() if parameter.dim() > 1):
        assert parameter.grad.abs().max() > 0


def test_a_network_only_grows() -> None:
    network = line_network()
    assert grown(network, SHAPE) is network
    for other in ({"hidden": 4}, {"channels": 4}, {"blocks": "sep"}, {"blocks": f"{SHAPE.blocks}arable"},
                  {"kind": "residual"}, {"head": 16}):  # fmt: skip
        with pytest.raises(GrowError):
            grown(network, replace(SHAPE, **other))


CORE_SHAPE = replace(SHAPE, hidden=16, channels=16, blocks="sep,pool")
def random_games(number: int, *sizes: int) -> str:
    """Game lines on boards of these sizes in turn."""
    rng = np.random.default_rng(1)
    lines = []
    for game in range(number):
        size = sizes[game % len(sizes)]
        cells = rng.permutation([x + 32 * y for x in range(size) for y in range(size)])[:8]
        moves = " ".join(move_text(cell, size) for cell in cells)
        lines.append(f"standard {size} {rng.choice(['B', 'W', 'D'])} {moves} # open=0")
    return "\n".join(lines)


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    (tmp_path / "teacher_tiny.txt").write_text(random_games(60, 9))
    pack([tmp_path / "teacher_tiny.txt"], tmp_path / "data")
    return tmp_path / "data"


def test_held_out_games_of_several_sizes_are_validated_like_each_size_alone(tmp_path: Path) -> None:
    lines = random_games(600, 9, 14).splitlines()
    totals = []
    for chosen in (lines, lines[0::2], lines[1::2]):
        (tmp_path / "selfplay.txt").write_text("\n".join(chosen))
        pack([tmp_path / "selfplay.txt"], tmp_path / "set")
        data = open_set(tmp_path / "set")
        positions = len(chosen_positions(data, held_out=True)[0])
        totals.append(positions * validate(line_network(), data, Inputs(SHAPE))["selfplay.policy"])
    assert totals[0] == pytest.approx(totals[1] + totals[2]) and all(totals)


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
    assert "teacher_tiny.top1" in head
    pytest.importorskip("matplotlib", reason="matplotlib (extra `train`) is not installed")
    assert (tmp_path / "run" / "curves.png").read_bytes().startswith(b"\x89PNG")
    path = export(trainer.average, tmp_path / "run.onnx", {})
    network, _ = load_exported(path)
    second = Trainer(tmp_path / "second", open_set(data_folder), network.shape, RECIPE, Sampling())
    second.begin_with(network)
    assert network_id(second.network) == network_id(trainer.average)


@pytest.mark.parametrize("limits", [{"steps": 3}, {"steps": 0, "minutes": 0.002}, {"rate": 1e30}])
def test_a_run_leaves_no_thread_behind_however_it_ends(
    tmp_path: Path, data_folder: Path, limits: dict[str, float]
) -> None:
    before = set(threading.enumerate())
    trainer = Trainer(tmp_path, open_set(data_folder), SHAPE, replace(RECIPE, **limits), Sampling())
    with contextlib.suppress(LearnError):
        trainer.run(report=lambda text: None)
    assert trainer.step > 0 and set(threading.enumerate()) <= before


def test_a_run_that_diverges_stops_and_keeps_its_last_good_checkpoint(tmp_path: Path, data_folder: Path) -> None:
    trainer = Trainer(tmp_path, open_set(data_folder), SHAPE, replace(RECIPE, rate=1e30, warm_up=0), Sampling())
    trainer.save()
    with pytest.raises(LearnError, match=r"the gradient of step \d is nan: try a lower --rate"):
        trainer.run(save_every=1, report=lambda text: None)
    state = load_checkpoint(tmp_path / CHECKPOINT)
    assert all(value.isfinite().all() for value in state["network"].values())


def test_kept_checkpoints_are_exported_by_their_step(tmp_path: Path, data_folder: Path) -> None:
    run, out = f"--run={tmp_path / 'run'}", tmp_path / "out.onnx"
    learn = ["learn", f"--data={data_folder}", run, "--hidden=8", "--channels=8", "--blocks=sep", "--batch=16"]
    assert main([*learn, "--steps=5", "--keep-every=2"]) == 0
    assert sorted(path.name for path in (tmp_path / "run").glob("*.pt")) == [
        "checkpoint-2.pt", "checkpoint-4.pt", "checkpoint.pt"
    ]  # fmt: skip
    assert main(["export", run, f"--out={out}", f"--data={tmp_path}", "--step=4"]) == 0
    kept = load_checkpoint(tmp_path / "run" / "checkpoint-4.pt")
    assert kept["step"] == 4 and load_exported(out)[1]["network"] == network_id(network_of_state(kept))
    assert main(["export", run, f"--out={out}", "--step=3"]) == 1


@pytest.mark.parametrize("rules", [("freestyle",), ("freestyle", "caro-overline", "caro")])
def test_rules_that_were_learned_are_kept_and_others_borrowed(tmp_path: Path, rules: tuple[str, ...]) -> None:
    text = random_games(80 * len(rules), 9)
    for number, line in enumerate(lines := text.splitlines()):
        lines[number] = line.replace("standard", rules[number % len(rules)])
    (tmp_path / "some.txt").write_text("\n".join(lines))
    pack([tmp_path / "some.txt"], tmp_path / "data")
    state = trained(tmp_path / "run", tmp_path / "data").state()
    network = network_of_state(state)
    planes = network.line.first.weight.view(-1, 3, 3 + VARIANTS)
    for variant, nearest, rule in ((4, 0, "caro-overline"), (5, 1, "caro")):
        assert torch.equal(planes[:, :, 3 + variant], planes[:, :, 3 + nearest]) == (rule not in rules)
    path = export(network, tmp_path / "one.onnx", facts_of(state))
    # What is learned next from other games does not make it forget which rules it knows.
    second = Trainer(tmp_path, open_set(tmp_path / "data"), SHAPE, RECIPE, Sampling(), "one", [RENJU])
    assert learned_rules(load_exported(path)[1]) == sorted(RULES[name] for name in rules)
    assert set(second.rules) == {RENJU, *(RULES[name] for name in rules)}


@pytest.mark.parametrize("kind", ["line", "residual"])
def test_both_kinds_go_from_games_to_a_measured_network(
    tmp_path: Path, data_folder: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    run, network = f"--run={tmp_path / 'run'}", tmp_path / "out" / "tiny.onnx"
    small = ("--hidden=8", "--channels=8", "--blocks=res,pool", "--steps=2", "--batch=16")
    assert main(["learn", f"--data={data_folder}", run, f"--kind={kind}", *small]) == 0
    assert main(["export", run, f"--out={network}", f"--data={tmp_path}"]) == 0
    assert network.with_suffix(".md").read_text().startswith(f"# tiny: a {kind} network")
    again = ("--from", str(network), f"--run={tmp_path / 'again'}")
    assert main(["learn", f"--data={data_folder}", *again, "--steps=1", "--batch=16", "--channels=16"]) == 0
    assert load_checkpoint(tmp_path / "again" / CHECKPOINT)["shape"]["channels"] == 16
    capsys.readouterr()
    assert main(["evaluate", "--all", str(tmp_path / "teacher_tiny.txt"), f"--network={network}"]) == 0
    printed = re.sub(r" \d+(\.\d+)?( %)?$", "", capsys.readouterr().out, flags=re.MULTILINE).splitlines()
    assert printed[1:] == ["positions", "top-1", "top-5", "policy cross-entropy", "value cross-entropy"]


def test_damaged_checkpoints_are_named(tmp_path: Path, data_folder: Path) -> None:
    trainer = trained(tmp_path / "run", data_folder)
    path = tmp_path / "run" / CHECKPOINT
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(LearnError, match=CHECKPOINT):
        trainer.resume()
    torch.save({"format": 77}, path)
    path.write_bytes(path.read_bytes().replace(b"\x80\x02}q\x00", b"\x80\x02h\x09."))  # asks for what was never stored
    with pytest.raises(LearnError, match=f"{CHECKPOINT}: damaged"):
        load_checkpoint(path)
    with pytest.raises(LearnError, match=f"{CHECKPOINT}: no checkpoint"):
        load_checkpoint(tmp_path / "nowhere" / CHECKPOINT)
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


def test_a_run_is_not_resumed_with_other_positions_unnoticed(tmp_path: Path, data_folder: Path) -> None:
    trained(tmp_path / "run", data_folder)
    games = tmp_path / "teacher_tiny.txt"
    games.write_text(games.read_text().replace(" B ", " W "))  # as many games and moves as before
    pack([games], tmp_path / "other")
    same, other = open_set(data_folder), open_set(tmp_path / "other")
    for data, sampling, reason in ((same, Sampling(later=0.0), "sampling"), (other, Sampling(), "data")):
        with pytest.raises(LearnError, match=f"{CHECKPOINT}: the checkpoint has other {reason}: "):
            Trainer(tmp_path / "run", data, SHAPE, RECIPE, sampling).resume()


def test_a_run_is_not_resumed_from_another_start_unnoticed(tmp_path: Path, data_folder: Path) -> None:
    def trainer(start: str) -> Trainer:
        return Trainer(tmp_path, open_set(data_folder), SHAPE, RECIPE, Sampling(), start)

    trainer("one").save()
    assert trainer("one").resume()
    for start, asked in (("two", "network two"), ("", "random weights")):
        with pytest.raises(LearnError, match=f"{CHECKPOINT}: the checkpoint began with network one, not with {asked}"):
            trainer(start).resume()


def test_learn_refuses_another_start_and_another_shape_than_its(
    tmp_path: Path, data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    networks = [line_network(seed) for seed in (1, 2)]
    files = [export(network, tmp_path / f"{seed}.onnx", {}) for seed, network in enumerate(networks)]
    command = ["learn", f"--data={data_folder}", f"--run={tmp_path / 'run'}", "--steps=1", "--batch=16", "--from"]
    assert main([*command, str(files[0])]) == main([*command, str(files[0])]) == 0
    assert main([*command, str(files[1])]) == 1
    one, two = map(network_id, networks)
    assert f"the checkpoint began with network {one}, not with network {two}" in capsys.readouterr().err
    refusals = {
        "--kind=line": "--kind does not go with --from",
        "--blocks=sep": "the checkpoint has another network",
        "--blocks=pool": "the checkpoint has another network",
    }
    for option, message in refusals.items():
        assert main([*command, str(files[0]), option]) == 1
        assert message in capsys.readouterr().err
    command[2] = f"--run={tmp_path / 'other'}"
    assert main([*command, str(files[0]), "--blocks=pool"]) == 1
    assert "new blocks come after the old ones" in capsys.readouterr().err


def test_the_card_tells_what_the_checkpoint_knows_and_the_notes_say(tmp_path: Path, data_folder: Path) -> None:
    trained(tmp_path / "run", data_folder)
    out, notes = tmp_path / "out" / "tiny.onnx", tmp_path / "notes.md"
    command = ["export", f"--run={tmp_path / 'run'}", f"--out={out}", f"--data={tmp_path}"]
    assert main(command) == 0
    card = out.with_suffix(".md").read_text()
    borrowed = "caro-overline borrows from freestyle; caro borrows from standard"
    assert f"| data | teacher_tiny; {borrowed} |\n| start | random weights |\n" in card
    assert f"| git revision of the training code | {revision()} |\n" in card
    notes.write_bytes(b"\xff")
    assert main([*command, f"--notes={notes}"]) == 1, "no text"
    assert "| strength | not measured |\n\n## Accuracy" in card and card.endswith("|---|---|---|---|---|---|\n")
    notes.write_text("| data | by hand |\n| strength | 5 : 3 |\n\n## Choice\n\nBecause.\n")
    assert main([*command, f"--notes={notes}"]) == 0
    card = out.with_suffix(".md").read_text()
    assert "| data | by hand |\n| strength | 5 : 3 |\n\n## Accuracy" in card and card.count("| data |") == 1
    assert "not measured" not in card and card.endswith("---|\n\n## Choice\n\nBecause.\n")


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


def test_every_kind_of_block_has_a_module_and_the_core_runs_some_of_them() -> None:
    assert set(MODULES) == set(KINDS)
    assert [name for name in KINDS if runs(name, 16, 16)] == ["sep", "pool"]
