"""training.loop: generations that survive a kill. Self-play and match are played by the test itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from networks import write_network

torch = pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")

from bench.stats import summarise  # noqa: E402
from training import loop  # noqa: E402
from training.games import GameError  # noqa: E402
from training.pit import Verdict  # noqa: E402
from training.recipe import GENERATION_RECIPE  # noqa: E402
from training.selfplay import Settings  # noqa: E402

torch.set_num_threads(1)

PLAN = loop.Plan(games=1, recipe=replace(GENERATION_RECIPE, steps=2, batch=8))
SETTINGS = Settings(network="", sizes=(9,), rules=(0,))


class Killed(BaseException):
    """The end of the process, as far as the loop can tell."""


SEEDS: list[int] = []
"""Of the self-play of each generation."""
LOSERS: set[str] = set()
"""Networks that lose their match."""


@pytest.fixture
def matches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """The pairs that met: every new network wins, unless its generation is one of LOSERS."""
    met: list[tuple[str, str]] = []
    LOSERS.clear()

    def play(settings: Settings, path: Path, *rest: object) -> int:
        SEEDS.append(settings.seed)
        path.parent.mkdir(exist_ok=True)
        moves = " ".join(f"{column}{row}" for row in range(1, 10, 2) for column in "abcdefghi"[row % 2 :: 2])
        path.write_text(f"freestyle 9 D {moves} # open=0 seed=0\n")
        return 1

    def match(new: str, old: str, *rest: object) -> Verdict:
        met.append((Path(new).name, Path(old).name))
        lost = Path(new).name in LOSERS
        return Verdict(summarise([(0.0, 0.0) if lost else (1.0, 1.0)]), not lost, "it was played")

    monkeypatch.setattr(loop, "selfplay", play)
    monkeypatch.setattr(loop, "pit_two", match)
    return met


def run(folder: Path, start: Path, generations: int) -> int:
    return loop.loop(folder, start, generations, SETTINGS, PLAN, lambda text: None)


def test_a_promoted_network_becomes_the_best(tmp_path: Path, matches: list[tuple[str, str]]) -> None:
    start, folder = write_network(tmp_path / "start.onnx"), tmp_path / "loop"
    assert run(folder, start, 1) == 1
    assert matches == [("new-1.onnx", "best.onnx")]
    assert loop.same_network(folder / "best.onnx", folder / "new-1.onnx")
    assert not loop.same_network(folder / "best.onnx", start)
    assert [entry["generation"] for entry in loop.history(folder)] == [1]
    assert run(folder, start, 1) == 1 and len(matches) == 1, "nothing is left to do"


def test_every_generation_throws_its_own_dice(tmp_path: Path, matches: list[tuple[str, str]]) -> None:
    SEEDS.clear()
    run(tmp_path / "loop", write_network(tmp_path / "start.onnx"), 3)
    assert len(set(SEEDS)) == 3


def test_a_promotion_cut_short_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = write_network(tmp_path / "start.onnx", seed=1), write_network(tmp_path / "new-1.onnx", seed=2)
    loop.install_best(tmp_path, old)
    (tmp_path / "history.jsonl").write_text('{"generation": 1, "promoted": true}\n')

    def killed(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:100])
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(loop.shutil, "copyfile", killed)
        loop.install_best(tmp_path, old)
    assert not loop.same_network(tmp_path / "best.onnx", new)
    loop.install_best(tmp_path, old)
    assert loop.same_network(tmp_path / "best.onnx", new)


def test_a_first_copy_cut_short_is_made_again(tmp_path: Path) -> None:
    start = write_network(tmp_path / "start.onnx")
    (tmp_path / "best.onnx.part").write_bytes(b"half of it")
    loop.install_best(tmp_path, start)
    assert loop.same_network(tmp_path / "best.onnx", start)


def test_a_damaged_history_is_named(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_text(json.dumps({"generation": 1, "promoted": True}) + '\n{"gener')
    with pytest.raises(GameError, match=r"history\.jsonl:2: damaged"):
        loop.history(tmp_path)
    (tmp_path / "history.jsonl").write_text("{}\n")
    with pytest.raises(GameError, match=r"history\.jsonl:1: damaged: 'generation'"):
        loop.history(tmp_path)


def test_a_network_that_loses_is_discarded(tmp_path: Path, matches: list[tuple[str, str]]) -> None:
    start, folder = write_network(tmp_path / "start.onnx"), tmp_path / "loop"
    LOSERS.add("new-2.onnx")
    assert run(folder, start, 2) == 1
    assert loop.same_network(folder / "best.onnx", folder / "new-1.onnx")
    assert [entry["promoted"] for entry in loop.history(folder)] == [True, False]
    assert run(folder, start, 3) == 2
    assert matches[2] == ("new-3.onnx", "best.onnx")
    assert loop.same_network(folder / "best.onnx", folder / "new-3.onnx")


def test_a_kill_before_the_match_repeats_neither_games_nor_learning(
    tmp_path: Path, matches: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    start, folder = write_network(tmp_path / "start.onnx"), tmp_path / "loop"

    def killed(*arguments: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(loop, "pit_two", killed)
        run(folder, start, 1)
    steps: list[int] = []
    one_step = loop.Trainer.one_step
    monkeypatch.setattr(loop.Trainer, "one_step", lambda self, *rest: steps.append(1) or one_step(self, *rest))
    assert run(folder, start, 1) == 1 and len(matches) == 1
    assert not steps, "the run was finished"


def test_generations_do_not_go_on_from_another_network_unnoticed(
    tmp_path: Path, matches: list[tuple[str, str]]
) -> None:
    run(tmp_path / "loop", write_network(tmp_path / "start.onnx"), 1)
    other = write_network(tmp_path / "other.onnx", seed=2)
    with pytest.raises(GameError, match=r"start\.txt: these generations began with network \w+, not with \w+ "):
        run(tmp_path / "loop", other, 2)
