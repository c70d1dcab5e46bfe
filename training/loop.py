"""The loop that goes on learning: self-play in other processes, and here one network after the other.

A network learns from a window of the newest games while the next games are played. State is files in one folder, and
each is whole at any moment, so a killed loop takes up what it was at:

    networks/ID.onnx                  every network it made, and the one it began with
    games/, packed/                   all games so far (training/window.py)
    records/                          packed game records
    cycle.json                        the network being made (training/cycles.py)
    learner-NUMBER/                   its learning, with the checkpoint
    hours.txt, now.txt                the time the loop has run; its newest line of progress
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bench.stats import Summary
from brain import onnx_file
from brain.weights import find
from training import history
from training.cycles import Cycle, Plan, keep, last_cycle
from training.dataset import DataSet
from training.export import export, facts_of, learned_rules, load_exported, network_of
from training.files import alone_with, replacing
from training.games import GameError
from training.gatherer import Gatherer
from training.learn import CHECKPOINT, Inputs, Trainer, load_checkpoint, validate
from training.pit import pit_two
from training.selfplay import Settings
from training.window import joined, mend, newest, packed, records, segments, tallies, with_share

Report = Callable[[str], None]
NO_NETWORK = "-"
LARGEST_ELO = 1200.0
"""What a history says where a score of 0 or 1 gives no number."""
CHECK_EVERY, SAVE_EVERY = 100_000, 500
"""Steps. A run that learns from the newest games has little use for held-out ones: only its end is checked."""
PATIENCE = 10.0
"""Seconds between reports while there is nothing to learn from."""


def network_name(path: Path) -> str:
    """The id of an exported network, by its file."""
    return onnx_file.read(find(path)).metadata.get("network", "")


def elo_of(summary: Summary) -> history.Elo:
    low, best, high = (round(max(-LARGEST_ELO, min(LARGEST_ELO, elo)), 1) + 0.0 for elo in summary.elo_interval())
    return low, best, high, summary.games


class Loop:
    """One folder and its history; nobody else may write there."""

    def __init__(self, folder: Path, past: Path, plan: Plan, report: Report) -> None:
        self.folder, self.past, self.plan = folder, past, plan
        self._report, self._ticked = report, time.monotonic()
        self._gatherer: Gatherer | None = None

    def run(self, start: Path, settings: Settings) -> str:
        """Goes on to the plan's number of networks; returns the id of the one that plays then."""
        self._begin(start)
        mend(self.folder)
        self._opponents()  # one that cannot be read is refused before anything is played
        playing = self.file_of(self._playing())
        settings = replace(settings, network=str(playing))
        with Gatherer(self.folder, settings, self.plan.processes, self.plan.ray) as games:
            self._gatherer = games
            while not self.plan.networks or len(history.read(self.past)) <= self.plan.networks:
                self.one_network(games)
        games.check()
        return self._playing()

    def one_network(self, games: Gatherer) -> None:
        cycle = self._unfinished() or self._next_cycle(games)
        data = joined([*(packed(self.segment(name)) for name in cycle.segments), *self._records()])
        new = self._learn(cycle, data)
        self._measure(cycle, new, games)
        shutil.rmtree(self._learner(cycle), ignore_errors=True)

    def file_of(self, network: str) -> Path:
        return self.folder / "networks" / f"{network}.onnx"

    def segment(self, name: str) -> Path:
        return self.folder / "games" / name

    def say(self, text: str) -> None:
        """Reports a line, and ends the loop when its games have ended."""
        if self._gatherer is not None:
            self._gatherer.check()
        self._tick()
        with replacing(self.folder / "now.txt") as part:
            part.write_text(f"{text}\n")
        self._report(text)

    def hours(self) -> float:
        """That the loop has run, a minute of each run left out at most."""
        try:
            return float((self.folder / "hours.txt").read_text())
        except (OSError, ValueError):
            return max((entry.hours for entry in history.read(self.past)), default=0.0)

    def _tick(self, every: float = 60.0) -> None:
        now = time.monotonic()
        if now - self._ticked >= every:
            hours = self.hours() + (now - self._ticked) / 3600
            self._ticked = now
            with replacing(self.folder / "hours.txt") as part:
                part.write_text(f"{hours:.6f}\n")

    def _begin(self, start: Path) -> None:
        """Takes the history up, or begins one with `start`; a network of another history is refused."""
        mine = network_name(start)
        if not mine:
            raise GameError(f"{start}: a network without a name of its own; export it again")
        entries = history.read(self.past)
        if entries and mine not in {entry.network for entry in entries}:
            raise GameError(f"{self.past / history.NAME}: network {mine} ({start}) is not of this loop, which began "
                            f"with {entries[0].network}; name that one with --start, or another --folder")  # fmt: skip
        if not self.file_of(mine).exists():
            self.file_of(mine).parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.file_of(mine)) as part:
                shutil.copyfile(find(start), part)
        if not entries:
            history.add(self.past, history.Entry(0, mine, time=now()))

    def _playing(self) -> str:
        """The newest network that took self-play over and whose file is there."""
        there = [entry.network for entry in history.read(self.past)
                 if entry.playing and self.file_of(entry.network).exists()]  # fmt: skip
        if not there:
            raise GameError(f"{self.folder / 'networks'}: none of the networks that played is there; name one of "
                            f"{self.past / history.NAME} with --start")  # fmt: skip
        return there[-1]

    def _opponents(self) -> dict[str, str]:
        """The networks to measure against, id -> file: those of the plan, or the oldest of the loop that is there."""
        if not self.plan.measure.games:
            return {}
        there = (self.file_of(entry.network) for entry in history.read(self.past))
        files = self.plan.opponents or [next(str(file) for file in there if file.exists())]
        return {NO_NETWORK if file == NO_NETWORK else network_name(Path(file)): "" if file == NO_NETWORK else file
                for file in files}  # fmt: skip

    def _newest(self) -> str:
        """The network to learn on from, whether it plays or not: what it has learned is not thrown away."""
        newest_one = history.read(self.past)[-1].network
        return newest_one if self.file_of(newest_one).exists() else self._playing()

    def _unfinished(self) -> Cycle | None:
        """The cycle that a kill has interrupted, if all it needs is still there."""
        cycle = last_cycle(self.folder)
        if cycle is None or cycle.number != len(history.read(self.past)) or not self.file_of(cycle.start).exists():
            return None
        return cycle if all(self.segment(name).exists() for name in cycle.segments) else None

    def _next_cycle(self, games: Gatherer) -> Cycle:
        """Waits for games that no network has learned from, and makes them and those before them the window."""
        before = last_cycle(self.folder)
        seen = max((name for name in before.segments if self.segment(name).exists()), default="") if before else ""

        def unseen() -> list[Path]:
            return [path for path in segments(self.folder) if path.name > seen and path != games.path]

        waiting = sum(len(packed(path).games) for path in unseen())
        while not games.wait_for(self.plan.fresh - waiting, PATIENCE):
            self.say(f"waiting for games: {waiting + games.games} of {self.plan.fresh}")
        games.check()
        games.rotate()
        window = newest([path for path in segments(self.folder) if path != games.path], self.plan.window)
        number = len(history.read(self.past))
        fresh = [path.name for path in unseen()]
        cycle = Cycle(number, self._newest(), [path.name for path in window], fresh)
        shutil.rmtree(self._learner(cycle), ignore_errors=True)
        keep(self.folder, cycle)
        return cycle

    def _records(self) -> list[DataSet]:
        paths = self.plan.records
        return [records(paths, self.folder / "records")] if paths and self.plan.records_share > 0 else []

    def _learner(self, cycle: Cycle) -> Path:
        return self.folder / f"learner-{cycle.number}"

    def _learn(self, cycle: Cycle, data: DataSet) -> str:
        """The network of a cycle, exported; its id."""
        start, metadata = load_exported(self.file_of(cycle.start))
        run = self._learner(cycle)
        run.mkdir(exist_ok=True)
        share = self.plan.records_share if self.plan.records else 0.0
        moves = sum(len(packed(self.segment(name)).moves) for name in cycle.segments)
        steps = max(1, int(self.plan.passes * moves / (1 - share) / self.plan.recipe.batch))
        recipe = self.plan.recipe
        recipe = replace(recipe, steps=min(steps, recipe.steps or steps), seed=recipe.seed + cycle.number)
        trainer = Trainer(run, data, start.shape, recipe, with_share(data, share), cycle.start, learned_rules(metadata))
        if not trainer.resume():
            trainer.begin_with(start)
        self.say(f"network {cycle.number}: learning from {len(data.games)} games")
        trainer.run(SAVE_EVERY, CHECK_EVERY, self.say)
        state = load_checkpoint(run / CHECKPOINT)
        network = network_of(state)
        staged = run / "new.onnx"
        export(network, staged, facts_of(state, number=cycle.number))
        new = network_name(staged)
        with replacing(self.file_of(new)) as part:
            shutil.copyfile(staged, part)
        return new

    def _measure(self, cycle: Cycle, new: str, games: Gatherer) -> None:
        """Matches, losses on games it has not seen, and its line in the history; it plays from now on if it may."""
        old, gate = self._playing(), None
        playing = True
        if self.plan.gate is not None:
            self.say(f"network {cycle.number}: match against {old}")
            match = replace(self.plan.gate, seed=cycle.number)
            verdict = pit_two(str(self.file_of(new)), str(self.file_of(old)), match, 1, self.say)
            playing, gate = verdict.promoted, elo_of(verdict.summary)
        if playing:
            games.use(self.file_of(new))
        games.rotate()
        entries = history.read(self.past)
        elo = {}
        for name, opponent in self._opponents().items():
            self.say(f"network {cycle.number}: measured against {name}")
            match = replace(self.plan.measure, seed=cycle.number)
            elo[name] = elo_of(pit_two(str(self.file_of(new)), opponent, match, 1, self.say).summary)
        self._tick(every=0.0)
        fresh = [self.segment(name) for name in cycle.fresh]
        told = {rule: tally.told() for rule, tally in tallies(fresh).items()}
        trained = load_checkpoint(self._learner(cycle) / CHECKPOINT)
        entry = history.Entry(
            cycle.number, new, playing, now(), round(self.hours(), 3), int(entries[-1].games + told["all"]["games"]),
            entries[-1].positions + trained["step"] * self.plan.recipe.batch,
            sum(len(packed(self.segment(name)).games) for name in cycle.segments), elo, gate,
            self._unseen(cycle, new, games.path), told,
        )  # fmt: skip
        history.add(self.past, entry)
        self.say(f"network {cycle.number}: {new}, " + ("plays" if playing else "does not play"))

    def _unseen(self, cycle: Cycle, new: str, written: Path) -> dict[str, float]:
        """Losses of a network on games that were played while it was made."""
        later = [path for path in segments(self.folder) if path.name > max(cycle.segments) and path != written]
        if not later:
            return {}
        network, _ = load_exported(self.file_of(new))
        found = validate(network, joined(map(packed, later)), Inputs(network.shape), held_out_only=False)
        return {key.partition(".")[2]: round(value, 4) for key, value in found.items()}


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M")


def loop(folder: Path, past: Path, start: Path, settings: Settings, plan: Plan, report: Report = print) -> str:
    """Runs to the plan's number of networks; returns the id of the one that plays then."""
    for place in (folder, past):
        place.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        for place in {folder.resolve(), past.resolve()}:
            held.enter_context(alone_with(place))
        return Loop(folder, past, plan, report).run(start, settings)
