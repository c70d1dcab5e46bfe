"""Makes bench/openings.txt: random openings that a search with our network holds to be even.

Run as `python -m bench.make_openings`; the file is in the tree, so this is only needed to make another one.
"""

from __future__ import annotations

import sys

import cython_core as core
from bench.notation import RULE_NAMES
from bench.openings import OUR_OPENINGS, Opening, random_openings, write_openings
from brain.core_evaluator import CoreEvaluator

SEED = 2026
STAGES = ((200, 0.2), (3000, 0.06))  # simulations, and how far from one half the win rate may be after them
WANTED = [
    (core.FREESTYLE, 15, 60),
    (core.FREESTYLE, 20, 30),
    (core.STANDARD, 15, 30),
    (core.RENJU, 15, 30),
    (core.CARO_OVERLINE, 15, 30),
    (core.CARO, 15, 30),
]


def is_even(opening: Opening, rule: int, evaluator: CoreEvaluator) -> bool:
    """Does a search hold the position after the opening to be even, stage by stage?"""
    board = core.Board(opening.width, opening.height, rule)
    for x, y in opening.cells:
        board.play(core.cell(x, y))
    searcher = core.Searcher(32 << 20, seed=1)
    evaluator.give_to(searcher)
    searcher.set_position(board)
    worker = core.Worker(searcher)
    for simulations, tolerance in STAGES:
        worker.run(simulations - searcher.simulations)
        if searcher.proof is not None or abs(searcher.value - 0.5) > tolerance:
            return False
    return core.solve_vct(board, board.side, 50_000).status != "win"


def main() -> None:
    found = []
    evaluator = CoreEvaluator.load(core.FREESTYLE)
    for rule, size, wanted in WANTED:
        evaluator.use_rule(rule)
        tried = kept = 0
        for opening in random_openings(size, size, rule, SEED):
            tried += 1
            if is_even(opening, rule, evaluator):
                found.append(Opening(size, size, opening.cells, RULE_NAMES[rule]))
                kept += 1
            if kept == wanted:
                break
        print(f"{RULE_NAMES[rule]} {size}: {kept} of {tried}", file=sys.stderr)
    write_openings(OUR_OPENINGS, found)


if __name__ == "__main__":
    main()
