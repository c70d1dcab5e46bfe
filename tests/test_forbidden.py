"""Renju fouls agree with the plain reference, nested ones too."""

import random

import plain_shapes as plain
import pytest
from walks import board_of, cells_of, from_drawing, seen_by_reference

import cython_core as core
from bench import reference
from cython_core import probes


def crowded_board(rng: random.Random) -> core.Board:
    """A position full of black lines with a few white stones between them, without a black five."""
    size = rng.choice([7, 8, 9, 10, 11])
    board = core.Board(size, size, core.RENJU)
    black = rng.uniform(0.12, 0.35)
    white = rng.uniform(0.0, 0.12)
    for cell in cells_of(board):
        draw = rng.random()
        if draw < black:
            if board.class_of(cell, core.BLACK) != plain.CLASS_FIVE:
                board.put(cell, core.BLACK)
        elif draw < black + white:
            board.put(cell, core.WHITE)
    return board


def interesting_cells(board: core.Board, rng: random.Random) -> list[int]:
    """Cells with something on two lines, where fouls are decided, and a few others."""
    empty = [cell for cell in cells_of(board) if board.stone(cell) == core.EMPTY]
    busy = [
        cell for cell in empty
        if sum(board.shape(cell, core.BLACK, direction) >= plain.THREE for direction in range(4)) >= 2
        or board.class_of(cell, core.BLACK) >= plain.CLASS_FIVE
    ]
    return busy + rng.sample(empty, min(4, len(empty)))


def is_nested(board: core.Board, cell: int) -> bool:
    """Does the answer hang on whether another cell is a foul?"""
    if board.class_of(cell, core.BLACK) != plain.CLASS_MAYBE_FOUL:
        return False
    board.put(cell, core.BLACK)
    nested = any(
        board.class_of(near, core.BLACK) in (plain.CLASS_FOUL, plain.CLASS_MAYBE_FOUL)
        and any(board.shape(near, core.BLACK, direction) == plain.OPEN_FOUR for direction in range(4))
        for near in cells_of(board)
    )
    board.undo()
    return nested


def assert_fouls_agree(board: core.Board, cells: list[int]) -> int:
    """Compares the cells with the reference; returns how many are fouls."""
    position = seen_by_reference(board)
    before = probes.snapshot(board)
    fouls = 0
    for cell in cells:
        expected = reference.is_foul(position, core.xy(cell))
        assert board.is_foul(cell) == expected, f"{core.xy(cell)}\n{board}"
        fouls += expected
    assert probes.snapshot(board) == before
    return fouls


def test_fouls_agree_with_the_reference_on_crowded_boards() -> None:
    rng = random.Random(1)
    fouls = nested = 0
    for _ in range(2_000):
        board = crowded_board(rng)
        cells = interesting_cells(board, rng)
        fouls += assert_fouls_agree(board, cells)
        nested += any(is_nested(board, cell) for cell in cells)
    assert fouls > 2_000
    assert nested > 100


@pytest.mark.full
def test_fouls_agree_with_the_reference_on_many_boards_and_nested_cases() -> None:
    rng = random.Random(2)
    nested = positions = 0
    while positions < 20_000:
        board = crowded_board(rng)
        deep = [cell for cell in cells_of(board) if board.stone(cell) == core.EMPTY and is_nested(board, cell)]
        # Half of the positions are asked about nested cases only.
        if positions % 2 and not deep:
            continue
        positions += 1
        nested += len(deep)
        assert_fouls_agree(board, deep if positions % 2 else interesting_cells(board, rng))
    assert nested > 10_000


FALSE_THREES = {
    # In each drawing c has a true three downwards. Its three to the right could become a straight four only on p.
    "black may not play there, and the straight four on i has nothing to do with c": """
        . . . . . . . . . . . . . .
        . . . . . . . . . . . . . .
        . . . . . . . . . x . . . .
        . . . . . . . . . x . . . .
        . . . . . . . . . x . . . .
        . x x x i . . c x p x . . .
        . . . . . . . x . . . . . .
        . . . . . . . x . . . . . .
        . . . . . . . . . . . . . .
        . . . . . . . . . . . . . .
        """,
    "it would make five instead": """
        . . . . . . . . . . . . . .
        . . . . . . . . . x . . . .
        . . . . . . . . . x . . . .
        . . . . . . . . . x . . . .
        . . . . . . . . . x . . . .
        . . . . . . . c x p x . . .
        . . . . . . . x . . . . . .
        . . . . . . . x . . . . . .
        . . . . . . . . . . . . . .
        . . . . . . . . . . . . . .
        """,
}


@pytest.mark.parametrize("why", FALSE_THREES)
def test_a_three_that_cannot_become_a_straight_four_does_not_count(why: str) -> None:
    board = from_drawing(FALSE_THREES[why], core.RENJU)
    cell = core.cell(7, 5)
    assert board.class_of(cell, core.BLACK) == plain.CLASS_MAYBE_FOUL
    assert not board.is_foul(cell)
    assert_fouls_agree(board, [near for near in cells_of(board) if board.stone(near) == core.EMPTY])


def test_nothing_is_a_foul_under_other_rules_or_on_a_stone() -> None:
    rng = random.Random(3)
    for _ in range(20):
        board = crowded_board(rng)
        for cell, _ in board.history:
            assert not board.is_foul(cell)
        for rule in core.RULES:
            if rule != core.RENJU:
                other = board_of(board.width, board.height, rule, board.history)
                assert not any(other.is_foul(cell) for cell in cells_of(other))


def test_white_may_play_where_black_may_not() -> None:
    board = from_drawing(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . x x . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        core.RENJU,
    )
    cell = core.cell(4, 4)
    assert board.is_foul(cell) and not board.legal(cell)
    board.side = core.WHITE
    assert board.legal(cell)
