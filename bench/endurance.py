"""`python -m bench endurance`: the program against itself on every rule and on many sizes. Any fault is a bug.

A fault is a crash, a time-out, a senseless answer, an illegal move or a foul; an internal error is a crash too, for
the program is started with --strict. Games differ in everything a manager may choose: board, time, memory, threads, a
fresh process or that of the game before. `--growth` plays all of them in one process instead and watches its memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from bench.game import FAULTS, GameSpec, play_game
from bench.machine import machine_line, resident_of
from bench.notation import RULE_NAMES
from bench.openings import random_openings
from bench.players import Control
from bench.process import ProcessPlayer
from bench.records import ResultsFile
from bench.reference import BLACK, WHITE
from bench.runner import run_games
from bench.speed_shell import OUR_BRAIN
from bench.stretches import Stretch, played, read_stretches, stretches_of, write_stretches

PLAYERS = ("one", "other")
LONG_MS, LONG_SHARE = 1000, 0.03
MIDDLE_MS, MIDDLE_SHARE = (50, 200), 0.07
SHORT_MS = (10, 30)
MEMORY_MB = (70, 350)
FRESH_SHARE = 0.2
GROWTH_NODES = 24
"""Simulations a move while memory is watched: games count there, not thought."""
GROWTH_MB = 1.0
"""Most that a process may grow by in 1,000 games."""


def schedule(games: int, smallest: int, largest: int, tolerance_ms: int, seed: int) -> Iterator[GameSpec]:
    """Rules in turn, every other board square; size, time, memory, threads and freshness by chance."""
    rules = list(RULE_NAMES)
    chance = Random(seed)
    for number in range(games):
        width = chance.randint(smallest, largest)
        height = width if number // len(rules) % 2 == 0 else chance.randint(smallest, largest)
        rule = rules[number % len(rules)]
        opening = next(random_openings(width, height, rule, seed + number))
        name = f"{number + 1:05d}"
        control = Control(
            _turn_ms(chance), memory=chance.randint(*MEMORY_MB) << 20, tolerance_ms=tolerance_ms,
            threads=chance.choice((1, 1, 2)),
        )  # fmt: skip
        fresh = chance.random() < FRESH_SHARE
        yield GameSpec(name, name, *PLAYERS, rule, width, height, opening.cells, control, fresh=fresh)


def in_blocks(games: Iterable[GameSpec]) -> list[GameSpec]:
    """The games of a rule one after the other, a hundred at a time: with another rule for every game a third of the
    processor time would go into its tables."""
    block = 100 * len(RULE_NAMES)
    return sorted(games, key=lambda game: (int(game.name) // block, game.rule))


def _turn_ms(chance: Random) -> int:
    lot = chance.random()
    if lot < LONG_SHARE:
        return LONG_MS
    return chance.randint(*(MIDDLE_MS if lot < LONG_SHARE + MIDDLE_SHARE else SHORT_MS))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--command", default=f"{OUR_BRAIN} --strict", help="the program (default: this one)")
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs=2, default=(5, 32), metavar=("SMALLEST", "LARGEST"))
    parser.add_argument("--tolerance-ms", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="games at the same time, on cores shared by all")
    parser.add_argument("--out", type=Path, default=Path("runs/endurance.jsonl"), help="an existing file is resumed")
    parser.add_argument("--kept", type=Path, help="what the repository keeps; games in it are not played again")
    parser.add_argument("--growth", action="store_true", help="all games in one process; does its memory grow?")


def main(options: argparse.Namespace) -> int:
    """Returns 1 when there was a fault, or when memory grew."""
    smallest, largest = options.sizes
    games = schedule(options.games, smallest, largest, options.tolerance_ms, options.seed)
    if options.growth:
        return watch_growth(games, options.command)
    header = {"sizes": list(options.sizes), "tolerance_ms": options.tolerance_ms, "seed": options.seed}
    kept = read_stretches(options.kept, header) if options.kept else []
    results = ResultsFile(options.out, {"endurance": options.command, **header})
    try:
        # A game that is in both is of this machine's run, whose record says more.
        here = {int(record.name) for record in results.records}
        kept = [stretch for stretch in kept if not played([stretch]) & here]
        before = played(kept)
        todo = in_blocks(game for game in games if int(game.name) not in before)
        # Turns end by the clock: more programs than cores wait less, and their threads run where they can meet.
        run_games(todo, dict.fromkeys(PLAYERS, options.command), results, options.workers, crowded=True)
    finally:
        results.close()
        stretches = [*kept, *stretches_of(results.records)]
        if options.kept:
            write_stretches(options.kept, header, stretches)
    return report(stretches)


def report(stretches: list[Stretch]) -> int:
    faults = [fault for stretch in stretches for fault in stretch.faults]
    games, moves = (sum(getattr(stretch, name) for stretch in stretches) for name in ("games", "moves"))
    print(machine_line())
    print(f"{games} games, {moves} moves, {len(faults)} faults")
    for fault in faults:
        print(fault)
    print(f"longest move {max((stretch.longest_ms for stretch in stretches), default=0)} ms")
    return 1 if faults else 0


@dataclass(frozen=True)
class Sample:
    """Memory of the process after a number of games."""

    games: int
    held: int


def watch_growth(games: Iterator[GameSpec], command: str) -> int:
    """Plays the games in one process that moves for both sides; 1 when it grows or fails."""
    player = ProcessPlayer(command)
    samples: list[Sample] = []
    shown = time.monotonic()
    try:
        for number, game in enumerate(games, 1):
            # The pools are made anew when their size changes: that is no growth, so memory stays the same.
            control = replace(game.control, turn_ms=10_000, nodes=GROWTH_NODES, memory=MEMORY_MB[1] << 20, threads=1)
            record = play_game(replace(game, control=control), {BLACK: player, WHITE: player})
            if record.reason in FAULTS:
                print(f"{record.name}: {record.reason} {record.note}")
                return 1
            assert player.pid is not None, "a program that did not fail is still there"
            samples.append(Sample(number, resident_of(player.pid)))
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                print(f"{number} games, {samples[-1].held / 2**20:.1f} MB", file=sys.stderr, flush=True)
    finally:
        player.close()
    grown = growth(samples)
    print(machine_line())
    first, last = samples[0].held / 2**20, samples[-1].held / 2**20
    print(f"{len(samples)} games in one process: {first:.1f} MB after the first, {last:.1f} MB after the last")
    print(f"growth after the first quarter: {grown / 2**20:+.2f} MB per 1,000 games")
    return 1 if grown > GROWTH_MB * 2**20 else 0


def growth(samples: list[Sample]) -> float:
    """Bytes per 1,000 games by least squares; the first quarter, in which tables and pools fill, does not count."""
    late = samples[len(samples) // 4 :]
    mean_games = sum(sample.games for sample in late) / len(late)
    mean_held = sum(sample.held for sample in late) / len(late)
    spread = sum((sample.games - mean_games) ** 2 for sample in late)
    slope = sum((sample.games - mean_games) * (sample.held - mean_held) for sample in late) / max(spread, 1)
    return slope * 1000
