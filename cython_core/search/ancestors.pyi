"""Rollouts of the baselines: S0's fast descent, S3's biased simulations, S4's samples of a policy."""

from cython_core.rules.position import Board

def mean_in_style(board: Board, count: int, seed: int, max_plies: int, style: int) -> float:
    """Mean result of `count` rollouts in a style for the side to move."""
