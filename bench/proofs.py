"""`python -m bench proofs [FILE ...]`: certificates of whatever the engine proves, each checked by the verifier.

A puzzle file gives its wins. A results file of a match gives every position of its games that a search can prove won or
lost; `--games N` gives the same of games that the search plays against itself, over all rules and sizes. A proof that
cannot be completed, that the verifier does not accept, or that takes longer than was claimed is a failure.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import cython_core as core
from bench.machine import machine_line
from bench.notation import RULE_NAMES, read_rule
from bench.puzzles import read_puzzles
from bench.records import read_results
from renga.certificate import Certificate, Step
from renga.prove import VCT_NODES, prove
from renga.verify import Refuted, Unusable

SIZES = (10, 12, 13, 15, 15, 15, 17, 19, 20)
LONGEST_GAME = 120
SEARCH_BYTES = 32 << 20
STONES = (*VCT_NODES, 2_000_000, 20_000_000)
"""For a win by threats, tried one after the other."""
LONG = 15
"""Plies of a win above which it counts as long."""


@dataclass
class Tally:
    """What was proven, and how it went."""

    wins: int = 0
    losses: int = 0
    long_wins: int = 0
    quiet: int = 0
    unsolved: int = 0
    failures: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    positions: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    """Seconds of processor time that one claim took at most, its verification included."""
    stones: int = VCT_NODES[-1]
    """For a win by threats."""
    seen: set[int] = field(default_factory=set)

    def enter(self, name: str, board: core.Board, winner: int, claimed: int, searcher: core.Searcher | None) -> None:
        """Certifies a claim; `claimed` plies, 0 where the solvers are only asked."""
        if board.key in self.seen:
            return
        self.seen.add(board.key)
        started = time.process_time()
        try:
            certificate = prove(board, winner, searcher, tuple(takewhile(lambda part: part <= self.stones, STONES)))
        except (Refuted, Unusable) as error:
            self.failures.append(f"{name}: {error}")
            return
        finally:
            spent = time.process_time() - started
            self.seconds, self.longest = self.seconds + spent, max(self.longest, spent)
        if certificate is None and claimed:
            self.failures.append(f"{name}: {claimed} plies were claimed, but the proof is not complete")
        elif certificate is None:
            self.unsolved += 1
        elif claimed and certificate.plies > claimed:
            self.failures.append(f"{name}: {claimed} plies were claimed, {certificate.plies} are needed")
        else:
            self.count(board, winner, certificate)

    def count(self, board: core.Board, winner: int, certificate: Certificate) -> None:
        won = board.side == winner
        self.wins, self.losses = self.wins + won, self.losses + (not won)
        self.long_wins += won and certificate.plies > LONG
        self.quiet += won and has_quiet_move(board, winner, certificate.strategy)
        self.sizes.append(len(certificate.bytes))
        self.positions += certificate.verified.positions

    def report(self, title: str) -> str:
        sizes = self.sizes or [0]
        return (
            f"{title}: verified {self.wins} wins ({self.long_wins} longer than {LONG} plies, {self.quiet} with quiet "
            f"moves) and {self.losses} losses; unsolved {self.unsolved}, failures {len(self.failures)}\n"
            f"  packed {sum(sizes)} bytes, median {statistics.median(sizes):.0f}, largest {max(sizes)}; "
            f"{self.positions} positions verified; {self.seconds:.1f} s of processor time in all, "
            f"{self.longest:.1f} s at most for one"
        )


def has_quiet_move(board: core.Board, winner: int, strategy: Step) -> bool:
    """Does the winner play a move that is neither a four nor an open three, in an answer that the proof lists?"""
    seen = set()
    waiting: list[tuple[Step, core.Board]] = [(strategy, board.copy())]
    while waiting:
        step, position = waiting.pop()
        if id(step) in seen:
            continue
        seen.add(id(step))
        if step.move is not None:
            if position.class_of(step.move, winner) < core.CLASS_THREE:
                return True
            position.put(step.move, winner)
        for reply, answer in step.replies.items():
            after = position.copy()
            after.put(reply, 1 - winner)
            waiting.append((answer, after))
    return False


def puzzles(tally: Tally, path: Path, rule: int, first: int) -> None:
    for puzzle in read_puzzles(path).puzzles[: first or None]:
        board = puzzle.board(rule)
        board.settle()
        if board.winner == core.EMPTY:
            tally.enter(puzzle.name, board, puzzle.side, 0, None)


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


def own_game(tally: Tally, number: int, rule: int, simulations: int) -> None:
    """A game from a random opening; the loser resists as long as the tree knows how."""
    rng = random.Random(f"proofs {number} {rule}")
    size = rng.choice(SIZES)
    board = core.Board(size, size, rule)
    searcher = core.Searcher(SEARCH_BYTES, seed=number + 1)
    worker = core.Worker(searcher)
    opening = rng.randint(2, 6)
    while board.ply < opening:
        cell = core.cell(size // 2 + rng.randint(-2, 2), size // 2 + rng.randint(-2, 2))
        if board.legal(cell):
            board.play(cell)
    while board.winner == core.EMPTY and board.ply < min(LONGEST_GAME, size * size):
        searcher.set_position(board)
        worker.run(simulations)
        claims(tally, f"game {number} {RULE_NAMES[rule]} {size}", board, searcher)
        move = next(moves(searcher), None)
        if move is None:
            return
        board.play(move)


def moves(searcher: core.Searcher) -> Iterator[int]:
    """Best first: the win, the most visited of the open ones, the longest resistance."""
    if searcher.proof_move is not None:
        yield searcher.proof_move
    children = [(cell, visits, proof) for cell, visits, _, _, _, proof, *_ in searcher.children()]
    yield from (
        cell
        for cell, visits, proof in sorted(
            children, key=lambda child: (child[2] is None or child[2] >= 0, -(child[2] or 0), child[1]), reverse=True
        )
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="puzzles (.tsv) or results of a match")
    parser.add_argument("--rule", type=read_rule, help="of puzzles (default freestyle); of games: this one only")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="only the first N puzzles or games of a file")
    parser.add_argument(
        "--stones", type=int, default=VCT_NODES[-1], metavar="N",
        help=f"for threats: at most this one of {', '.join(map(str, STONES))} (default {VCT_NODES[-1]})",
    )  # fmt: skip
    parser.add_argument("--games", type=int, default=0, metavar="N", help="games of the search against itself")
    parser.add_argument("--from-game", type=int, default=0, metavar="N", help="number of the first such game")
    parser.add_argument("--simulations", type=int, default=800, help="of the search at each position (default 800)")


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
            own_game(tally, number, rules[number % len(rules)], options.simulations)
            if number % 10 == 9:
                print(f"{number + 1}: {tally.wins} wins, {tally.losses} losses", file=sys.stderr)
        tallies.append((f"{options.games} own games", tally))
    print(machine_line())
    for title, tally in tallies:
        print(tally.report(title))
        for failure in tally.failures:
            print(f"  FAILED {failure}")
    return 1 if any(tally.failures for _, tally in tallies) else 0
