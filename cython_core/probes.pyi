"""What nobody needs to play: loops that `bench` times, faces for tests, and the counts that fits are made of."""

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

def shape_at(rule: int, colour: int, window: int) -> int:
    """Shape (number) of a window for a colour under a rule."""

def shape_counts(board: Board, colour: int) -> list[int]:
    """How often each shape occurs over all empty cells and directions."""

def place_number(dx: int, dy: int) -> int:
    """Number of the kind of place at this distance from a stone."""

def look(board: Board) -> tuple[str, list[int]]:
    """Verdict of a glance for the side to move, in words, and its cells."""

def near_rows(board: Board, colour: int) -> tuple[list[int], list[int]]:
    """Rows of bits: cells near stones of a colour on any line, and on two lines or more."""

def mean_result(board: Board, count: int, seed: int, max_plies: int, style: int = 0) -> float:
    """Mean result of `count` rollouts in a style for the side to move; the same seed gives the same games."""

def sample_game(board: Board, seed: int, max_plies: int) -> tuple[list[int], float]:
    """The cells of one rollout in order, and its result for the side to move."""

def struct_names() -> set[str]:
    """The names of the tunables as the compiled struct has them."""

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
