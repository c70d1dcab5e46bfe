"""Defending moves: whatever is left out must be useless, proved by trying every cell."""

import pytest
from walks import cells_of, from_drawing, random_walks, seen_by_reference

import cython_core as core
from bench import reference
from cython_core import probes

ENOUGH = 200_000


def still_wins(board: core.Board, attacker: int, line: list[int], reply: int) -> bool:
    """Does the line, or at least some VCF, still win after the reply?"""
    board.put(reply, 1 - attacker)
    try:
        if board.winner != core.EMPTY:
            return False
        cells = [core.xy(cell) for cell in line]
        if reference.verify_vcf(seen_by_reference(board), attacker, cells):
            return True
        return core.solve_vcf(board, attacker, ENOUGH).status == "win"
    finally:
        board.undo()


def check_completeness(rule: int, seed: int, count: int) -> int:
    tried = 0
    for board in random_walks(seed, rule, count):
        for attacker in (core.BLACK, core.WHITE):
            result = core.solve_vcf(board, attacker, ENOUGH)
            if result.status != "win" or board.count(1 - attacker, core.CLASS_FIVE):
                continue
            before = probes.snapshot(board)
            found = core.defences(board, attacker, result.line)
            assert probes.snapshot(board) == before
            assert len(set(found)) == len(found)
            board.side = 1 - attacker
            assert all(board.legal(cell) for cell in found)
            for cell in cells_of(board):
                if cell not in found and board.legal(cell):
                    tried += 1
                    assert still_wins(board, attacker, result.line, cell), (
                        f"{board}\n{attacker} {[core.xy(c) for c in result.line]} {core.xy(cell)}"
                    )
    return tried


@pytest.mark.parametrize("rule", core.RULES)
def test_a_move_left_out_never_defends(rule: int) -> None:
    assert check_completeness(rule, 5, 15) >= 300


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
def test_a_move_left_out_never_defends_on_many_walks(rule: int) -> None:
    assert check_completeness(rule, 6, 400) >= 5_000


def test_an_open_three_has_its_three_defences_and_no_more() -> None:
    drawing = """
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . x x x . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    board = from_drawing(drawing, core.FREESTYLE, core.WHITE)
    line = core.solve_vcf(board, core.BLACK, ENOUGH).line
    found = {core.xy(cell) for cell in core.defences(board, core.BLACK, line)}
    # The straight four on either side, and its two fives.
    assert found in ({(5, 4), (1, 4), (6, 4)}, {(1, 4), (0, 4), (5, 4)})


def test_a_counter_four_counts_as_a_defence() -> None:
    drawing = """
        . . . . . . . . .
        x o o o . . . . .
        . . . . . . . . .
        . . . . . . . . .
        . . x x x . . . .
        . . . . . . . . .
        . . . . . . . . .
    """
    board = from_drawing(drawing, core.FREESTYLE, core.WHITE)
    line = core.solve_vcf(board, core.BLACK, ENOUGH).line
    found = {core.xy(cell) for cell in core.defences(board, core.BLACK, line)}
    assert {(4, 1), (5, 1)} <= found
    assert (6, 1) not in found


def test_a_line_that_does_not_win_is_refused() -> None:
    board = core.Board(9, 9, core.FREESTYLE)
    with pytest.raises(ValueError, match="does not win"):
        core.defences(board, core.BLACK, [core.cell(4, 4)])


def test_caro_side_lines_share_one_limit() -> None:
    drawing = """
        . . . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . . . .
        . . . . . . . . . . . . . . . . .
        . . . o . . . o . . o . x . . . .
        . . . . . . x o . o . . . . . . .
        . . o o . . o . x . x . . x . . .
        . . . x . . . x . . . . . . . . .
        . . . o x x . . o x . . . . . . .
        . . . . . o . . o . . o . . . . .
        . . . o x . x . . x . . . x o . .
        . . x o . . o . . o . . . . . . .
        . . . . . x . . . . x . o . . . .
        . . o . . . . o o . . . . . . . .
        . . x . . . . . o . x . . . . . .
        . . . . o . . . . . . . . x . . .
        . . . . . x x . . . . x . . x . .
        . . . . . . . . . . . . . . . . .
    """
    # A search of 200 stones meets a defence that uses up all of its trials, and nothing can stop a leaf on the way.
    board = from_drawing(drawing, core.CARO)
    assert 5_000 < core.solve_vct(board, core.BLACK, 200, proof=False).nodes < 11_000
