"""The network parts of `bench speed`: the trunk alone, and whole simulations with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import cython_core as core
from bench.speed_core import Part, open_boards
from brain import weights
from brain.evaluator import Evaluator

TREE_BYTES = 32 << 20
SIMULATIONS = 200


@cache
def _evaluator() -> Evaluator:
    return Evaluator.load(core.FREESTYLE)


def parts() -> Iterator[Part]:
    """Nothing where there is no network; it is loaded when a part is first run."""
    try:
        weights.find(None)
    except weights.WeightsError:
        return
    for size in (1, 8, 16):
        yield Part(f"network trunk, batch {size}", "evals/s", partial(_evaluate, size))
    boards = open_boards(core.FREESTYLE, 15)
    yield Part("simulations with network", "/s", lambda: sum(_simulations(board, 16) for board in boards))


def _evaluate(size: int) -> int:
    batch = _evaluator().batch(15, 15, size)
    for _ in range(20):
        batch.evaluate(size)
    return 20 * size


def _simulations(board: core.Board, size: int) -> int:
    """Simulations in a fresh tree; fewer where the position is proven."""
    evaluator, searcher = _evaluator(), core.Searcher(TREE_BYTES, seed=1)
    searcher.set_network(evaluator.black_table, evaluator.white_table, evaluator.scales)
    searcher.set_position(board)
    worker, batch = core.Worker(searcher), evaluator.batch(board.width, board.height, size)
    while searcher.simulations < SIMULATIONS and searcher.proof is None:
        batch.simulate(worker, size)
    return searcher.simulations
