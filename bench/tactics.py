"""`python -m bench tactics FILE`: what the threat solvers find in a puzzle file, every claimed win replayed.

Solved: a win is claimed where there is one and replays, or denied where there is none. Wrong: the reference
refutes the claim, or a known win is denied. Unsolved: the budget ran out. Refuted: the file says there is
no win, and the reference replays one; then the file is wrong.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import cython_core as core
from bench.machine import machine_line
from bench.notation import RULE_NAMES, read_rule
from bench.players import Control
from bench.puzzle_games import report
from bench.puzzles import Puzzle, read_puzzles
from bench.reference import Proof, why_vcf_fails, why_vct_fails

FIRST_BUDGET = 1000  # nodes of the first try when time is what counts; each next try has four times as many


class Claim(NamedTuple):
    """What a solver says: win, none or unknown; its first move, and what the reference holds against it."""

    status: str
    nodes: int
    seconds: float  # of the solver alone
    first: tuple[int, int] | None = None
    flaw: str | None = None


@dataclass(frozen=True)
class Outcome:
    puzzle: Puzzle
    verdict: str
    nodes: int
    seconds: float
    note: str = ""


def ask_vcf(puzzle: Puzzle, rule: int, nodes: int) -> Claim:
    board = puzzle.board(rule)
    started = time.perf_counter()
    found = core.solve_vcf(board, puzzle.side, nodes)
    seconds = time.perf_counter() - started
    if found.status != "win":
        return Claim(found.status, found.nodes, seconds)
    line = [core.xy(cell) for cell in found.line]
    return Claim(
        "win", found.nodes, seconds, line[0], why_vcf_fails(puzzle.position(rule), puzzle.side, line)
    )


def read_proof(proof: core.Proof, seen: dict[int, Proof]) -> Proof:
    """A proof with cells as the reference names them; parts that are shared stay shared."""
    if id(proof) not in seen:
        replies = {core.xy(cell): read_proof(answer, seen) for cell, answer in proof.replies.items()}
        seen[id(proof)] = Proof(core.xy(proof.move), replies, [core.xy(cell) for cell in proof.threat])
    return seen[id(proof)]


def ask_vct(puzzle: Puzzle, rule: int, nodes: int) -> Claim:
    board = puzzle.board(rule)
    started = time.perf_counter()
    found = core.solve_vct(board, puzzle.side, nodes)
    seconds = time.perf_counter() - started
    if found.proof is None:
        return Claim(found.status, found.nodes, seconds)
    proof = read_proof(found.proof, {})
    flaw = why_vct_fails(puzzle.position(rule), puzzle.side, proof)
    return Claim("win", found.nodes, seconds, proof.move, flaw)


ASK: dict[str, Callable[[Puzzle, int, int], Claim]] = {"vcf": ask_vcf, "no-vcf": ask_vcf, "vct": ask_vct}


def verdict_on(kind: str, puzzle: Puzzle, claim: Claim) -> tuple[str, str]:
    """Verdict and note for a claim about a puzzle of this kind."""
    if claim.flaw is not None:
        return "wrong", claim.flaw
    if claim.status == "unknown":
        return "unsolved", ""
    if kind == "no-vcf":
        return ("solved", "") if claim.status == "none" else ("refuted", "there is a VCF")
    if claim.status == "win":
        listed = not puzzle.answers or claim.first in puzzle.answers
        return "solved", "" if listed else "another first move"
    return ("wrong", "denies the VCF") if kind == "vcf" else ("unsolved", "no win found")


def solve(kind: str, puzzle: Puzzle, rule: int, nodes: int, seconds: float) -> Outcome:
    """One try of `nodes`, or tries of growing size until `seconds` are used up."""
    spent, taken = 0, 0.0
    budget = nodes or FIRST_BUDGET
    while True:
        claim = ASK[kind](puzzle, rule, budget)
        spent += claim.nodes
        taken += claim.seconds
        verdict, note = verdict_on(kind, puzzle, claim)
        if not nodes and taken > seconds and verdict != "wrong":
            verdict, note = "unsolved", "too late"
        if nodes or verdict != "unsolved" or taken >= seconds:
            return Outcome(puzzle, verdict, spent, taken, note)
        budget *= 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)
    limit = parser.add_mutually_exclusive_group()
    limit.add_argument("--nodes", type=int, default=0, help="per puzzle (default 100000)")
    limit.add_argument("--seconds", type=float, default=0.0, help="per puzzle")
    parser.add_argument("--rule", type=read_rule, default=0)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="only the first N puzzles")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--player", metavar="SPEC", help="let this player win a VCF file by fours; see `bench match`")
    parser.add_argument("--turn-ms", type=int, default=1000, help="its time for a move")
    parser.add_argument("--list", action="store_true", help="name every puzzle that was not solved")


def main(options: argparse.Namespace) -> int:
    """Returns 1 when a claim was wrong, or a puzzle was not won by the player."""
    if options.player:
        control = Control(options.turn_ms)
        return report(options.file, options.rule, options.first, options.player, control)
    file = read_puzzles(options.file)
    puzzles = file.puzzles[: options.first or None]
    nodes = options.nodes or (0 if options.seconds else 100_000)
    outcomes = []
    for number, puzzle in enumerate(puzzles, 1):
        outcome = solve(file.kind, puzzle, options.rule, nodes, options.seconds)
        outcomes.append(outcome)
        if outcome.verdict == "wrong" or (options.list and outcome.verdict != "solved"):
            print(f"{puzzle.name} {outcome.verdict} {outcome.note}".rstrip())
        if number % 200 == 0:
            print(f"{number} of {len(puzzles)}", file=sys.stderr)
    count = {v: sum(o.verdict == v for o in outcomes) for v in ("solved", "wrong", "unsolved", "refuted")}
    others = sum(o.verdict == "solved" and bool(o.note) for o in outcomes)
    limit = f"{nodes} nodes" if nodes else f"{options.seconds:g} s"
    if options.json:
        data = {
            "machine": machine_line(),
            "file": options.file.name,
            "kind": file.kind,
            "rule": RULE_NAMES[options.rule],
            "limit": limit,
            "puzzles": len(outcomes),
            **count,
            "nodes": sum(o.nodes for o in outcomes),
            "seconds": round(sum(o.seconds for o in outcomes), 3),
        }
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(data, indent=1) + "\n")
    print(machine_line())
    print(f"{options.file.name} ({file.kind}, {RULE_NAMES[options.rule]}), {limit} each")
    rate = 100 * count["solved"] / max(len(outcomes), 1)
    print(
        f"solved {count['solved']} of {len(outcomes)} ({rate:.2f} %, {others} by a first move not listed), "
        f"wrong {count['wrong']}, unsolved {count['unsolved']}, refuted {count['refuted']}"
    )
    if outcomes:
        times = [o.seconds for o in outcomes]
        print(
            f"nodes {sum(o.nodes for o in outcomes)}, time {sum(times):.1f} s, "
            f"median {1000 * statistics.median(times):.2f} ms, longest {max(times):.2f} s"
        )
    return 1 if count["wrong"] else 0
