"""`threats`: the fives, fours and open threes that stand on a board, and the cells where they go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import cython_core as core
from renga.board import DIRECTIONS, Board, checked_board
from renga.notation import COLOURS, Colour, Move

Kind: TypeAlias = Literal["five", "four", "three"]

STRAIGHT_FOUR, FIVE = 8, 9
"""Shapes of the core (patterns.pxd) that a stone on an empty cell makes."""


@dataclass(frozen=True, slots=True)
class Threat:
    """Stones of one side in a row, and what they threaten."""

    kind: Kind
    """five: has won. four: one more stone makes a five. three: one more makes a straight four, which nothing stops."""
    colour: Colour
    stones: tuple[Move, ...]
    """From left to right, or from top to bottom."""
    cells: tuple[Move, ...]
    """Where one more stone carries the threat out; none for a five."""


def threats(board: Board) -> list[Threat]:
    """Every five, four and open three of either side under the board's rule: fives first, then fours, then threes.

    In renju, a three of black's counts only where black may make the straight four.
    """
    position = checked_board(board)._core
    found = []
    if board.winner is not None:
        found.append(Threat("five", board.winner, board.winning_line, ()))
    for colour in (core.BLACK, core.WHITE):

        def is_open(cell: int, side: int = colour) -> bool:
            return side == core.WHITE or not position.is_foul(cell)

        found += _threats_of(board, colour, "four", FIVE, lambda cell: True)
        found += _threats_of(board, colour, "three", STRAIGHT_FOUR, is_open)
    return sorted(found, key=lambda threat: ("five", "four", "three").index(threat.kind))


def _threats_of(board: Board, colour: int, kind: Kind, shape: int, usable: Callable[[int], bool]) -> Iterator[Threat]:
    """The threats that a stone on some cell would turn into a certain shape; one threat for each set of stones."""
    position = board._core
    cells: dict[tuple[Move, ...], list[Move]] = {}
    for cell in board._core.all_cells():
        if position.stone(cell) != core.EMPTY:
            continue
        for direction, step in enumerate(DIRECTIONS):
            if position.shape(cell, colour, direction) == shape and usable(cell):
                cells.setdefault(_row(board, board._move(cell), step, colour), []).append(board._move(cell))
    return (Threat(kind, COLOURS[colour], stones, tuple(ends)) for stones, ends in cells.items())


def _row(board: Board, gap: Move, step: tuple[int, int], colour: int) -> tuple[Move, ...]:
    """The stones that would stand in an unbroken row with one on the gap."""
    row = []
    for sense in (-1, 1):
        x, y = gap.x + sense * step[0], gap.y + sense * step[1]
        while board._is_stone(x, y, colour):
            row.append(Move(x, y, board.height))
            x, y = x + sense * step[0], y + sense * step[1]
    return tuple(sorted(row, key=lambda move: (move.x, move.y)))
