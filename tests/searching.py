"""Positions and short searches for the tests of the search."""

import cython_core as core

MEGABYTE = 1 << 20


def searched(board: core.Board, simulations: int, memory: int = 16 * MEGABYTE, **tunables: float) -> core.Searcher:
    searcher = core.Searcher(memory, **tunables)
    searcher.set_position(board)
    core.Worker(searcher).run(simulations)
    return searcher


QUIET = """
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . o . . . . . .
. . . . . x . . . . .
. . . . . x o . . . .
. . . . . o . . . . .
. . . . . . . x . . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
"""

OPEN_THREE_TO_ANSWER = """
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . o o o . . . .
. . . . . x . . . . .
. . . . . x . . . . .
. . . . . . . . x . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
"""


def snapshot(searcher: core.Searcher) -> object:
    return searcher.children(), searcher.visits, searcher.value, searcher.nodes, searcher.solver_nodes
