"""VCF: every line is replayed by the reference, every `none` is checked by a plain search."""

import random

import pytest
from walks import board_of, cells_of, from_drawing, mirrored, random_walk, random_walks, seen_by_reference

import cython_core as core
from bench import reference
from cython_core import probes

ENOUGH = 200_000


def why_wrong(board: core.Board, attacker: int, line: list[int]) -> str | None:
    return reference.why_vcf_fails(seen_by_reference(board), attacker, [core.xy(cell) for cell in line])


@pytest.mark.parametrize("rule", core.RULES)
def test_every_line_found_on_random_walks_wins_against_every_reply(rule: int) -> None:
    wins = 0
    for board in random_walks(1, rule, 150):
        for attacker in (core.BLACK, core.WHITE):
            result = core.solve_vcf(board, attacker, ENOUGH)
            assert result.status != "unknown"
            if result.status == "win":
                wins += 1
                assert why_wrong(board, attacker, result.line) is None, f"{board}\n{result}"
    assert wins >= 60


@pytest.mark.parametrize("rule", core.RULES)
def test_none_agrees_with_a_plain_search_on_small_boards(rule: int) -> None:
    seen = 0
    for seed in range(40):
        board = random_walk(seed, rule, 7, 7, 14 + seed % 8)
        for attacker in (core.BLACK, core.WHITE):
            result = core.solve_vcf(board, attacker, ENOUGH)
            plain = reference.find_vcf(seen_by_reference(board), attacker, 16)
            assert (result.status == "win") == (plain is not None), f"{board}\n{attacker} {result} {plain}"
            seen += result.nodes > 0
    assert seen >= 10


@pytest.mark.parametrize("rule", core.RULES)
def test_all_eight_symmetries_agree(rule: int) -> None:
    for board in random_walks(2, rule, 40):
        for attacker in (core.BLACK, core.WHITE):
            statuses = {core.solve_vcf(mirrored(board, s), attacker, ENOUGH).status for s in range(8)}
            assert len(statuses) == 1


@pytest.mark.parametrize("rule", core.RULES)
def test_the_board_is_restored_bit_for_bit(rule: int) -> None:
    for board in random_walks(3, rule, 40):
        before = probes.snapshot(board)
        for nodes in (0, 1, 7, 50, 1000):
            for attacker in (core.BLACK, core.WHITE):
                assert core.solve_vcf(board, attacker, nodes).nodes <= nodes
                assert probes.snapshot(board) == before


def test_the_same_question_takes_the_same_nodes() -> None:
    for board in random_walks(4, core.FREESTYLE, 20):
        assert core.solve_vcf(board, core.BLACK, 500) == core.solve_vcf(board, core.BLACK, 500)


def test_a_counter_four_that_cannot_be_answered_by_a_four_ends_the_attack() -> None:
    drawing = """
        . . . . . . . . .
        . . . . . . . . .
        o x x x . . . . .
        . . . . o . . . .
        . . . . o . . . .
        . . . . o . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    # Each four of black is answered on the column or beside it; the column then makes white's own four.
    board = from_drawing(drawing, core.FREESTYLE)
    assert core.solve_vcf(board, core.BLACK, ENOUGH).status == "none"


def test_a_four_and_an_open_three_win_in_two_fours() -> None:
    drawing = """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . x . . . . .
        . . . . . x . . . . .
        . o x x x . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
    """
    board = from_drawing(drawing, core.RENJU)
    result = core.solve_vcf(board, core.BLACK, ENOUGH)
    assert result.status == "win"
    assert len(result.line) == 3
    assert why_wrong(board, core.BLACK, result.line) is None


FOUL_REPLY = """
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . x . . . .
. . . . . . x . . . .
. x o o o . . . . . .
. . . . . . . x . . .
. . . . . . . . x . .
. . . . . . . . . . .
. . . . . . . . . . .
. . . . . . . . . . .
"""


def test_white_wins_in_renju_when_the_only_reply_is_a_foul() -> None:
    # White at f6 threatens g6, where black would make two threes.
    forbidden_reply = from_drawing(FOUL_REPLY, core.RENJU, core.WHITE)
    result = core.solve_vcf(forbidden_reply, core.WHITE, ENOUGH)
    assert result.status == "win"
    assert why_wrong(forbidden_reply, core.WHITE, result.line) is None
    allowed_reply = from_drawing(FOUL_REPLY, core.STANDARD, core.WHITE)
    assert core.solve_vcf(allowed_reply, core.WHITE, ENOUGH).status == "none"


@pytest.mark.parametrize("rule", [core.FREESTYLE, core.CARO_OVERLINE])
def test_a_stone_of_the_defender_never_helps_the_attacker(rule: int) -> None:
    """Leaves rest on this: whoever has no VCF even if the other side passes has none after any move of it either."""
    tried = 0
    for board in random_walks(5, rule, 60):
        for attacker in (core.BLACK, core.WHITE):
            if core.solve_vcf(board, attacker, ENOUGH).status != "none":
                continue
            cells = [cell for cell in cells_of(board) if board.legal(cell)]
            for cell in random.Random(board.ply).sample(cells, min(12, len(cells))):
                board.put(cell, 1 - attacker)
                if board.winner == core.EMPTY:
                    tried += 1
                    assert core.solve_vcf(board, attacker, ENOUGH).status == "none", f"{board}\n{attacker} {cell}"
                board.undo()
    assert tried >= 300


def test_in_renju_a_stone_of_black_can_help_white() -> None:
    """Leaves do not rest on it there: the stone turns black's only reply to a four into a foul."""
    board = from_drawing(FOUL_REPLY, core.RENJU, core.WHITE)
    helping = core.cell(8, 7)
    stones = [(cell, colour) for cell, colour in board.history if cell != helping]
    without = board_of(board.width, board.height, core.RENJU, stones, core.WHITE)
    assert core.solve_vcf(without, core.WHITE, ENOUGH).status == "none"
    without.put(helping, core.BLACK)
    assert core.solve_vcf(without, core.WHITE, ENOUGH).status == "win"


def test_where_overlines_do_not_win_a_stone_can_spoil_the_fours_of_its_own_side() -> None:
    """...and so help the attacker, who no longer has to answer them."""
    board = from_drawing(
        """
        . . . . . . . .
        . . . . . . . .
        . . . x . . . .
        . . . . x . . o
        . o x . x x . .
        . . x . . o . .
        . . . . o . . .
        . . o . . o . .
        """,
        core.STANDARD,
    )
    assert core.solve_vcf(board, core.WHITE, ENOUGH).status == "none"
    board.put(core.cell(7, 4), core.BLACK)
    assert core.solve_vcf(board, core.WHITE, ENOUGH).status == "win"


def test_bad_questions_are_refused() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    with pytest.raises(ValueError, match="no such side"):
        core.solve_vcf(board, core.EMPTY, 10)
    with pytest.raises(ValueError, match="negative"):
        core.solve_vcf(board, core.BLACK, -1)
