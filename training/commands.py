"""Options of the commands that search positions: `selfplay`, `relabel`, `pit`, `loop`, `book`; and of `status`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bench.puzzles import data_folder
from bench.stats import Sprt
from brain.book import DEFAULT_NAME as DEFAULT_BOOK
from brain.book_file import MOST_STONES
from brain.weights import DEFAULT_NAME, weights_folder
from cython_core import RULE_BOOK
from training.book import Plan as BookPlan
from training.book import grow, seal
from training.cycles import LOOP_MATCH, LOOP_SIMULATIONS, LOOP_TEMPERATURE, Plan
from training.games import GameError, game_files
from training.options import (
    add_choices,
    count,
    count_or_none,
    elo,
    paired_games,
    paired_games_or_none,
    positive,
    rule_numbers,
    rule_shares,
    share,
    share_below_one,
    size_numbers,
    whole,
)
from training.pit import Match, pit_two, round_robin
from training.recipe import LOOP_RECIPE, add_recipe, recipe_of
from training.relabel import Relabelling, relabel
from training.selfplay import Settings, selfplay
from training.status import draw, status_lines
from training.yardstick import Yardstick, label

RUNS = Path(os.environ.get("RENGA_RUNS", "runs"))
SHIPPED = weights_folder() / DEFAULT_NAME
NO_NETWORK = "-"


def add_games(parser: argparse.ArgumentParser, games: int, number: Callable[[str], int] = count) -> None:
    """Options of everything that plays games; `number` reads how many."""
    parser.add_argument("--games", type=number, default=games, help="number of games (default %(default)s)")
    parser.add_argument("--rules", type=rule_numbers, default=Settings.rules, metavar="NAME,...",
                        help="rules in turn (default: all, freestyle twice)")  # fmt: skip
    parser.add_argument("--sizes", type=size_numbers, default=Settings.sizes, metavar="N,...",
                        help="board sizes, drawn at random (default 15,15,20)")  # fmt: skip
    parser.add_argument("--processes", type=count, default=os.cpu_count() or 1, help="workers (default: cores)")


def add_selfplay(parser: argparse.ArgumentParser) -> None:
    add_games(parser, 400)
    parser.add_argument("--network", default=str(SHIPPED), help="full graph, `-` for none (default: the shipped one)")
    parser.add_argument("--out", type=Path, default=RUNS / "selfplay.txt",
                        help="game file, gone on with if it exists (default %(default)s)")  # fmt: skip
    add_search(parser)
    add_choices(parser, Settings, {"seed": (count_or_none, "of all dice")})
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="play on this Ray cluster (extra `ray`)")


def add_search(parser: argparse.ArgumentParser) -> None:
    add_choices(parser, Settings, {
        "simulations": (count, "of a full search"),
        "cheap": (count, "simulations of the others"),
        "full_share": (share, "share of full searches"),
        "plan": (count_or_none, "simulations of every search, planned so that each leaves a target; 0: full and cheap"),
        "noise": (share, "of a full search's root"),
        "inner_noise": (share, "at its other nodes"),
        "root_visits": (count_or_none, "every root move gets first"),
        "temperature": (positive, "of the first moves"),
    })  # fmt: skip


def run_selfplay(options: argparse.Namespace) -> None:
    settings = replace(settings_of(options, options.network, options.rules), seed=options.seed)
    selfplay(settings, options.out, options.games, options.processes, options.ray, say)


def add_relabel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", type=Path, help="game file, .txt or .txt.gz")
    parser.add_argument("target", type=Path, help="file of the same games with new labels, gone on with if it exists")
    parser.add_argument("--network", default=str(SHIPPED), help="full graph (default: the shipped one)")
    parser.add_argument("--processes", type=count, default=os.cpu_count() or 1, help="workers (default: cores)")
    add_choices(parser, Relabelling, {
        "simulations": (count, "of each position"),
        "played_share": (share, "of the recorded move in the policy"),
    })  # fmt: skip


def run_relabel(options: argparse.Namespace) -> None:
    how = Relabelling(graph_of(options.network), options.simulations, options.played_share)
    relabel(how, options.source, options.target, options.processes, say)


def add_label(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", type=Path, help="file of labelled positions, gone on with if it exists")
    parser.add_argument("sources", type=Path, nargs="+", help="game files, .txt or .txt.gz; held-out games are taken")
    parser.add_argument("--network", default=str(SHIPPED), help="full graph (default: the shipped one)")
    parser.add_argument("--processes", type=count, default=os.cpu_count() or 1, help="workers (default: cores)")
    add_choices(parser, Yardstick, {
        "positions": (count, "wanted"),
        "simulations": (count, "of each position"),
        "per_game": (count, "positions of one game at most"),
    })  # fmt: skip


def run_label(options: argparse.Namespace) -> None:
    how = Yardstick(options.network, options.positions, options.simulations, options.per_game)
    label(how, options.sources, options.target, options.processes, say)


def settings_of(options: argparse.Namespace, network: str, rules: tuple[int, ...]) -> Settings:
    return Settings(
        network=graph_of(network), simulations=options.simulations, cheap=options.cheap,
        full_share=options.full_share, plan=options.plan, noise=options.noise, inner_noise=options.inner_noise,
        root_visits=options.root_visits, temperature=options.temperature, rules=rules, sizes=options.sizes,
    )  # fmt: skip


def graph_of(name: str) -> str:
    """A network as players know it: empty for none."""
    return "" if name == NO_NETWORK else name


def say(text: str) -> None:
    print(text, flush=True)


def add_decision(parser: argparse.ArgumentParser) -> None:
    """What a network must reach in a match to replace another."""
    add_choices(parser, Match, {"win_rate": (share, "score needed")})
    parser.add_argument("--sprt", type=elo, nargs=2, metavar=("ELO0", "ELO1"), help="sequential test instead")


def match_of(options: argparse.Namespace, games: int, simulations: int) -> Match:
    if options.sprt and not options.sprt[0] < options.sprt[1]:
        raise GameError("--sprt needs ELO0 below ELO1")
    sprt = Sprt(*options.sprt) if options.sprt else None
    return Match(games, simulations, options.rules, options.sizes, sprt=sprt, win_rate=options.win_rate)


def add_pit(parser: argparse.ArgumentParser) -> None:
    add_games(parser, Match.games, paired_games)
    parser.add_argument("networks", nargs="+", help="two: may the first replace the second; more: round robin. "
                        "Full graphs, or `-` for no network")  # fmt: skip
    add_choices(parser, Match, {"simulations": (count, "of every search"), "seed": (count_or_none, "of the openings")})
    add_decision(parser)


def run_pit(options: argparse.Namespace) -> None:
    networks = [graph_of(name) for name in options.networks]
    match = replace(match_of(options, options.games, options.simulations), seed=options.seed)
    if len(networks) < 2:
        raise GameError("a match needs two networks")
    if len(networks) > 2:
        if match.sprt is not None:
            raise GameError("--sprt is for two networks")
        for name, score in round_robin(networks, match, options.processes, say):
            say(f"{100 * score:5.1f} %  {name or NO_NETWORK}")
        return
    verdict = pit_two(networks[0], networks[1], match, options.processes, say)
    summary = verdict.summary
    low, best, high = summary.elo_interval()
    say(f"+{summary.wins} ={summary.draws} -{summary.losses}, Elo {best:.0f} ({low:.0f} .. {high:.0f})")
    say(f"{verdict.reason}: {'promote' if verdict.promoted else 'discard'}")


def add_places(parser: argparse.ArgumentParser) -> None:
    """Where a loop is."""
    parser.add_argument("--folder", type=Path, default=RUNS / "loop",
                        help="state; taken up if there is one (default %(default)s)")  # fmt: skip
    parser.add_argument("--history", type=Path, help="folder of the history, small text to be kept with the networks "
                        "(default: history in --folder)")  # fmt: skip


def add_loop(parser: argparse.ArgumentParser) -> None:
    add_places(parser)
    parser.add_argument("--start", type=Path, default=SHIPPED, help="first network (default: the shipped one)")
    add_choices(parser, Plan, {
        "networks": (count_or_none, "to make in all; 0: without end"),
        "fresh": (count, "new games that each network needs"),
        "window": (count, "newest games to learn from"),
        "passes": (positive, "a network sees each position of the window at most this often"),
        "records_share": (share_below_one, "of records in what it learns from, where there are any"),
    })  # fmt: skip
    parser.add_argument("--records", type=Path, nargs="*", help="game files to learn from as well (default: those in "
                        "RENGA_DATA/games)")  # fmt: skip
    parser.add_argument("--shares", type=rule_shares, default=Settings.rules, metavar="NAME=N,...",
                        help="how often each rule is played (default: all alike, freestyle twice)")  # fmt: skip
    parser.add_argument("--sizes", type=size_numbers, default=Settings.sizes, metavar="N,...",
                        help="board sizes to draw from (default 15,15,20)")  # fmt: skip
    add_search(parser)
    parser.set_defaults(plan=LOOP_SIMULATIONS, temperature=LOOP_TEMPERATURE)
    add_recipe(parser, LOOP_RECIPE)
    parser.add_argument("--gate", type=paired_games, default=0, metavar="GAMES", help="a new network has to win "
                        "a match of this many games before it plays (default: the average plays at once)")  # fmt: skip
    parser.add_argument("--gate-simulations", type=count, default=Match.simulations,
                        help="of its searches (default %(default)s)")  # fmt: skip
    parser.add_argument("--win-rate", type=share, default=0.5, help="score needed there (default %(default)s)")
    parser.add_argument("--opponents", nargs="+", default=[], help="fixed opponents that every network is measured "
                        "against, `-` for none (default: the first network)")  # fmt: skip
    parser.add_argument("--measure-games", type=paired_games_or_none, default=LOOP_MATCH.games,
                        help="against each of them (default %(default)s)")  # fmt: skip
    parser.add_argument("--measure-simulations", type=count, default=LOOP_MATCH.simulations,
                        help="of their searches (default %(default)s)")  # fmt: skip
    parser.add_argument("--processes", type=count, default=max(1, (os.cpu_count() or 1) - 1),
                        help="of self-play, beside the one that learns (default: one core less)")  # fmt: skip
    parser.add_argument("--ray", default="", metavar="ADDRESS", help="self-play on this Ray cluster (extra `ray`)")


def run_loop(options: argparse.Namespace) -> None:
    from training.kernels import use_threads
    from training.loop import loop

    use_threads(1)
    records = game_files(data_folder()) if options.records is None else options.records
    rules = tuple(dict.fromkeys(options.shares))
    match = Match(options.measure_games, options.measure_simulations, rules, options.sizes)
    gate = replace(match, games=options.gate, simulations=options.gate_simulations, win_rate=options.win_rate)
    plan = Plan(
        networks=options.networks, fresh=options.fresh, window=options.window, passes=options.passes,
        records=tuple(records), records_share=options.records_share, recipe=recipe_of(options, LOOP_RECIPE),
        gate=gate if options.gate else None, measure=match, opponents=tuple(options.opponents),
        processes=options.processes, ray=options.ray,
    )  # fmt: skip
    settings = settings_of(options, "", options.shares)
    history = options.history or options.folder / "history"
    playing = loop(options.folder, history, options.start, settings, plan, say)
    say(f"{options.folder / 'networks' / playing}.onnx plays; its history: {history}")


def add_book(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rules", type=rule_numbers, default=tuple(RULE_BOOK), metavar="NAME,...",
                        help="rules to grow it for (default: all)")  # fmt: skip
    parser.add_argument("--sizes", type=size_numbers, default=(15, 20), metavar="N,...",
                        help="board sizes (default 15,20)")  # fmt: skip
    # The first one is the position's own: with no other there is no best move.
    parser.add_argument("--simulations", type=whole(2), default=4000, help="of each search (default %(default)s)")
    parser.add_argument("--plies", type=int, default=4, choices=range(MOST_STONES + 1),
                        help="stones of the last positions (default 4)")  # fmt: skip
    parser.add_argument("--offers", type=count_or_none, default=8, help="three stones for swap2, for each rule and "
                        "size (default %(default)s)")  # fmt: skip
    parser.add_argument("--network", type=Path, default=SHIPPED, help="who searches (default: the shipped network)")
    parser.add_argument("--out", type=Path, default=RUNS / DEFAULT_BOOK, help="the book; beside it every search, so "
                        "that the same command can go on (default %(default)s)")  # fmt: skip
    parser.add_argument("--seal", type=Path, metavar="FILE", help="instead: check a book that was edited by hand, and "
                        "give it its checksum")  # fmt: skip


def run_book(options: argparse.Namespace) -> None:
    if options.seal is not None:
        say(f"{options.seal}: {seal(options.seal)} positions")
        return
    plan = BookPlan(options.rules, options.sizes, options.simulations, options.plies, options.offers)
    say(f"{options.out}: {grow(plan, options.network, options.out, say)} positions")


def add_status(parser: argparse.ArgumentParser) -> None:
    add_places(parser)
    parser.add_argument("--picture", type=Path, help="where the curves go (default: history.png in the folder of "
                        "the history; needs matplotlib)")  # fmt: skip


def run_status(options: argparse.Namespace) -> None:
    history = options.history or options.folder / "history"
    for line in status_lines(options.folder, history):
        say(line)
    picture = options.picture or history / "history.png"
    say(f"curves: {picture}" if draw(history, picture) else "no curves: matplotlib comes with the extra `train`")
