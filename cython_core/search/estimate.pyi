"""A static estimate of the result: logistic in the shapes of all cells and the classes each side has."""

from cython_core.rules.position import Board

def expected_result(board: Board) -> float:
    """The estimate for the side to move, between 0 and 1."""
