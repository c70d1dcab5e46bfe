"""`python -m bench endurance`: the program against itself on every rule and on many sizes. Any fault is a bug.

A fault is a crash, a time-out, an answer that is none, an illegal move or a foul.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random

from bench.game import FAULTS, GameRecord, GameSpec
from bench.machine import machine_line
from bench.notation import RULE_NAMES
from bench.openings import random_openings
from bench.players import Control
from bench.records import ResultsFile
from bench.runner import run_games
from bench.speed_shell import OUR_BRAIN

PLAYERS = ("one", "other")


def schedule(games: int, smallest: int, largest: int, control: Control, seed: int) -> Iterator[GameSpec]:
    """Rules in turn; widths and heights by lot, every other board square."""
    rules = list(RULE_NAMES)
    chance = Random(seed)
    for number in range(games):
        width = chance.randint(smallest, largest)
        height = width if number // len(rules) % 2 == 0 else chance.randint(smallest, largest)
        rule = rules[number % len(rules)]
        opening = next(random_openings(width, height, rule, seed + number))
        name = f"{number + 1:04d}"
        yield GameSpec(name, name, *PLAYERS, rule, width, height, opening.cells, control)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--command", default=OUR_BRAIN, help="the program (default: this one)")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs=2, default=(10, 20), metavar=("SMALLEST", "LARGEST"))
    parser.add_argument("--turn-ms", type=int, default=50)
    parser.add_argument("--tolerance-ms", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/endurance.jsonl"), help="an existing file is resumed")


def main(options: argparse.Namespace) -> int:
    """Returns 1 when there was a fault."""
    control = Control(options.turn_ms, tolerance_ms=options.tolerance_ms)
    header = {
        "endurance": options.command, "sizes": list(options.sizes), "control": asdict(control), "seed": options.seed,
    }  # fmt: skip
    results = ResultsFile(options.out, header)
    try:
        smallest, largest = options.sizes
        games = schedule(options.games, smallest, largest, control, options.seed)
        run_games(games, dict.fromkeys(PLAYERS, options.command), results, options.workers)
    finally:
        results.close()
    return report(results.records, options)


def report(records: list[GameRecord], options: argparse.Namespace) -> int:
    faults = [record for record in records if record.reason in FAULTS]
    times = sorted(ms for record in records for ms in record.ms[record.opening :])
    print(machine_line())
    print(f"{len(records)} games at {options.turn_ms} ms a move, {len(times)} moves, {len(faults)} faults")
    for record in faults:
        print(f"{record.name} {RULE_NAMES[record.rule]} {record.width}x{record.height} {record.reason} {record.note}")
    if times:
        print(f"time of a move: median {times[len(times) // 2]} ms, longest {times[-1]} ms")
    return 1 if faults else 0
