"""Loops for `bench`: repeat one operation of the core many times with no Python in between."""

from typing_extensions import Buffer

from cython_core.network.evaluator import Evaluator
from cython_core.rules.position import Board

def play_and_undo(board: Board, cells: list[int], repeats: int) -> int:
    """Plays the cells in order and takes them back, `repeats` times; returns how many pairs."""

def glances(board: Board, repeats: int) -> int:
    """Asks the static question `repeats` times; returns the number of glances."""

def rollouts(board: Board, count: int, seed: int, max_plies: int) -> int:
    """Plays `count` rollouts; returns how many."""

def line_feature_maps(board: Board, table: Buffer, scales: Buffer, out: Buffer, repeats: int) -> int:
    """Writes the line features of the position `repeats` times; returns how many maps."""

def snapshot(board: Board) -> tuple[bytes, bytes, bytes]:
    """Every field of a position as bytes, for comparing it before and after a call that must restore it."""

def vcf_nodes(boards: list[Board], node_limit: int, repeats: int) -> int:
    """Solves for the side to move of each board, `repeats` times; returns the stones placed."""

def evaluations(board: Board, evaluator: Evaluator, repeats: int) -> int:
    """Asks an evaluator of the core about the position `repeats` times; returns how often."""

class WatchingEvaluator(Evaluator):
    """Holds every position even, and keeps its own list of the stones by what the search tells it. One thread only."""

    def __init__(self, rule: int, spoilt: int = ...) -> None: ...
    def prepare(self, rule: int) -> None: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def wrong(self) -> int: ...
