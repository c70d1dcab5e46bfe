"""Static answers about a position: fives now, fives to stop, open and double fours, with their cells."""

from cython_core.rules.position import Board

def look(board: Board) -> tuple[str, list[int]]:
    """Verdict of a glance for the side to move, in words, and its cells."""
