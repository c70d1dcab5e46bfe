"""`renga solve`: is there a forced win for the side to move?"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from renga.board import Board
from renga.commands import position
from renga.proof_graph import INFINITE, MEMORY
from renga.solving import METHODS, SEARCH, Solution, search, solve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    position.add_arguments(parser)
    parser.add_argument(
        "--method", choices=METHODS,
        help="vcf: by fours; vct: by threes, too; search: by quiet moves, too (default: vct; with --proof all in turn)",
    )  # fmt: skip
    parser.add_argument("--proof", metavar="OUT", help="write the certificate of a win here (.gz: packed)")
    parser.add_argument("--nodes", type=int, default=2_000_000, help="stones that may be tried (default: 2000000)")
    parser.add_argument("--seconds", type=float, default=60.0, help="for --method search (default: 60)")
    parser.add_argument("--positions", type=int, default=INFINITE, help="for --method search (default: no limit)")
    parser.add_argument(
        "--memory", type=int, default=MEMORY >> 20, metavar="MB",
        help=f"for the positions of --method search; what was searched least is forgotten (default: {MEMORY >> 20})",
    )  # fmt: skip
    parser.add_argument("--state", type=Path, metavar="FILE", help="for --method search: what is proven is kept here")


def _by(method: str, board: Board, options: argparse.Namespace) -> Solution:
    if method == SEARCH:
        return search(
            board, options.seconds, options.state, lambda text: print(text, file=sys.stderr, flush=True),
            options.positions, options.memory << 20,
        )  # fmt: skip
    return solve(board, method, options.nodes, certify=options.proof is not None)


def run(options: argparse.Namespace) -> int:
    """0 if there is a win, 1 if none was found."""
    board = position.read(options)
    proof = position.proof_path(options)
    in_turn = METHODS if options.proof else ("vct",)
    for method in (options.method,) if options.method else in_turn:
        found = _by(method, board, options)
        if found.win:
            break
    if found.certificate is not None and proof is not None:
        found.certificate.write(proof)
    if options.json:
        answer = {
            **position.told(board), "method": method, "win": found.win, "exhausted": found.exhausted,
            "plies": found.plies, "line": list(map(str, found.line)), "nodes": found.nodes,
        }  # fmt: skip
        print(json.dumps(answer))
    else:
        print(position.headline(board), end="\n\n")
        if found.win:
            print(f"{board.turn} wins in {found.plies} plies: {' '.join(map(str, found.line))}")
        elif found.exhausted:
            print(f"{board.turn} has no win by {method}")
        else:
            limit = f"{found.nodes} positions" if method == SEARCH else f"{options.nodes} nodes"
            print(f"no win by {method} found within {limit}; there may be one")
    return 0 if found.win else 1
