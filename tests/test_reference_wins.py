"""The slow checker of claimed wins, VCF lines and VCT proofs, on positions drawn by hand."""

import pytest
from walks import draw

from bench.reference import (
    BLACK,
    CARO,
    FREESTYLE,
    RENJU,
    RULES,
    STANDARD,
    WHITE,
    Position,
    Proof,
    defences,
    find_vcf,
    from_drawing,
    is_foul,
    verify_vcf,
    verify_vct,
    why_vcf_fails,
    why_vct_fails,
)

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
