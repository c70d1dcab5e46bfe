"""Options of `selfplay`, `pit` and `loop`, the commands that play games."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from training.games import GameError
from training.options import count, count_or_none, paired_games, positive, rule_numbers, share, size_numbers
from training.recipe import GENERATION_RECIPE, add_recipe, recipe_of

if TYPE_CHECKING:
    from training.selfplay import Settings

RUNS = Path(os.environ.get("RENGA_RUNS", "runs"))
SHIPPED = Path(__file__).resolve().parent.parent / "weights" / "renga.onnx"


def add_games(parser: argparse.ArgumentParser, games: int, number: Callable[[str], int] = count) -> None:
    """Options of everything that plays games; `number` reads how many."""
    parser.add_argument("--games", type=number, default=games, help="number of games (default %(default)s)")
    parser.add_argument("--rules", type=rule_numbers, default=(0, 0, 1, 4, 8, 9), metavar="NAME,...",
                        help="rules in turn (default: all, freestyle twice)")  # fmt: skip
    parser.add_argument("--sizes", type=size_numbers, default=(15, 15, 20), metavar="N,...", help="board sizes, by lot")
    parser.add_argument("--processes", type=count, default=os.cpu_count() or 1, help="workers (default: cores)")


def add_selfplay(parser: argparse.ArgumentParser) -> None:
    add_games(parser, 400)
    parser.add_argument("--network", type=Path, default=SHIPPED, help="full graph (default: the shipped one)")
    parser.add_argument("--out", type=Path, default=RUNS / "selfplay.txt", help="game file; gone on with if it exists")
    add_search(parser)
    parser.add_argument("--seed", type=count_or_none, default=0, help="of all dice (default %(default)s)")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="play on this Ray cluster (extra `ray`)")


def add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--simulations", type=count, default=300, help="of a full search (default %(default)s)")
    parser.add_argument("--cheap", type=count, default=60, help="of the others (default %(default)s)")
    parser.add_argument("--full-share", type=share, default=0.3, help="share of full searches (default %(default)s)")
    parser.add_argument("--noise", type=share, default=0.25, help="of a full search's root (default %(default)s)")
    parser.add_argument("--inner-noise", type=share, default=0.0, help="at its other nodes (default %(default)s)")
    parser.add_argument("--root-visits", type=count_or_none, default=0, help="every root move gets first (default 0)")
    parser.add_argument("--temperature", type=positive, default=1.0, help="of the first moves (default %(default)s)")


def run_selfplay(options: argparse.Namespace) -> None:
    from training.selfplay import selfplay

    settings = replace(settings_of(options, options.network), seed=options.seed)
    selfplay(settings, options.out, options.games, options.processes, options.ray, say)


def settings_of(options: argparse.Namespace, network: Path) -> Settings:
    from training.selfplay import Settings

    return Settings(
        network=str(network), simulations=options.simulations, cheap=options.cheap, full_share=options.full_share,
        noise=options.noise, inner_noise=options.inner_noise, root_visits=options.root_visits,
        temperature=options.temperature, rules=options.rules, sizes=options.sizes,
    )  # fmt: skip


def say(text: str) -> None:
    print(text, flush=True)


def add_pit(parser: argparse.ArgumentParser) -> None:
    add_games(parser, 200, paired_games)
    parser.add_argument("networks", nargs="+", help="two: may the first replace the second; more: round robin. "
                        "Full graphs, or `-` for no network")  # fmt: skip
    parser.add_argument("--simulations", type=count, default=200, help="of every search (default %(default)s)")
    parser.add_argument("--win-rate", type=share, default=0.55, help="score needed (default %(default)s)")
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"), help="sequential test instead")


def run_pit(options: argparse.Namespace) -> None:
    from bench.stats import Sprt
    from training.pit import pit_two, round_robin

    networks = ["" if name == "-" else name for name in options.networks]
    common = (options.games, options.simulations, options.processes, options.rules, options.sizes[0])
    if len(networks) < 2:
        raise GameError("a match needs two networks")
    if options.sprt and not options.sprt[0] < options.sprt[1]:
        raise GameError("--sprt needs ELO0 below ELO1")
    if len(networks) > 2:
        for name, score in round_robin(networks, *common, say):
            say(f"{100 * score:5.1f} %  {name or '-'}")
        return
    sprt = Sprt(*options.sprt) if options.sprt else None
    verdict = pit_two(networks[0], networks[1], *common, sprt, options.win_rate, say)
    summary = verdict.summary
    low, best, high = summary.elo_interval()
    say(f"+{summary.wins} ={summary.draws} -{summary.losses}, Elo {best:.0f} ({low:.0f} .. {high:.0f})")
    say(f"{verdict.reason}: {'promote' if verdict.promoted else 'discard'}")


def add_loop(parser: argparse.ArgumentParser) -> None:
    add_games(parser, 400)
    add_search(parser)
    parser.add_argument("--folder", type=Path, default=RUNS / "loop", help="state; taken up if there is one")
    parser.add_argument("--start", type=Path, default=SHIPPED, help="first network (default: the shipped one)")
    parser.add_argument("--generations", type=count, default=1, help="generations in all (default %(default)s)")
    parser.add_argument("--window", type=count, default=4, help="generations to learn from (default %(default)s)")
    parser.add_argument("--extra", type=Path, nargs="*", default=[], help="game files to learn from as well")
    add_recipe(parser, GENERATION_RECIPE)
    parser.add_argument("--pit-games", type=paired_games, default=100, help="games of the match (default %(default)s)")
    parser.add_argument("--win-rate", type=share, default=0.55, help="score needed for promotion")
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="self-play on this Ray cluster")


def run_loop(options: argparse.Namespace) -> None:
    import torch

    from training.loop import Plan, loop

    torch.set_num_threads(1)
    plan = Plan(
        games=options.games, window=options.window, extra=tuple(options.extra), pit_games=options.pit_games,
        recipe=recipe_of(options, GENERATION_RECIPE), win_rate=options.win_rate, processes=options.processes,
        ray=options.ray,
    )  # fmt: skip
    promoted = loop(options.folder, options.start, options.generations, settings_of(options, options.start), plan, say)
    say(f"{promoted} promoted generations; best network: {options.folder / 'best.onnx'}")
