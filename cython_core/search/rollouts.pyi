"""Threat-sequence rollouts: quick games by shape knowledge, resolved as soon as a side has a static win."""

from cython_core.rules.position import Board

def mean_result(board: Board, count: int, seed: int, max_plies: int) -> float:
    """Mean result of `count` rollouts for the side to move; the same seed gives the same games."""

def sample_game(board: Board, seed: int, max_plies: int) -> tuple[list[int], float]:
    """The cells of one rollout in order, and its result for the side to move."""
