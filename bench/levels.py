"""`python -m bench levels`: each level against the next, the first one against a one-ply player; docs/levels.md.

All games are limited by nodes, so that the table does not depend on the machine. A game's name says what its two
players were made of: after a change of some levels only their encounters are played anew.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import astuple
from itertools import chain, zip_longest
from pathlib import Path
from zlib import crc32

from bench.game import GameRecord
from bench.level_player import FULL_NODES
from bench.machine import engine_fingerprint
from bench.match import NODES_TURN_MS, paired_games, summarise_records
from bench.notation import RULE_NAMES, read_rule, read_size
from bench.openings import OUR_OPENINGS, choose_openings, fingerprint
from bench.players import Control
from bench.records import ResultsFile
from bench.runner import run_games
from renga.levels import LEVELS, level

ONE_PLY = "one-ply"
PAGE = Path(__file__).parent.parent / "docs" / "levels.md"
DRAW_AFTER = 120
FEWEST_ELO, MOST_ELO, MOST_OF_LEVEL_1 = 50, 250, 0.1
"""What the levels are meant to keep: steps between neighbours, and the score of level 1 against the one-ply player."""

Encounter = tuple[str, str]


def encounters(numbers: Sequence[int]) -> list[Encounter]:
    """The one-ply player against level 1, then every level against the one below it; the stronger is named first."""
    found = [(ONE_PLY, "level 1")] if 1 in numbers else []
    return found + [(f"level {n + 1}", f"level {n}") for n in numbers if n + 1 in numbers]


def spec_of(name: str) -> str:
    return f"@{name.replace(' ', ':')}"


def prefix_of(pair: Encounter) -> str:
    """Of the names of an encounter's games, with what its levels are made of."""
    made = [astuple(level(int(name.split()[1]))) for name in pair if name != ONE_PLY]
    return f"{pair[0]}-{pair[1]}-{crc32(repr(made).encode()):08x}-"


def row(records: Sequence[GameRecord], stronger: str, weaker: str) -> str | None:
    """A line of the table; None without games."""
    own = [record for record in records if record.pair.startswith(prefix_of((stronger, weaker)))]
    if not own:
        return None
    summary = summarise_records(own, stronger)
    low, best, high = summary.elo_interval()
    kept = summary.score >= 1 - MOST_OF_LEVEL_1 if stronger == ONE_PLY else FEWEST_ELO <= best <= MOST_ELO
    score = f"{100 * summary.score:.1f} %"
    elo = f"{best:+.0f} [{low:+.0f}, {high:+.0f}]"
    return f"| {stronger} | {weaker} | {summary.games} | {score} | {elo} | {'yes' if kept else 'no'} |"


def table(records: Sequence[GameRecord], pairs: Sequence[Encounter]) -> str:
    lines = ["| stronger | weaker | games | its score | Elo, 95 % | as intended |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *filter(None, (row(records, *pair) for pair in pairs))])


def settings_table() -> str:
    """What the levels are made of."""
    lines = ["| level | nodes | plays without looking | temperature | reads threats |", "|---|---|---|---|---|"]
    for made in LEVELS:
        nodes = "as the limit says" if made.is_full else str(made.nodes)
        lines.append(
            f"| {made.number} | {nodes} | {100 * made.oversight:g} % | {made.temperature:g} |"
            f" {'yes' if made.reads_threats else 'no'} |"
        )
    return "\n".join(lines)


def missing(records: Sequence[GameRecord], pairs: Sequence[Encounter]) -> str:
    """Which encounters have no games yet, as a sentence; nothing where all have."""
    found = [f"{stronger} against {weaker}" for stronger, weaker in pairs if row(records, stronger, weaker) is None]
    return f"\nNot played yet: {', '.join(found)}.\n" if found else ""


def page(records: Sequence[GameRecord], pairs: Sequence[Encounter], rule: int, width: int, height: int) -> str:
    return f"""# Levels for people

`renga.Engine.play(board, level=1)` to `level=12`: 1 is a beginner, 12 plays as well as the limit lets it. A level is a
number of nodes, a chance to play any nearby cell without looking, and a temperature: moves are drawn by visits, and
one that is worse by that much win rate e times less often. A level that does not read threats sees a five only when its
search comes upon it. Nodes are simulations of the tree, so that a level is the same on every machine; level 12 alone
has a limit by time, one second a move where nothing else is said, and grows with the machine.

{settings_table()}

Each level against the next: {RULE_NAMES[rule]} {width}x{height}, openings of `bench/openings.txt`, each with both
colours, level 12 with {FULL_NODES} nodes a move, a draw after {DRAW_AFTER} plies. A step is meant to be
{FEWEST_ELO} to {MOST_ELO} Elo, and level 1 to score at most {100 * MOST_OF_LEVEL_1:.0f} % against a player that looks
at every move once, takes and stops fives, and else plays the cell with the best shapes. The last column judges the
estimate; where its interval reaches beyond the bounds, more games may change the judgement.

`python -m bench levels --page docs/levels.md` plays the games and writes this page. It goes on where it was stopped,
and plays anew only the encounters of levels that have changed; a new network or search needs a new file of games
(`--out`).

{table(records, pairs)}

Revisions of the games: {", ".join(sorted({record.revision for record in records}))}.
{missing(records, pairs)}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--games", type=int, default=200, help="per encounter")
    parser.add_argument("--levels", type=int, nargs="+", default=[made.number for made in LEVELS])
    parser.add_argument("--rule", type=read_rule, default=0)
    parser.add_argument("--size", type=read_size, default=(15, 15))
    parser.add_argument("--openings", type=Path, default=OUR_OPENINGS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/levels.jsonl"), help="an existing file is resumed")
    parser.add_argument("--page", type=Path, help=f"write the page here (the project's is docs/{PAGE.name})")


def main(options: argparse.Namespace) -> int:
    width, height = options.size
    openings = choose_openings(options.openings, width, height, options.rule, options.seed)
    header = {
        "full_nodes": FULL_NODES,
        "rule": options.rule,
        "size": [width, height],
        "openings": [options.openings.name, len(openings), fingerprint(openings)],
        "engine": engine_fingerprint(),
        "seed": options.seed,
    }
    results = ResultsFile(options.out, header)
    pairs = encounters(options.levels)
    control = Control(NODES_TURN_MS)
    schedules = [
        paired_games(*pair, openings, options.rule, control, options.games, DRAW_AFTER, prefix_of(pair))
        for pair in pairs
    ]
    # In turn, so that a run cut short says something about every encounter.
    games = [game for game in chain.from_iterable(zip_longest(*schedules)) if game is not None]
    try:
        names = sorted({name for pair in pairs for name in pair})
        run_games(games, {name: spec_of(name) for name in names}, results, options.workers, options.seed)
    finally:
        results.close()
        print(table(results.records, pairs))
        if options.page:
            options.page.write_text(page(results.records, pairs, options.rule, width, height))
    return 0
