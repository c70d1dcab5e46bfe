"""The improvement loop: self-play, learning on a window of it, export, match; the better network stays.

State is files in one folder, so a killed loop takes up the step it was in:

    best.onnx                         the network that plays: a copy of the newest promoted one
    games/selfplay-N.txt              self-play of generation N
    data/                             packed window of the newest generations
    run-N/                            learning of generation N, with its checkpoint
    new-N.onnx                        what it exported
    history.jsonl                     one line per finished generation: result of the match, promoted or not
    start.txt                         id of the network it began with
"""

from __future__ import annotations

import filecmp
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from brain.weights import find
from training.dataset import Sampling, open_set, pack
from training.export import export, facts_of, learned_rules, load_exported, network_id, network_of
from training.files import alone_with, replacing
from training.games import GameError
from training.learn import CHECKPOINT, Trainer, load_checkpoint
from training.pit import Match, pit_two
from training.recipe import GENERATION_RECIPE, Recipe
from training.selfplay import Settings, selfplay

Report = Callable[[str], None]
GENERATION_MATCH = Match(games=100)


@dataclass(frozen=True)
class Plan:
    """Sizes of one generation."""

    games: int = 400
    window: int = 4
    """Generations of self-play to learn from."""
    extra: tuple[Path, ...] = ()
    """Game files learned from in every generation."""
    recipe: Recipe = GENERATION_RECIPE
    match: Match = GENERATION_MATCH
    """What a new network has to win. Rules and seed are those of the generation's self-play."""
    processes: int = 1
    ray: str = ""


def copy_network(source: Path, target: Path) -> None:
    """Copies a network under another name, whole or not at all."""
    with replacing(target) as part:
        shutil.copyfile(find(source), part)


def history(folder: Path) -> list[dict[str, object]]:
    """The finished generations."""
    path = folder / "history.jsonl"
    if not path.exists():
        return []
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        try:
            entry = dict(json.loads(line))
            entries.append({"generation": int(entry["generation"]), "promoted": bool(entry["promoted"]), **entry})
        except (KeyError, TypeError, ValueError) as error:
            raise GameError(f"{path}:{number}: damaged: {error}") from error
    return entries


def check_start(folder: Path, start: Path) -> None:
    """GameError if the folder's generations began with another network than `start`."""
    path = folder / "start.txt"
    mine = network_id(load_exported(start)[0])
    if not path.exists():
        with replacing(path) as part:
            part.write_text(f"{mine}\n")
    if (theirs := path.read_text(errors="replace").strip()) != mine:
        raise GameError(f"{path}: these generations began with network {theirs}, not with {mine} ({start}); "
                        "name another --folder, or that network with --start")  # fmt: skip


def install_best(folder: Path, start: Path) -> None:
    """Makes best.onnx the newest promoted network, or `start` before there is one: a kill may have come between."""
    best = folder / "best.onnx"
    promoted = [entry["generation"] for entry in history(folder) if entry["promoted"]]
    if promoted:
        newest = folder / f"new-{promoted[-1]}.onnx"
        if not same_network(newest, best):
            copy_network(newest, best)
    elif not best.exists():
        copy_network(start, best)


def same_network(one: Path, other: Path) -> bool:
    """Are the files of two networks equal, byte for byte?"""
    return filecmp.cmp(find(one), find(other), shallow=False)


def generation(folder: Path, number: int, settings: Settings, plan: Plan, report: Report = print) -> bool:
    """One turn of the loop; True when the new network was promoted. Self-play has the generation's network and seed."""
    best = folder / "best.onnx"
    games = [folder / "games" / f"selfplay-{n}.txt" for n in range(max(1, number - plan.window + 1), number + 1)]
    report(f"generation {number}: self-play")
    settings = replace(settings, network=str(best), seed=number)
    selfplay(settings, games[-1], plan.games, plan.processes, plan.ray, report)
    report(f"generation {number}: learning")
    pack([*(path for path in games if path.exists()), *plan.extra], folder / "data")
    start, metadata = load_exported(best)
    run = folder / f"run-{number}"
    run.mkdir(exist_ok=True)
    data = open_set(folder / "data")
    rules = learned_rules(metadata)
    trainer = Trainer(run, data, start.shape, plan.recipe, Sampling(), network_id(start), rules)
    if not trainer.resume():
        trainer.begin_with(start)
    trainer.run(report=report)
    state = load_checkpoint(run / CHECKPOINT)
    new = folder / f"new-{number}.onnx"
    export(network_of(state), new, facts_of(state, generation=number))
    report(f"generation {number}: match")
    match = replace(plan.match, rules=tuple(dict.fromkeys(settings.rules)), seed=number)
    verdict = pit_two(str(new), str(best), match, plan.processes, report)
    summary = verdict.summary
    entry = {"generation": number, "wins": summary.wins, "draws": summary.draws, "losses": summary.losses,
             "promoted": verdict.promoted, "reason": verdict.reason}  # fmt: skip
    with replacing(folder / "history.jsonl") as part:
        part.write_text("".join(json.dumps(line) + "\n" for line in (*history(folder), entry)))
    report(f"generation {number}: +{summary.wins} ={summary.draws} -{summary.losses}, {verdict.reason}: "
           + ("promoted" if verdict.promoted else "discarded"))  # fmt: skip
    return verdict.promoted


def loop(folder: Path, start: Path, generations: int, settings: Settings, plan: Plan, report: Report = print) -> int:
    """Runs to the given number of generations; returns how many were promoted in all."""
    folder.mkdir(parents=True, exist_ok=True)
    with alone_with(folder):
        check_start(folder, start)
        install_best(folder, start)
        for number in range(len(history(folder)) + 1, generations + 1):
            generation(folder, number, settings, plan, report)
            install_best(folder, start)
    return sum(bool(entry["promoted"]) for entry in history(folder))
