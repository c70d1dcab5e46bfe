"""`python -m bench ladder`: everybody against everybody, Renga and the five systems it grew from.

Ratings come from short games between the others and longer ones with Renga; `--format s4` plays S4's own
tournament: everyone twice, 3/1/0 points, a draw after 60 moves.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from pathlib import Path

from bench.chart import bar_chart
from bench.game import FAULTS, GameRecord, GameSpec
from bench.machine import cpu_name, machine_line
from bench.match import paired_games
from bench.notation import RULE_NAMES, read_rule, read_size
from bench.openings import OUR_OPENINGS, Opening, choose_openings, fingerprint
from bench.players import Control
from bench.ratings import rate
from bench.records import ResultsFile
from bench.runner import run_games
from bench.speed_shell import OUR_BRAIN
from brain import weights

RENGA = "Renga"
PLAYERS = {
    RENGA: OUR_BRAIN,
    "S0": "@s0",
    "S1": "@s1",
    "S2": "@s2",
    "S3": "@s3",
    "S4": "@s4",
    "rollout": "@rollout",
}
DESCRIPTIONS = {
    RENGA: "this program",
    "S0": "policy's five best moves, fast descents, R/C + (2+2p)/sqrt(1+C)",
    "S1": "AlphaZero style: our network and PUCT, no rollouts, no solvers",
    "S2": "the same with every root move visited twice and shared positions",
    "S3": "UCB1 with biased simulations, forced moves only where forced",
    "S4": "policy with thresholds on the win rate, ten-ply rollouts",
    "rollout": "rollouts for every candidate move, no tree",
}
S4_DRAW_PLIES = 60


@dataclass(frozen=True)
class Plan:
    """How many games each kind of pair plays and at what speed."""

    games: int
    turn_ms: int
    renga_games: int
    renga_turn_ms: int
    draw_after: int = 0

    def of(self, pair: tuple[str, str]) -> tuple[int, Control]:
        if RENGA in pair:
            return self.renga_games, Control(self.renga_turn_ms)
        return self.games, Control(self.turn_ms)


def schedule(
    players: Sequence[str], plan: Plan, openings: Sequence[Opening], rule: int, only: Sequence[str] = ()
) -> Iterator[GameSpec]:
    """All games, or those of the encounters in which `only` take part; a pair of games per encounter in turn, so that a
    run cut short is still balanced."""
    pending = []
    for pair in combinations(players, 2):
        if not set(only) <= set(pair):
            continue
        games, control = plan.of(pair)
        prefix = f"{pair[0]}-{pair[1]}-"
        pending.append(
            iter(list(paired_games(*pair, openings, rule, control, games, plan.draw_after, prefix)))
        )
    while pending:
        for source in list(pending):
            batch = list(islice(source, 2))
            yield from batch
            if len(batch) < 2:
                pending.remove(source)


def meetings(records: Sequence[GameRecord]) -> dict[tuple[str, str], tuple[float, int]]:
    """For each pair that met, in the order of their names in the pair's games: points of the first, games."""
    found: dict[tuple[str, str], tuple[float, int]] = {}
    for record in records:
        first, second = sorted((record.black, record.white))
        points, games = found.get((first, second), (0.0, 0))
        found[first, second] = points + record.score_of(first), games + 1
    return found


def league_points(records: Sequence[GameRecord], player: str) -> int:
    """3 for a win, 1 for a draw."""
    scores = [record.score_of(player) for record in records if player in (record.black, record.white)]
    return sum(3 if score == 1.0 else 1 if score == 0.5 else 0 for score in scores)


def score_against(
    met: dict[tuple[str, str], tuple[float, int]], player: str, other: str
) -> tuple[float, int]:
    points, games = met.get((min(player, other), max(player, other)), (0.0, 0))
    return (points if player < other else games - points), games


def markdown(records: Sequence[GameRecord], players: Sequence[str]) -> str:
    """Ratings and the cross table, best first; a cell is the row's score in percent."""
    met = meetings(records)
    ratings = rate(players, met)
    order = sorted(players, key=lambda name: -ratings[name][0])
    lines = [
        "| # | player | Elo | games | points (3/1/0) | faults | " + " | ".join(order) + " |",
        "|---|---|---|---|---|---|" + "---|" * len(order),
    ]
    for place, name in enumerate(order, 1):
        own = [record for record in records if name in (record.black, record.white)]
        faults = sum(r.reason in FAULTS and r.score_of(name) == 0.0 for r in own)
        cells = []
        for other in order:
            points, games = score_against(met, name, other)
            cells.append(f"{100 * points / games:.0f}" if games else "")
        elo, margin = ratings[name]
        row = [str(place), name, f"{elo:+.0f} ± {margin:.0f}", str(len(own))]
        row += [str(league_points(own, name)), str(faults), *cells]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def chart(records: Sequence[GameRecord], players: Sequence[str]) -> str:
    """The ratings as an SVG picture."""
    ratings = rate(players, meetings(records))
    order = sorted(players, key=lambda name: -ratings[name][0])
    return bar_chart("Elo, mean of all players = 0", [(name, *ratings[name]) for name in order])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--players", nargs="+", default=list(PLAYERS), choices=list(PLAYERS))
    parser.add_argument(
        "--only", nargs="+", default=[], choices=list(PLAYERS), help="play the encounters of this one, or of these two"
    )
    parser.add_argument("--format", choices=["elo", "s4"], default="elo")
    parser.add_argument("--games", type=int, help="per pair without Renga (20; s4: 2)")
    parser.add_argument("--turn-ms", type=int, help="of those games (200; s4: 10000)")
    parser.add_argument("--renga-games", type=int, help="per pair with Renga (100; s4: 2)")
    parser.add_argument("--renga-turn-ms", type=int, help="of those games (1000; s4: 10000)")
    parser.add_argument("--rule", type=read_rule, default=0)
    parser.add_argument("--size", type=read_size, default=(15, 15))
    parser.add_argument("--openings", type=Path, default=OUR_OPENINGS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--out", type=Path, default=Path("runs/ladder.jsonl"), help="an existing file is resumed"
    )
    parser.add_argument("--svg", type=Path, help="write the picture here")


def plan_of(options: argparse.Namespace) -> Plan:
    default = (
        Plan(2, 10_000, 2, 10_000, S4_DRAW_PLIES) if options.format == "s4" else Plan(20, 200, 100, 1000)
    )
    given = {
        "games": options.games,
        "turn_ms": options.turn_ms,
        "renga_games": options.renga_games,
        "renga_turn_ms": options.renga_turn_ms,
    }
    return Plan(**{**asdict(default), **{name: value for name, value in given.items() if value is not None}})


def network_name() -> str:
    """The shipped network's checksum: another network makes other players, whose games are another ladder."""
    try:
        return hashlib.sha256(weights.find().read_bytes()).hexdigest()[:8]
    except weights.WeightsError:
        return "none"


def main(options: argparse.Namespace) -> int:
    plan = plan_of(options)
    width, height = options.size
    openings = choose_openings(options.openings, width, height, options.rule, options.seed)
    if options.format == "s4":
        openings = [Opening(width, height, ())]
    header = {
        "ladder": options.format,
        "players": {name: PLAYERS[name] for name in options.players if name != RENGA},
        "plan": asdict(plan),
        "rule": options.rule,
        "size": [width, height],
        "openings": [options.openings.name, len(openings), fingerprint(openings)],
        "network": network_name(),
        "seed": options.seed,
        "machine": cpu_name(),
    }
    results = ResultsFile(options.out, header)
    try:
        games = schedule(options.players, plan, openings, options.rule, options.only)
        specs = {name: PLAYERS[name] for name in options.players}
        run_games(games, specs, results, options.workers, options.seed)
    finally:
        results.close()
        print(machine_line())
        print(f"{RULE_NAMES[options.rule]} {width}x{height}, {plan}")
        print(markdown(results.records, options.players))
        if options.svg:
            options.svg.write_text(chart(results.records, options.players))
    return 0
