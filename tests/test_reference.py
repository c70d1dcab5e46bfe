"""The slow rules, winning lines and renju fouls, on positions drawn by hand."""

import pytest
from walks import draw

from bench.reference import (
    BLACK,
    CARO,
    CARO_OVERLINE,
    FREESTYLE,
    RENJU,
    RULES,
    STANDARD,
    WHITE,
    Cell,
    Position,
    count_fours,
    from_drawing,
    is_foul,
    is_legal,
    makes_five,
    winning_cells,
)


def fouls(drawing: str) -> tuple[set[Cell], dict[str, list[Cell]]]:
    position, marks = draw(drawing, RENJU)
    return {cell for cell in position.empty_cells() if is_foul(position, cell)}, marks


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("direction", [(1, 0), (0, 1), (1, 1), (1, -1)])
@pytest.mark.parametrize("colour", [BLACK, WHITE])
def test_an_open_five_wins_in_every_direction_under_every_rule(
    rule: int, direction: tuple[int, int], colour: int
) -> None:
    row = [(5 + i * direction[0], 7 + i * direction[1]) for i in range(5)]
    for last in row:
        position = Position(15, 13, rule, {cell: colour for cell in row if cell != last})
        assert makes_five(position, last, colour)
        assert not makes_five(position, last, 1 - colour)


@pytest.mark.parametrize(
    ("rule", "black_wins", "white_wins"),
    [
        (FREESTYLE, True, True),
        (STANDARD, False, False),
        (RENJU, False, True),
        (CARO_OVERLINE, True, True),
        (CARO, False, False),
    ],
)
def test_six_in_a_row(rule: int, black_wins: bool, white_wins: bool) -> None:
    for colour, wins in ((BLACK, black_wins), (WHITE, white_wins)):
        position = Position(15, 15, rule, {(x, 7): colour for x in (3, 4, 5, 7, 8)})
        assert makes_five(position, (6, 7), colour) == wins


def test_caro_five_between_two_stones_does_not_win_but_a_six_does_under_rule_8() -> None:
    five, marks = draw("o x x A x x o . . . .", CARO)
    assert not makes_five(five, marks["A"][0], BLACK)
    assert makes_five(from_drawing("o x x A x x o . . . .", STANDARD), marks["A"][0], BLACK)
    assert not makes_five(from_drawing("o x x A x x o . . . .", CARO_OVERLINE), marks["A"][0], BLACK)
    six = "o x x A x x x o . . ."
    assert makes_five(from_drawing(six, CARO_OVERLINE), (3, 0), BLACK)
    assert not makes_five(from_drawing(six, CARO), (3, 0), BLACK)


def test_the_edge_blocks_nothing_in_caro() -> None:
    for rule in (CARO, CARO_OVERLINE):
        assert makes_five(from_drawing("x x A x x o . .", rule), (2, 0), BLACK)
        assert makes_five(from_drawing("x x A x x", rule), (2, 0), BLACK)
        assert makes_five(from_drawing(". x x A x x o .", rule), (3, 0), BLACK)


def test_a_stone_of_nobody_belongs_to_no_row_and_blocks_in_caro() -> None:
    assert not makes_five(from_drawing("x x A # x x . . .", FREESTYLE), (2, 0), BLACK)
    assert not makes_five(from_drawing("# x x A x x o . .", CARO), (3, 0), BLACK)


def test_the_longest_row_through_the_stone_counts_not_any_five_of_it() -> None:
    position = from_drawing(
        """
        . . . x . .
        . . . x . .
        x x x A x x
        . . . x . .
        . . . x . .
        """,
        STANDARD,
    )
    assert makes_five(position, (3, 2), BLACK)  # six across, but exactly five down
    assert winning_cells(position, BLACK) == [(3, 2)]


def test_winning_cells_on_a_rectangle() -> None:
    position = from_drawing(
        """
        . . . . . . . .
        A x x x x A . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        """,
        FREESTYLE,
    )
    assert winning_cells(position, BLACK) == [(0, 1), (5, 1)]


def test_double_three_is_a_foul() -> None:
    found, marks = fouls(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . x x A . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert found >= set(marks["A"])


def test_only_renju_black_has_fouls() -> None:
    drawing = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . x x A . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    for rule in RULES:
        assert is_foul(from_drawing(drawing, rule), (4, 4)) == (rule == RENJU)
    position = from_drawing(drawing, RENJU)
    assert is_legal(position, (4, 4), WHITE) and not is_legal(position, (4, 4), BLACK)


def test_a_three_that_cannot_become_a_straight_four_does_not_count() -> None:
    found, marks = fouls(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        . o x x A . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert not found & set(marks["A"])
    found, marks = fouls(
        """
        . . . x . . .
        . . . x . . .
        . x x A . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        . . . . . . .
        """
    )
    assert not found & set(marks["A"])  # the column starts at the edge, so its four is never straight


def test_a_four_and_a_three_together_are_legal() -> None:
    found, marks = fouls(
        """
        . . . . . . . . .
        . . . . . . . . .
        . . . . x . . . .
        . . . . x . . . .
        o x x x A . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert not found & set(marks["A"])


def test_double_four_across_two_lines_is_a_foul() -> None:
    found, marks = fouls(
        """
        . . . . o . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . . . x . . . .
        o x x x A . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert found >= set(marks["A"])


@pytest.mark.parametrize(
    "row",
    [
        "x . x A x . x . . .",
        "x . A x x . x . . .",
        ". x x . A x . x x .",
        "x x x . A . x x x .",
    ],
)
def test_two_fours_on_one_line_are_a_foul(row: str) -> None:
    position, marks = draw(row, RENJU)
    assert is_foul(position, marks["A"][0])


def test_a_straight_four_is_one_four() -> None:
    position = from_drawing(". . x x x . . .", RENJU)
    assert not is_foul(position, (5, 0))
    assert count_fours(position.with_stone((5, 0), BLACK), (5, 0)) == 1


def test_a_four_that_would_complete_to_six_is_no_four() -> None:
    # Across: the only completion joins the sixth stone.
    found, marks = fouls(
        """
        . . . . o . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . . . x . . . .
        o x x x A . x . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert not found & set(marks["A"])


def test_an_overline_is_a_foul() -> None:
    found, marks = fouls("x x x A x x . . . .")
    assert marks["A"][0] in found


def test_five_beats_every_foul() -> None:
    found, marks = fouls(
        """
        . . . x . . . . .
        . . . x . . . . .
        x x x A x x . . .
        . . . x . . . . .
        . . . x . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    )
    assert not found & set(marks["A"])


def test_a_three_whose_only_straight_four_cell_is_a_foul_does_not_count() -> None:
    # A is three across and three down. Down, white leaves only B to make the four straight.
    drawing = """
        . . . . . . . . . . . . .
        . . . . . . . . . . . . .
        . . . . . . . . . . . . .
        . . . . . . o . . . . . .
        . . . . . . . . . . . . .
        . . x x x . B x x . . . .
        . . . . . . x . . . . . .
        . . . . . . x . . . . . .
        . . . . x x A . . . . . .
        . . . . . . . . . . . . .
        . . . . . . o . . . . . .
        . . . . . . . . . . . . .
        . . . . . . . . . . . . .
        """
    position, marks = draw(drawing, RENJU)
    cell, four = marks["A"][0], marks["B"][0]
    assert not is_foul(position, four)  # x x x . B x x: no stone between, so B is not yet six
    assert is_foul(position, cell)
    filled = position.with_stone((5, 5), BLACK)  # now B would make six across
    assert is_foul(filled, four)
    assert not is_foul(filled, cell)
    assert is_foul(position.with_stone((5, 5), WHITE), cell)


def test_fouls_nest_two_deep() -> None:
    # A is three across and three down; down needs B (the other side is white), and B is itself three across
    # and three on a diagonal beside its four down.
    drawing = """
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . o . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . x x B . . . . . . . .
        . . . . . . x x . . . . . . .
        . . . . . . x . x . . . . . .
        . . . . x x A . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . o . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . .
        """
    position, marks = draw(drawing, RENJU)
    cell, four = marks["A"][0], marks["B"][0]
    after = position.with_stone(cell, BLACK)
    assert is_foul(after, four)  # two threes beside the four
    assert not is_foul(position, cell)
    # Take one of B's threes away and B is legal again, so A is a double three.
    assert is_foul(position.with_stone((3, 5), WHITE), cell)
