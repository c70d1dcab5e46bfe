"""The components of the core that `bench speed` measures, each as a piece of work to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import cython_core as core
from bench.positions import read_positions
from cython_core.probes import play_and_undo
from cython_core.rollout import mean_result

ROLLOUT_PLIES = 100


class Part(NamedTuple):
    name: str
    unit: str  # `.../s` or `ns`
    work: Callable[[], int]  # does some of it and says how much


def _open_boards(rule: int, size: int) -> list[core.Board]:
    return [
        board
        for board in read_positions()
        if board.rule == rule and board.width == board.height == size and board.winner == core.EMPTY
    ]


def _replay(board: core.Board) -> Callable[[], int]:
    """Plays the position's own moves again and again on an empty board."""
    cells = [cell for cell, _ in board.history]
    empty = core.Board(board.width, board.height, board.rule)
    return lambda: play_and_undo(empty, cells, 200)


def parts() -> Iterator[Part]:
    for rule, size, name in (
        (core.FREESTYLE, 15, "play+undo freestyle 15"),
        (core.FREESTYLE, 20, "play+undo freestyle 20"),
        (core.RENJU, 15, "play+undo renju 15"),
    ):
        longest = max(_open_boards(rule, size), key=lambda board: board.ply)
        yield Part(name, "pairs/s", _replay(longest))
    boards = _open_boards(core.FREESTYLE, 15)

    def rollouts() -> int:
        for number, board in enumerate(boards):
            mean_result(board, 50, number, ROLLOUT_PLIES)
        return 50 * len(boards)

    yield Part("rollouts freestyle 15", "games/s", rollouts)
