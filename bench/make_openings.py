"""Makes bench/openings.txt: random openings that a search with our network holds to be even.

Run as `python -m bench.make_openings`; the file is in the tree, so this is only needed to make another one.
"""

from __future__ import annotations

import sys

import cython_core as core
from bench.notation import RULE_NAMES
from bench.openings import OUR_OPENINGS, Opening, random_openings, write_openings
from brain.evaluator import Evaluator

SEED = 2026
SIMULATIONS = 800
TOLERANCE = 0.1  # of the win rate, either way from one half
BATCH = 8
WANTED = [
    (core.FREESTYLE, 15, 60),
    (core.FREESTYLE, 20, 30),
    (core.STANDARD, 15, 30),
    (core.RENJU, 15, 30),
    (core.CARO_OVERLINE, 15, 30),
    (core.CARO, 15, 30),
]


def win_rate(opening: Opening, rule: int, evaluator: Evaluator) -> float | None:
    """Of the side to move after the opening; None where somebody has a proven win."""
    board = core.Board(opening.width, opening.height, rule)
    for x, y in opening.cells:
        board.play(core.cell(x, y))
    if core.solve_vct(board, board.side, 20_000).status == "win":
        return None
    searcher = core.Searcher(32 << 20, seed=1)
    searcher.set_network(evaluator.black_table, evaluator.white_table, evaluator.scales)
    searcher.set_position(board)
    worker, batch = core.Worker(searcher), evaluator.batch(board.width, board.height, BATCH)
    while searcher.simulations < SIMULATIONS and searcher.proof is None:
        batch.simulate(worker, BATCH)
    return searcher.value if searcher.proof is None else None


def main() -> None:
    found = []
    evaluator = Evaluator.load(core.FREESTYLE)
    for rule, size, wanted in WANTED:
        evaluator.use_rule(rule)
        tried = kept = 0
        for opening in random_openings(size, size, rule, SEED):
            tried += 1
            rate = win_rate(opening, rule, evaluator)
            if rate is not None and abs(rate - 0.5) <= TOLERANCE:
                found.append(Opening(size, size, opening.cells, RULE_NAMES[rule]))
                kept += 1
            if kept == wanted:
                break
        print(f"{RULE_NAMES[rule]} {size}: {kept} of {tried}", file=sys.stderr)
    write_openings(OUR_OPENINGS, found)


if __name__ == "__main__":
    main()
