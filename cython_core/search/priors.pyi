"""Candidate moves and their shape-weight priors."""

from cython_core.rules.position import Board

def weigh_candidates(board: Board) -> list[tuple[int, float]]:
    """The candidates of the side to move as (cell, weight), cells ascending; weights are not normalised."""

def place_number(dx: int, dy: int) -> int:
    """Which of the PLACES a cell at this distance from a stone belongs to: what the fit counts by."""
