"""Candidate moves and their shape-weight priors."""

from cython_core.rules.position import Board

def weigh_candidates(board: Board) -> list[tuple[int, float]]:
    """The candidates of the side to move as (cell, weight), cells ascending; weights are not normalised."""
