"""The static estimate follows its formula, symmetry and common sense."""

import pytest
from walks import cells_of, from_drawing, mirrored, random_walks

import cython_core as core
from cython_core import probes
from cython_core.probes import shape_counts
from cython_core.search.estimate import expected_result


@pytest.mark.parametrize("rule", core.RULES)
def test_estimates_agree_under_the_eight_symmetries(rule: int) -> None:
    for board in random_walks(51, rule, 20):
        before = probes.snapshot(board)
        value = expected_result(board)
        assert 0 < value < 1
        assert probes.snapshot(board) == before
        for symmetry in range(1, 8):
            assert expected_result(mirrored(board, symmetry)) == value


@pytest.mark.parametrize("rule", core.RULES)
def test_shape_counts_count_the_shapes_of_empty_cells(rule: int) -> None:
    for board in random_walks(52, rule, 10):
        for colour in (core.BLACK, core.WHITE):
            shapes = [
                board.shape(cell, colour, direction)
                for cell in cells_of(board) if board.stone(cell) == core.EMPTY
                for direction in range(4)
            ]
            assert shape_counts(board, colour) == [shapes.count(shape) for shape in range(11)]


def test_an_open_three_is_better_to_have_than_to_face() -> None:
    board = from_drawing(
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . o . . o . . .
        . . . . o . . . . . .
        . . . . x x x . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
        core.FREESTYLE,
    )
    to_have = expected_result(board)
    board.side = core.WHITE
    assert expected_result(board) < 0.4 < 0.6 < to_have


def test_an_empty_board_is_nearly_even() -> None:
    assert 0.4 < expected_result(core.Board(15, 15, core.FREESTYLE)) < 0.65
