"""Where a quiet move may build something: the rows of bits against a plain count, and against the shapes."""

import pytest
from walks import random_walks

import cython_core as core
from cython_core import probes

LINES = ((1, 0), (0, 1), (1, 1), (1, -1))
NEAR = 4
TWO = 2  # the weakest shape that is worth anything
SIDE_CODES = 364


def lines_with_stones(stones: set[tuple[int, int]], x: int, y: int) -> int:
    """On how many lines a stone stands near."""
    return sum(any((x + i * dx, y + i * dy) in stones for i in range(-NEAR, NEAR + 1) if i != 0) for dx, dy in LINES)


@pytest.mark.parametrize("rule", core.RULES)
def test_cells_near_stones_are_those_of_a_plain_count(rule: int) -> None:
    for board in random_walks(21, rule, 20):
        for colour in (core.BLACK, core.WHITE):
            stones = {core.xy(cell) for cell, by in board.history if by == colour}
            any_line, two_lines = probes.near_rows(board, colour)
            for y in range(board.height):
                for x in range(board.width):
                    lines = lines_with_stones(stones, x, y)
                    assert (any_line[y] >> x & 1, two_lines[y] >> x & 1) == (lines >= 1, lines >= 2)


def own_stone_near(code: int) -> bool:
    """Does one side of a window, as `patterns.pxd` codes it, show an own stone within four cells?"""
    visible, first = 0, 0
    while code >= first + 3**visible:
        first += 3**visible
        visible += 1
    cells = [(code - first) // 3 ** (visible - 1 - i) % 3 for i in range(visible)]  # nearest first
    return 1 in cells[:NEAR]


@pytest.mark.parametrize("rule", core.RULES)
def test_no_line_without_an_own_stone_near_is_worth_anything(rule: int) -> None:
    bare = [code for code in range(SIDE_CODES) if not own_stone_near(code)]
    for colour in (core.BLACK, core.WHITE):
        for left in bare:
            for right in bare:
                assert probes.shape_at(rule, colour, left * SIDE_CODES + right) < TWO
