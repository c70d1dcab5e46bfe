"""`python -m bench proofs [FILE ...]`: certificates of whatever the engine proves, each checked by the verifier.

A puzzle file gives its wins. A results file of a match gives every position of its games that a search can prove won or
lost; `--games N` gives every end that the engine announces in games against itself, over all rules and sizes. A proof
that cannot be completed, that the verifier does not accept, or that takes longer than was claimed is a failure; and so
is an end that was announced and put off.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cython_core as core
from bench.machine import machine_line
from bench.notation import RULE_NAMES, read_rule
from bench.proof_games import own_game
from bench.proof_tally import STONES, Tally
from bench.puzzles import read_puzzles
from bench.records import read_results
from renga.prove import VCT_NODES

SEARCH_BYTES = 32 << 20


def puzzles(tally: Tally, path: Path, rule: int, first: int) -> None:
    for puzzle in read_puzzles(path).puzzles[: first or None]:
        board = puzzle.board(rule)
        board.settle()
        if board.winner == core.EMPTY:
            tally.enter(puzzle.name, board, puzzle.side, 0)


def claims(tally: Tally, name: str, board: core.Board, searcher: core.Searcher) -> None:
    """Enters what the search has proven of the position."""
    plies = searcher.proof
    if plies is not None and abs(plies) > 1:
        winner = board.side if plies > 0 else 1 - board.side
        tally.enter(f"{name}, ply {board.ply}, M{plies:+}", board, winner, abs(plies), searcher)


def match_games(tally: Tally, path: Path, first: int, simulations: int) -> None:
    for record in read_results(path)[1][: first or None]:
        board = core.Board(record.width, record.height, record.rule)
        searcher = core.Searcher(SEARCH_BYTES)
        worker = core.Worker(searcher)
        for x, y in record.moves:
            if board.ply >= record.opening:
                searcher.set_position(board)
                worker.run(simulations)
                claims(tally, record.name, board, searcher)
            board.play(core.cell(x, y))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="puzzles (.tsv) or results of a match")
    parser.add_argument("--rule", type=read_rule, help="of puzzles (default freestyle); of games: this one only")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="only the first N puzzles or games of a file")
    parser.add_argument(
        "--stones", type=int, default=VCT_NODES[-1], metavar="N",
        help=f"for threats: at most this one of {', '.join(map(str, STONES))} (default {VCT_NODES[-1]})",
    )  # fmt: skip
    parser.add_argument("--games", type=int, default=0, metavar="N", help="games of the engine against itself")
    parser.add_argument("--from-game", type=int, default=0, metavar="N", help="number of the first such game")
    parser.add_argument("--simulations", type=int, default=800, help="of the search at each position (default 800)")
    parser.add_argument("--network", default="", metavar="FILE", help="of own games (default: the shipped one), or off")


def main(options: argparse.Namespace) -> int:
    """Returns 1 when there was a failure."""
    tallies: list[tuple[str, Tally]] = []
    for path in options.files:
        tally = Tally(stones=options.stones)
        if path.suffix == ".tsv":
            puzzles(tally, path, options.rule or core.FREESTYLE, options.first)
            tallies.append((f"{path.name} ({RULE_NAMES[options.rule or core.FREESTYLE]})", tally))
        else:
            match_games(tally, path, options.first, options.simulations)
            tallies.append((path.name, tally))
    if options.games:
        tally = Tally(stones=options.stones)
        rules = core.RULES if options.rule is None else (options.rule,)
        for number in range(options.from_game, options.from_game + options.games):
            own_game(tally, number, rules[number % len(rules)], options.simulations, options.network)
            if number % 10 == 9:
                print(f"{number + 1}: {tally.wins} wins, {tally.losses} losses", file=sys.stderr)
        tallies.append((f"{options.games} own games", tally))
    print(machine_line())
    for title, tally in tallies:
        print(tally.report(title))
        for failure in tally.failures:
            print(f"  FAILED {failure}")
    return 1 if any(tally.failures for _, tally in tallies) else 0
