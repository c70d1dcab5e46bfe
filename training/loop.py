"""The improvement loop: self-play, learning on a window of it, export, match; the better network stays.

State is files in one folder, so a killed loop takes up the step it was in:

    best.onnx (-line, -trunk, .md)    the network that plays
    games/selfplay-N.txt              self-play of generation N
    data/                             packed window of the newest generations
    run-N/                            learning of generation N, with its checkpoint
    new-N.onnx                        what it exported
    history.jsonl                     one line per finished generation: result of the match, promoted or not
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from brain.weights import find
from training.dataset import Sampling, open_set, pack
from training.export import export, load_exported
from training.learn import CHECKPOINT, Recipe, Trainer, load_checkpoint
from training.network import LineNetwork, Shape
from training.pit import pit_two
from training.selfplay import Settings, selfplay

Report = Callable[[str], None]


GENERATION_RECIPE = Recipe(steps=1500, rate=5e-4, warm_up=50)
"""A network that is already good learns at a lower rate."""


@dataclass(frozen=True)
class Plan:
    """Sizes of one generation."""

    games: int = 400
    window: int = 4
    """Generations of self-play to learn from."""
    extra: tuple[Path, ...] = ()
    """Game files learned from in every generation."""
    recipe: Recipe = GENERATION_RECIPE
    pit_games: int = 100
    pit_simulations: int = 200
    win_rate: float = 0.55
    processes: int = 1
    ray: str = ""


def copy_network(source: Path, target: Path) -> None:
    """Copies a network's files under another name; the full graph last, so that an interrupted copy is not used."""
    files = find(source)
    for file, ending in ((files.line, "-line"), (files.trunk, "-trunk"), (files.full, "")):
        shutil.copyfile(file, target.with_name(f"{target.stem}{ending}.onnx"))


def history(folder: Path) -> list[dict[str, object]]:
    path = folder / "history.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def generation(folder: Path, number: int, settings: Settings, plan: Plan, report: Report = print) -> bool:
    """One turn of the loop; True when the new network was promoted."""
    best = folder / "best.onnx"
    games = [folder / "games" / f"selfplay-{n}.txt" for n in range(max(1, number - plan.window + 1), number + 1)]
    report(f"generation {number}: self-play")
    selfplay(replace(settings, network=str(best)), games[-1], plan.games, plan.processes, plan.ray, report)
    report(f"generation {number}: learning")
    pack([*(path for path in games if path.exists()), *plan.extra], folder / "data")
    start, _ = load_exported(best)
    run = folder / f"run-{number}"
    run.mkdir(exist_ok=True)
    trainer = Trainer(run, open_set(folder / "data"), start.shape, plan.recipe, Sampling())
    if not trainer.resume():
        trainer.begin_with(start)
    trainer.run(report=report)
    state = load_checkpoint(run / CHECKPOINT)
    network = LineNetwork(Shape(**state["shape"]))
    network.load_state_dict(state["average"])
    new = folder / f"new-{number}.onnx"
    export(network, new, {**state["recipe"], "generation": number})
    report(f"generation {number}: match")
    verdict = pit_two(str(new), str(best), plan.pit_games, plan.pit_simulations, plan.processes,
                      tuple(dict.fromkeys(settings.rules)), settings.sizes[0], None, plan.win_rate, report)  # fmt: skip
    if verdict.promoted:
        copy_network(new, best)
    summary = verdict.summary
    entry = {"generation": number, "wins": summary.wins, "draws": summary.draws, "losses": summary.losses,
             "promoted": verdict.promoted, "reason": verdict.reason}  # fmt: skip
    with (folder / "history.jsonl").open("a") as file:
        file.write(json.dumps(entry) + "\n")
    report(f"generation {number}: +{summary.wins} ={summary.draws} -{summary.losses}, {verdict.reason}: "
           + ("promoted" if verdict.promoted else "discarded"))  # fmt: skip
    return verdict.promoted


def loop(folder: Path, start: Path, generations: int, settings: Settings, plan: Plan, report: Report = print) -> int:
    """Runs to the given number of generations; returns how many were promoted in all."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "best.onnx").exists():
        copy_network(start, folder / "best.onnx")
    for number in range(len(history(folder)) + 1, generations + 1):
        generation(folder, number, settings, plan, report)
    return sum(bool(entry["promoted"]) for entry in history(folder))
