"""Positions for solver tests: random walks that make threats, drawings, symmetries, the reference's view."""

from __future__ import annotations

import random
from collections.abc import Iterator

import cython_core as core
from bench import reference

Stones = list[tuple[int, int]]  # (cell, colour)


def board_of(width: int, height: int, rule: int, stones: Stones, side: int = core.BLACK) -> core.Board:
    board = core.Board(width, height, rule)
    for cell, colour in stones:
        board.put(cell, colour)
    board.side = side
    return board


def from_drawing(drawing: str, rule: int, side: int = core.BLACK) -> core.Board:
    """An ASCII board as `reference.from_drawing` reads it."""
    position = reference.from_drawing(drawing, rule, side)
    stones = [(core.cell(*cell), colour) for cell, colour in position.stones.items()]
    return board_of(position.width, position.height, rule, stones, side)


def draw(drawing: str, rule: int) -> tuple[reference.Position, dict[str, list[reference.Cell]]]:
    """The reference's position, and the cells of every other mark of the drawing."""
    marks: dict[str, list[reference.Cell]] = {}
    for y, line in enumerate(drawing.strip().splitlines()):
        for x, mark in enumerate(line.split()):
            if mark not in "xo#.":
                marks.setdefault(mark, []).append((x, y))
    return reference.from_drawing(drawing, rule), marks


def seen_by_reference(board: core.Board) -> reference.Position:
    stones = {core.xy(cell): colour for cell, colour in board.history}
    return reference.Position(board.width, board.height, board.rule, stones, board.side)


def cells_of(board: core.Board) -> list[int]:
    return [core.cell(x, y) for y in range(board.height) for x in range(board.width)]


def random_walk(seed: int, rule: int, width: int, height: int, plies: int) -> core.Board:
    """A legal position without five; stones stay near each other, so that threats arise."""
    rng = random.Random(f"{seed} {rule} {width} {height} {plies}")
    board = core.Board(width, height, rule)
    board.play(core.cell(width // 2, height // 2))
    while board.ply < plies:
        x, y = core.xy(rng.choice(board.history)[0])
        cell = core.cell(x + rng.randint(-2, 2), y + rng.randint(-2, 2))
        # A stone that would win, or break the rules, is left out.
        if not board.legal(cell) or board.class_of(cell, board.side) == core.CLASS_FIVE:
            if board.empties < 4:
                break
            if rng.random() < 0.02:
                board.side = 1 - board.side
            continue
        board.play(cell)
    return board


def random_walks(seed: int, rule: int, count: int) -> Iterator[core.Board]:
    sizes = (8, 9, 11, 15)
    rng = random.Random(f"{seed} {rule}")
    for index in range(count):
        width, height = rng.choice(sizes), rng.choice(sizes)
        plies = rng.randint(8, max(9, width * height // 3))
        yield random_walk(seed * 1_000_003 + index, rule, width, height, min(plies, 50))


def mirrored(board: core.Board, symmetry: int) -> core.Board:
    """The same position under one of the eight symmetries: bit 0 flips x, bit 1 flips y, bit 2 swaps them."""
    swap = bool(symmetry & 4)
    width, height = (board.height, board.width) if swap else (board.width, board.height)
    stones = []
    for cell, colour in board.history:
        x, y = core.xy(cell)
        if swap:
            x, y = y, x
        stones.append((
            core.cell(width - 1 - x if symmetry & 1 else x, height - 1 - y if symmetry & 2 else y), colour,
        ))
    return board_of(width, height, board.rule, stones, board.side)
