"""training.loop: networks made one after the other, whatever is killed. Games and matches are the test's own."""

from __future__ import annotations

import shutil
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from networks import write_network

torch = pytest.importorskip("torch", reason="PyTorch (extra `train`) is not installed")

from bench.stats import summarise  # noqa: E402
from brain.weights import WeightsError  # noqa: E402
from training import history, loop  # noqa: E402
from training.cycles import Plan  # noqa: E402
from training.files import WriteError  # noqa: E402
from training.games import GameError  # noqa: E402
from training.pit import Match, Verdict  # noqa: E402
from training.recipe import LOOP_RECIPE  # noqa: E402
from training.selfplay import Settings, finished_games  # noqa: E402
from training.status import status_lines  # noqa: E402
from training.window import segments  # noqa: E402

torch.set_num_threads(1)

MOVES = " ".join(f"{column}{row}" for row in range(1, 10, 2) for column in "abcdefghi"[row % 2 :: 2])
PLAN = Plan(fresh=2, recipe=replace(LOOP_RECIPE, steps=2, batch=8), measure=Match(games=2))
SETTINGS = Settings(network="", sizes=(9,), rules=(0,))


class Killed(BaseException):
    """The end of the process, as far as the loop can tell."""


class World:
    """What the loop meets: games without end, and matches that every new network wins but the losers."""

    def __init__(self, folder: Path) -> None:
        self.start, self.folder = write_network(folder / "start.onnx"), folder / "loop"
        self.past = self.folder / "history"
        self.players: list[str] = []
        """Networks of the games, by id."""
        self.met: list[tuple[str, str]] = []
        self.losers: set[str] = set()
        self.full_after = 1 << 30
        self.killed_in_match = False

    def played(self, tasks: Iterable[tuple[Settings, int]], processes: int, ray: str) -> Generator[str]:
        for count, (settings, number) in enumerate(tasks):
            if count >= self.full_after:
                raise WriteError("games: no space left")
            self.players.append(Path(settings.network).stem)
            time.sleep(0.15)
            yield f"freestyle 9 D {MOVES} # open=0 seed={number} overruled=1/4"

    def pit(self, new: str, old: str, *rest: object) -> Verdict:
        if self.killed_in_match:
            raise Killed
        self.met.append((Path(new).stem, Path(old).stem))
        lost = Path(new).stem in self.losers
        return Verdict(summarise([(0.0, 0.0) if lost else (1.0, 0.5)]), not lost, "it was played")

    def run(self, networks: int, plan: Plan = PLAN, start: Path | None = None) -> str:
        plan = replace(plan, networks=networks)
        return loop.loop(self.folder, self.past, start or self.start, SETTINGS, plan, lambda text: None)

    def names(self) -> list[str]:
        return [entry.network for entry in history.read(self.past)]

    def games(self) -> int:
        return sum(len(finished_games(path)) for path in segments(self.folder))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    made = World(tmp_path)
    monkeypatch.setattr("training.gatherer.played", made.played)
    monkeypatch.setattr(loop, "pit_two", made.pit)
    monkeypatch.setattr("training.export.verify", lambda network, path: None)  # has tests of its own, and takes seconds
    yield made


def test_each_network_plays_the_games_of_the_next(world: World) -> None:
    last = world.run(2)
    names = world.names()
    assert len(set(names)) == 3 and names[0] == "1" and names[-1] == last
    assert all((world.folder / "networks" / f"{name}.onnx").exists() for name in names)
    assert world.players[0] == "1" and list(dict.fromkeys(world.players)) == names[: len(set(world.players))]
    assert [pair[1] for pair in world.met] == ["1", "1"], "measured against the first"
    entries = history.read(world.past)
    assert entries[2].elo["1"][1] > 0 and entries[2].elo["1"][3] == 2
    assert entries[1].games >= 2 and entries[2].games >= entries[1].games + 2
    assert entries[2].window >= entries[2].games, "the window holds the games of both"
    assert entries[2].play["all"]["draws"] == 1 and entries[2].play["freestyle"]["overruled"] == 0.25
    assert entries[2].fresh["policy"] > 0 and entries[2].fresh["value"] > 0
    assert not list(world.folder.glob("learner-*"))
    assert world.run(2) == last and len(world.met) == 2, "nothing is left to do"
    text = "\n".join(status_lines(world.folder, world.past))
    assert text.startswith(f"network 2 ({last}) plays; 2 made in 0.0 hours from {entries[2].games} games")
    assert "Elo against 1" in text and "freestyle: " in text and "ago: network 2: " in text


def test_a_kill_before_the_match_repeats_neither_games_nor_learning(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.killed_in_match = True
    with pytest.raises(Killed):
        world.run(1)
    assert world.names() == ["1"]
    games = world.games()
    world.killed_in_match = False
    steps: list[int] = []
    one_step = loop.Trainer.one_step
    monkeypatch.setattr(loop.Trainer, "one_step", lambda self, *rest: steps.append(1) or one_step(self, *rest))
    world.run(1)
    assert not steps, "its learning was finished"
    assert len(world.names()) == 2 and world.games() >= games


def test_a_kill_while_learning_goes_on_with_the_same_window(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    one_step = loop.Trainer.one_step

    def killed(self: loop.Trainer, *rest: object) -> object:
        if self.step == 1:
            raise Killed
        return one_step(self, *rest)

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(loop.Trainer, "one_step", killed)
        world.run(1)
    window = loop.last_cycle(world.folder)
    assert window is not None and window.segments
    world.run(1)
    assert loop.last_cycle(world.folder) == window and len(world.names()) == 2


def test_without_its_games_a_loop_goes_on_from_a_network_alone(world: World, tmp_path: Path) -> None:
    world.run(1)
    for name in ("games", "packed"):
        shutil.rmtree(world.folder / name)
    newest = world.run(2)
    assert history.read(world.past)[2].window < 2 * PLAN.fresh + 200 and len(set(world.names())) == 3
    # Nothing but a network and the history.
    kept = tmp_path / "kept.onnx"
    shutil.copyfile(world.folder / "networks" / f"{newest}.onnx", kept)
    shutil.copytree(world.past, tmp_path / "past")
    shutil.rmtree(world.folder)
    world.past = tmp_path / "past"
    world.players.clear()
    world.run(3, start=kept)
    assert world.players[0] == newest and len(world.names()) == 4


def test_a_network_that_loses_the_gate_does_not_play_and_is_learned_on_from(world: World) -> None:
    gated = replace(PLAN, gate=Match(games=2), measure=Match(games=0))
    world.run(1, gated)
    first = world.names()[1]
    world.losers = {"any"}
    world.pit = lambda new, old, *rest: Verdict(summarise([(0.0, 0.0)]), False, "lost")  # type: ignore[method-assign]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "pit_two", world.pit)
        assert world.run(2, gated) == first
    entry = history.read(world.past)[2]
    assert not entry.playing and entry.gate is not None and entry.gate[1] == -loop.LARGEST_ELO
    world.players.clear()
    third = replace(gated, gate=None)
    world.run(3, third)
    assert world.players[0] == first
    cycle = loop.last_cycle(world.folder)
    assert cycle is not None and cycle.start == entry.network


def test_a_full_disk_ends_the_loop(world: World) -> None:
    world.full_after = 1
    with pytest.raises(WriteError, match="no space left"):
        world.run(1)
    assert world.games() == 1


def test_a_network_of_another_loop_is_refused(world: World, tmp_path: Path) -> None:
    world.run(1)
    other = write_network(tmp_path / "other.onnx", seed=2)
    with pytest.raises(WeightsError, match=r"gone\.onnx is missing"):
        world.run(2, replace(PLAN, opponents=("gone.onnx",)))
    with pytest.raises(GameError, match=r"history\.jsonl: network 2 \(.*\) is not of this loop, which began with 1; "):
        world.run(2, start=other)


def test_what_is_damaged_is_named(world: World) -> None:
    world.run(1)
    (world.folder / "cycle.json").write_text('{"number": 1}')
    with pytest.raises(GameError, match=r"cycle\.json: damaged: "):
        world.run(2)
    (world.folder / "cycle.json").unlink()
    segment = segments(world.folder)[-1]
    shutil.rmtree(world.folder / "packed")
    segment.write_text(segment.read_text().replace(" b1 ", " b0 ", 1))
    with pytest.raises(GameError, match=rf"{segment.name}:\d+: "):
        world.run(2)
