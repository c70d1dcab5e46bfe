"""`renga analyse`: the best moves of a position."""

from __future__ import annotations

import argparse
import json
from typing import Any

from renga.board import Board
from renga.commands import position
from renga.engine import Engine
from renga.records import Analysis, Limit, Line

SECONDS = 3.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    position.add_arguments(parser)
    parser.add_argument("--seconds", type=float, help=f"how long (default: {SECONDS:g}, or as long as --nodes takes)")
    parser.add_argument("--nodes", type=int, help="how many simulations; with one thread the answer is always the same")
    parser.add_argument("--lines", type=int, default=3, help="how many moves (default: 3)")
    parser.add_argument("--threads", type=int, default=1, help="of the search (default: 1)")
    parser.add_argument("--memory", type=int, default=350, metavar="MB", help="of the search (default: 350)")
    parser.add_argument("--proof", metavar="OUT", help="write the certificate of a proven end here (.gz: packed)")
    parser.add_argument("--network", metavar="FILE|off", help="another network than the shipped one, or none")


def run(options: argparse.Namespace) -> int:
    """0, or 1 if a proof was asked for and there is none."""
    board = position.read(options)
    proof = position.proof_path(options)
    seconds = SECONDS if options.seconds is None and options.nodes is None else options.seconds
    limit = Limit(seconds, options.nodes)
    with Engine(options.threads, options.memory, options.network) as engine:
        found = engine.analyse(board, limit, options.lines, proof=proof is not None)
    if found.certificate is not None and proof is not None:
        found.certificate.write(proof)
    unproven = proof is not None and found.certificate is None
    if options.json:
        print(json.dumps(as_json(board, found)))
    else:
        print(as_text(board, found) + f"\nnothing is proven: {options.proof} was not written" * unproven)
    return 1 if unproven else 0


def as_text(board: Board, found: Analysis) -> str:
    lines = [position.headline(board), ""]
    for number, line in enumerate(found.lines, 1):
        pv = " ".join(map(str, line.pv))
        lines.append(f"{number:2}  {line.move!s:4} {line.score:>7} {line.visits:9} visits  {pv}")
    lines.append(f"\n{found.visits} visits in {found.seconds:.1f} s, depth {found.depth}")
    return "\n".join(lines)


def as_json(board: Board, found: Analysis) -> dict[str, Any]:
    lines = [line_as_json(line) for line in found.lines]
    return {
        **position.told(board), "visits": found.visits, "seconds": found.seconds, "speed": found.speed,
        "depth": found.depth, "lines": lines, "certified": found.certificate is not None,
    }  # fmt: skip


def line_as_json(line: Line) -> dict[str, Any]:
    return {
        "move": str(line.move), "x": line.move.x, "y": line.move.y, "win_rate": line.win_rate, "wdl": line.wdl,
        "prior": line.prior, "visits": line.visits, "mate": line.mate, "pv": list(map(str, line.pv)),
    }  # fmt: skip
