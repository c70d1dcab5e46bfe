"""The slow rules and the checker of claimed wins, on positions drawn by hand."""

import pytest

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
    Proof,
    count_fours,
    defences,
    find_vcf,
    from_drawing,
    is_foul,
    is_legal,
    makes_five,
    verify_vcf,
    verify_vct,
    why_vcf_fails,
    why_vct_fails,
    winning_cells,
)


def draw(drawing: str, rule: int) -> tuple[Position, dict[str, list[Cell]]]:
    """The position, and the cells of every other mark of the drawing."""
    marks: dict[str, list[Cell]] = {}
    for y, line in enumerate(drawing.strip().splitlines()):
        for x, mark in enumerate(line.split()):
            if mark not in "xo#.":
                marks.setdefault(mark, []).append((x, y))
    return from_drawing(drawing, rule), marks


def fouls(drawing: str) -> tuple[set[Cell], dict[str, list[Cell]]]:
    position, marks = draw(drawing, RENJU)
    return {cell for cell in position.empty_cells() if is_foul(position, cell)}, marks


# --- winning lines


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


# --- renju fouls


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


# --- VCF lines

OPEN_THREE = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . A x x x B . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    """


@pytest.mark.parametrize("rule", RULES)
def test_an_open_three_is_won_by_the_straight_four(rule: int) -> None:
    position, marks = draw(OPEN_THREE, rule)
    four, other = marks["A"][0], marks["B"][0]
    assert verify_vcf(position, BLACK, [four, (1, 3), other])
    assert verify_vcf(position, BLACK, [four, other, (1, 3)])
    assert find_vcf(position, BLACK, 2) is not None
    assert not verify_vcf(position, BLACK, [four, other, (0, 0)])
    assert not verify_vcf(position, BLACK, [four, other, (1, 3), (0, 0), (8, 8)])


def test_lines_that_do_not_win_are_refused() -> None:
    position, marks = draw(OPEN_THREE, FREESTYLE)
    assert why_vcf_fails(position, BLACK, []) == "the line stops before the win"
    assert why_vcf_fails(position, BLACK, [(0, 0)]) == "(0, 0) makes no four"
    assert why_vcf_fails(position, BLACK, [(3, 3)]) == "(3, 3) is not a legal move"
    assert "does not stop" in str(why_vcf_fails(position, BLACK, [(7, 3), (1, 1), (6, 3)]))
    assert not verify_vcf(position, BLACK, [(7, 3), (6, 3), (2, 3)])
    assert not verify_vcf(position, WHITE, [marks["A"][0]])


def test_a_defenders_five_refutes_a_four() -> None:
    position = from_drawing(
        """
        . . . . . . . . .
        . o o o o x . . .
        . . . . . . . . .
        . . . x x x . . .
        . . . . . . . . .
        . . . . . . . . .
        """,
        FREESTYLE,
    )
    assert "five" in str(why_vcf_fails(position, BLACK, [(2, 3), (1, 3), (6, 3)]))
    assert find_vcf(position, BLACK, 3) is None


def test_a_counter_four_inside_the_line_must_be_met_by_a_four() -> None:
    # A forces white to B, which makes a white four; black's next four must stop it.
    drawing = """
        . . . . . x . . . . .
        . . . . . o . . . . .
        . . . . . o . . . . .
        . . . . . o . . . . .
        o x x x A B . . . . .
        . . . . . C x x x D .
        . . . . . . . . . . .
        """
    position, marks = draw(drawing, FREESTYLE)
    a, b, c, d = (marks[mark][0] for mark in "ABCD")
    assert verify_vcf(position, BLACK, [a, b, c])
    assert "five" in str(why_vcf_fails(position, BLACK, [a, b, d, c, (10, 5)]))
    # With the upper end open white's four is straight, and no stop helps.
    opened = from_drawing(drawing.replace(". . . . . x", ". . . . . .", 1), FREESTYLE)
    assert "five" in str(why_vcf_fails(opened, BLACK, [a, b, c]))


def test_renju_black_may_not_win_through_a_foul() -> None:
    drawing = """
        . . . . o . . . .
        . . . . x . . . .
        . . . . x . . . .
        . . . . x . . . .
        o x x x A B . . .
        . . . . C . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        """
    line = [(4, 4), (5, 4), (4, 5)]
    assert verify_vcf(from_drawing(drawing, FREESTYLE), BLACK, line)
    assert "legal" in str(why_vcf_fails(from_drawing(drawing, RENJU), BLACK, line))


def test_renju_white_wins_when_the_only_stop_is_a_foul() -> None:
    drawing = """
        . . . . . . . . . .
        . . . . . . . x . .
        . . . . . . x . . .
        . . . x x B . . . .
        . . . . . o . . . .
        . . . . . o . . . .
        . . . . . o . . . .
        . . . . . A . . . .
        . . . . . x . . . .
        . . . . . . . . . .
        """
    position = from_drawing(drawing, RENJU)
    assert is_foul(position, (5, 3))
    assert defences(position.with_stone((5, 7), WHITE), WHITE) == []
    assert verify_vcf(position, WHITE, [(5, 7)])
    assert not verify_vcf(from_drawing(drawing, STANDARD), WHITE, [(5, 7)])
    # A black four on the row makes the stop a five, which beats the foul.
    five = position.with_stone((2, 3), BLACK).with_stone((6, 3), BLACK)
    assert not verify_vcf(five, WHITE, [(5, 7)])


def test_caro_four_has_a_second_answer_at_its_end() -> None:
    # o x x x x . . : white may also cap the row one cell further, leaving a five between two stones.
    position = from_drawing(
        """
        . . . . . . . . . .
        . o x x x A B C . .
        . . . . . . . . . .
        """,
        CARO,
    )
    four = position.with_stone((5, 1), BLACK)
    assert set(defences(four, BLACK)) == {(6, 1), (7, 1)}
    standard = from_drawing(". o x x x x . . . .", STANDARD)
    assert defences(standard, BLACK) == [(6, 0)]


# --- VCT proofs


def double_three_proof() -> tuple[Position, Proof]:
    """A is three across and three down: answers on the row are met in the column, the others on the row."""
    position = from_drawing(
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . x . . . . .
        . . . . . x . . . . .
        . . . x x A . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
        FREESTYLE,
    )
    column = Proof((5, 5), {(5, 1): Proof((5, 6), {}, []), (5, 6): Proof((5, 1), {}, [])}, [(5, 1)])
    row = [(6, 4), (2, 4), (7, 4)]
    return position, Proof((5, 4), {(x, 4): column for x in (1, 2, 6, 7)}, row)


def test_a_double_three_proof_holds_and_a_missing_answer_is_found() -> None:
    position, proof = double_three_proof()
    assert why_vct_fails(position, BLACK, proof) is None
    assert verify_vct(position, BLACK, proof)
    assert why_vct_fails(position, BLACK, proof, every_reply=True) is None
    missing = Proof(proof.move, {k: v for k, v in proof.replies.items() if k != (6, 4)}, proof.threat)
    assert not verify_vct(position, BLACK, missing)


def test_a_proof_without_a_working_threat_is_refused() -> None:
    position, proof = double_three_proof()
    assert not verify_vct(position, BLACK, Proof(proof.move, proof.replies, []))
    assert not verify_vct(position, BLACK, Proof((0, 0), proof.replies, proof.threat))
    assert not verify_vct(position, WHITE, proof)


def test_a_counter_four_must_be_answered_in_the_proof() -> None:
    position, proof = double_three_proof()
    white_three = dict.fromkeys([(0, 8), (1, 8), (2, 8)], WHITE)
    troubled = Position(position.width, position.height, position.rule, {**position.stones, **white_three})
    # White's four on that row is a reply outside the proof, and the threat line does not stop its five.
    assert "five" in str(why_vct_fails(troubled, BLACK, proof))


def test_a_plain_tuple_is_a_proof_too() -> None:
    position, _ = draw("A x x x x . . .", FREESTYLE)
    assert verify_vct(position, BLACK, ((0, 0), {}, []))  # type: ignore[arg-type]
