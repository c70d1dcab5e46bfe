"""The components of the core that `bench speed` measures, each as a piece of work to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy

import cython_core as core
from bench.positions import read_positions
from cython_core.probes import glances, line_feature_maps, play_and_undo, rollouts, vcf_nodes

ROLLOUT_PLIES = 100
SCATTERED = 60  # stones on the boards made for the VCF solver
CHANNELS = 32  # of a line table
WINDOW_ROWS = 397_488


class Part(NamedTuple):
    name: str
    unit: str  # `.../s` or `ns`
    work: Callable[[], int]  # does some of it and says how much


Probe = tuple[str, str, Callable[[], float]]
"""Name, unit and a function that measures once: what is no piece of work to repeat."""


def open_boards(rule: int, size: int) -> list[core.Board]:
    return [
        board
        for board in read_positions()
        if board.rule == rule and board.width == board.height == size and board.winner == core.EMPTY
    ]


def middle_games() -> list[core.Board]:
    """Freestyle 15x15 positions from the middle of a game, nobody having won."""
    return [board for board in open_boards(core.FREESTYLE, 15) if board.ply < SCATTERED]


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
        longest = max(open_boards(rule, size), key=lambda board: board.ply)
        yield Part(name, "pairs/s", _replay(longest))
    quiet = middle_games()
    busy = [board for board in read_positions() if board.ply == SCATTERED]
    yield Part("static question", "ns", lambda: sum(glances(board, 20_000) for board in quiet))
    yield Part("VCF", "nodes/s", lambda: vcf_nodes(busy, 100_000, 1))
    yield Part(
        "VCT", "nodes/s", lambda: sum(core.solve_vct(board, board.side, 50_000).nodes for board in quiet)
    )
    yield Part(
        "rollouts freestyle 15",
        "games/s",
        lambda: sum(rollouts(board, 50, number, ROLLOUT_PLIES) for number, board in enumerate(quiet)),
    )
    table = numpy.zeros((WINDOW_ROWS, CHANNELS), numpy.int16)
    scales = numpy.ones(CHANNELS, numpy.float32)
    maps = numpy.zeros((CHANNELS, 15, 15), numpy.float32)
    yield Part(
        f"line features {CHANNELS} x 15 x 15",
        "maps/s",
        lambda: sum(line_feature_maps(board, table.data, scales.data, maps.data, 50) for board in quiet),
    )
