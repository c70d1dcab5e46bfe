"""`python -m bench match A B`: paired games of two players, with Elo, error bars and a sequential test."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import foreign_referee
from bench.game import FAULTS, GameRecord, GameSpec
from bench.machine import cpu_name, engine_fingerprint
from bench.notation import RULE_NAMES, read_rule, read_size
from bench.openings import OUR_OPENINGS, Opening, choose_openings, fingerprint
from bench.own_players import RENGA
from bench.players import REVISION, Control, make_player, pinned
from bench.records import ResultsFile, write_records
from bench.runner import run_games
from bench.stats import Sprt, Summary, summarise

TURN_MS = 1000
NODES_TURN_MS = 600_000  # where nodes or processor time are the limit, time must not be


def paired_games(
    first: str,
    second: str,
    openings: Sequence[Opening],
    rule: int,
    control: Control,
    games: int,
    draw_after: int = 0,
    prefix: str = "",
) -> Iterator[GameSpec]:
    """Every opening with both colours, in order, starting over when they run out."""
    for number in range(games):
        opening = openings[number // 2 % len(openings)]
        pair = f"{prefix}{number // 2 + 1:04d}"
        black, white = (first, second) if number % 2 == 0 else (second, first)
        yield GameSpec(
            f"{pair}{'ab'[number % 2]}",
            pair,
            black,
            white,
            rule,
            opening.width,
            opening.height,
            opening.cells,
            control,
            draw_after,
        )


def summarise_records(records: Sequence[GameRecord], player: str) -> Summary:
    """Results of `player` in these games, paired by opening."""
    pairs: dict[str, list[float]] = {}
    for record in records:
        pairs.setdefault(record.pair, []).append(record.score_of(player))
    return summarise([(scores[0], scores[1] if len(scores) > 1 else None) for scores in pairs.values()])


def faults_of(records: Sequence[GameRecord], player: str) -> Counter[str]:
    """Games the player lost by its own conduct, by reason."""
    return Counter(r.reason for r in records if r.reason in FAULTS and r.score_of(player) == 0.0)


def table(records: Sequence[GameRecord], first: str, second: str, sprt: Sprt | None) -> str:
    """The state of the match in a few lines."""
    summary = summarise_records(records, first)
    if not summary.games:
        return "no games yet"
    low, best, high = summary.elo_interval()
    lines = [
        f"{first} - {second}: {summary.wins} won, {summary.draws} drawn, {summary.losses} lost"
        f" of {summary.games} ({100 * summary.score:.1f} %)",
        f"Elo {best:+.1f} [{low:+.1f}, {high:+.1f}] at 95 %, LOS {100 * summary.los():.1f} %,"
        f" pairs {'/'.join(map(str, summary.pairs))}",
    ]
    if sprt is not None:
        lower, upper = sprt.bounds
        lines.append(
            f"SPRT [{sprt.elo0:g}, {sprt.elo1:g}]: LLR {sprt.llr(summary.pairs):.2f}"
            f" ({lower:.2f}, {upper:.2f}) {sprt.decision(summary.pairs)}"
        )
    for player in (first, second):
        faults = faults_of(records, player)
        if faults:
            lines.append(f"{player} failed: " + ", ".join(f"{n} {why}" for why, n in faults.most_common()))
    revisions = sorted({word for record in records for word in record.revision.split()})
    if len(revisions) > 1:
        lines.append("games of several revisions: " + ", ".join(revisions))
    return "\n".join(lines)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", help="command line of a program, git:REV, or @name of a player of ours")
    parser.add_argument("second")
    parser.add_argument("--names", nargs=2, default=["A", "B"], metavar="NAME")
    parser.add_argument("--games", type=int, default=100, help="at most, where a sequential test may end it earlier")
    parser.add_argument("--rule", type=read_rule, default=0, help="number or name (default freestyle)")
    parser.add_argument("--size", type=read_size, default=(15, 15), help="15 or 20x15")
    parser.add_argument("--turn-ms", type=int, help=f"default {TURN_MS}; with --nodes or --cpu-ms {NODES_TURN_MS}")
    parser.add_argument("--match-ms", type=int, default=0, help="per player and game; 0 = no limit")
    parser.add_argument("--nodes", type=int, default=0, help="per move, told as INFO max_node; 0 = no limit")
    parser.add_argument("--cpu-ms", type=int, default=0, help="processor time a move, for @renga; 0 = no limit")
    parser.add_argument("--tolerance-ms", type=int, default=1000)
    parser.add_argument("--openings", type=Path, default=OUR_OPENINGS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draw-after", type=int, default=0, metavar="PLIES")
    parser.add_argument("--workers", type=int, default=1, help="games at the same time, one core each")
    parser.add_argument("--fresh", action="store_true", help="new processes for every game")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"))
    parser.add_argument("--out", type=Path, help="results file; an existing one is resumed")
    parser.add_argument("--pgn", type=Path, metavar="FILE")
    parser.add_argument("--psq", type=Path, metavar="FOLDER")
    parser.add_argument("--referee", choices=["own", foreign_referee.PROGRAM], default="own")


def main(options: argparse.Namespace) -> int:
    first, second = options.names
    if first == second:
        raise ValueError("the players need different names")
    players = {first: pinned(options.first), second: pinned(options.second)}
    for spec in players.values():
        make_player(spec, options.seed).close()  # a spec nobody understands is refused before any game
    width, height = options.size
    default_ms = NODES_TURN_MS if options.nodes or options.cpu_ms else TURN_MS
    turn_ms = default_ms if options.turn_ms is None else options.turn_ms
    control = Control(
        turn_ms, options.match_ms, options.nodes, cpu_ms=options.cpu_ms, tolerance_ms=options.tolerance_ms
    )
    for name, spec in players.items():
        if options.cpu_ms and not spec.startswith(f"@{RENGA}"):
            raise ValueError(f"{name} ({spec}) knows no limit by processor time: only @{RENGA} does")
    openings = choose_openings(options.openings, width, height, options.rule, options.seed)
    header: dict[str, Any] = {
        "players": {first: options.first, second: options.second},
        "commits": {name: spec.removeprefix(REVISION) for name, spec in players.items() if spec.startswith(REVISION)},
        "engine": engine_fingerprint(),
        "rule": options.rule,
        "size": [width, height],
        "control": asdict(control),
        "openings": [options.openings.name, len(openings), fingerprint(openings)],
        "draw_after": options.draw_after,
        "seed": options.seed,
        "machine": cpu_name(),
    }
    out = options.out or Path(f"runs/match-{first}-{second}-{RULE_NAMES[options.rule]}{width}.jsonl")
    handed_over = options.referee == foreign_referee.PROGRAM
    if handed_over:
        foreign_referee.check(options, out)
        header["referee"] = options.referee
    results = ResultsFile(out, header)
    write_records(results.records, options.pgn, options.psq)  # a wrong path is found out now, not after the last game
    sprt = Sprt(*options.sprt) if options.sprt else None

    def decided() -> bool:
        summary = summarise_records(results.records, first)
        return sprt is not None and sprt.decision(summary.pairs) != "continue"

    def on_game(record: GameRecord) -> bool:
        if sys.stderr.isatty():
            print(f"\x1b[2J\x1b[H{table(results.records, first, second, sprt)}", file=sys.stderr)
        return not decided()

    games = paired_games(first, second, openings, options.rule, control, options.games, options.draw_after)
    try:
        if handed_over:
            foreign_referee.play(options, control, openings, results)
        elif not decided():
            run_games(games, players, results, options.workers, options.seed, options.fresh, on_game)
    finally:
        results.close()
        print(table(results.records, first, second, sprt))
        write_records(results.records, options.pgn, options.psq)
    return 0
