"""Makes bench/openings.txt: random openings that a search with our network holds to be even.

Run as `python -m bench.make_openings`; the file is in the tree, so this is only needed to make another one. The same
command goes on after a kill: `openings.unfinished.txt` holds what was found and takes the file's place at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cython_core as core
from bench.notation import RULE_NAMES
from bench.openings import OUR_OPENINGS, Opening, random_openings, read_openings, write_openings
from brain.core_evaluator import CoreEvaluator

SEED = 2026
STAGES = ((200, 0.2), (3000, 0.06))  # simulations, and how far from one half the win rate may be after them
MOST_TRIED = 100_000  # candidates among which those kept before a kill are looked for
WANTED = [
    (core.FREESTYLE, 15, 120),
    (core.FREESTYLE, 20, 100),
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
    searcher.set_evaluator(evaluator.network)
    searcher.set_position(board)
    worker = core.Worker(searcher)
    for simulations, tolerance in STAGES:
        worker.run(simulations - searcher.simulations)
        if searcher.proof is not None or abs(searcher.value - 0.5) > tolerance:
            return False
    return core.solve_vct(board, board.side, 50_000).status != "win"


def make(path: Path, wanted: Sequence[tuple[int, int, int]], evaluator: CoreEvaluator) -> list[Opening]:
    """Fills `path` with the `wanted` (rule, size, number) of even openings, each written when it is found."""
    found = read_openings(path) if path.exists() else []
    for rule, size, number in wanted:
        name = RULE_NAMES[rule]
        kept = [opening for opening in found if (opening.source, opening.width) == (name, size)]
        candidates = enumerate(random_openings(size, size, rule, SEED), 1)
        tried = skip(kept, candidates, path)
        evaluator.use_rule(rule)
        while len(kept) < number:
            tried, candidate = next(candidates)
            if is_even(candidate, rule, evaluator):
                kept.append(replace(candidate, source=name))
                found.append(kept[-1])
                write_openings(path, found)
        print(f"{name} {size}: {len(kept)} of {tried}", file=sys.stderr)
    return found


def skip(kept: list[Opening], candidates: Iterator[tuple[int, Opening]], path: Path) -> int:
    """Passes over the candidates up to the last one that was kept; its number."""
    waiting, tried = [opening.cells for opening in kept], 0
    while waiting:
        tried, candidate = next(candidates)
        if candidate.cells == waiting[0]:
            waiting.pop(0)
        elif tried >= MOST_TRIED:
            raise ValueError(f"{path}: begun with another seed; remove it")
    return tried


def main() -> None:
    unfinished = OUR_OPENINGS.with_name("openings.unfinished.txt")
    make(unfinished, WANTED, CoreEvaluator.load(core.FREESTYLE))
    unfinished.replace(OUR_OPENINGS)


if __name__ == "__main__":
    main()
