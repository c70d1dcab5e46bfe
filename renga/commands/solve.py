"""`renga solve`: is there a forced win for the side to move?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from renga.commands import position
from renga.solving import METHODS, solve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    position.add_arguments(parser)
    parser.add_argument("--method", choices=METHODS, default="vct", help="vcf: by fours; vct: by fours and threes")
    parser.add_argument("--proof", metavar="OUT", help="write the certificate of a win here (.gz: packed)")
    parser.add_argument("--nodes", type=int, default=2_000_000, help="stones that may be tried (default: 2000000)")


def run(options: argparse.Namespace) -> int:
    """0 if there is a win, 1 if none was found."""
    board = position.read(options)
    found = solve(board, options.method, options.nodes, certify=options.proof is not None)
    if found.certificate is not None:
        packed = options.proof.endswith(".gz")
        Path(options.proof).write_bytes(found.certificate.bytes if packed else found.certificate.text.encode())
    if options.json:
        answer = {
            **position.told(board), "method": options.method, "win": found.win, "exhausted": found.exhausted,
            "plies": found.plies, "line": list(map(str, found.line)), "nodes": found.nodes,
        }  # fmt: skip
        print(json.dumps(answer))
    else:
        print(position.headline(board), end="\n\n")
        if found.win:
            print(f"{board.turn} wins in {found.plies} plies: {' '.join(map(str, found.line))}")
        elif found.exhausted:
            print(f"{board.turn} has no win by {options.method}")
        else:
            print(f"no win by {options.method} found within {options.nodes} nodes; there may be one")
    return 0 if found.win else 1
