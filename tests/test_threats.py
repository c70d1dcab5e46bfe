"""Static answers agree with the plain reference: fives, replies to them, fours that nothing stops."""

import plain_shapes as plain
import pytest
from walks import cells_of, from_drawing, random_walks, seen_by_reference

import cython_core as core
from bench import reference
from cython_core import probes
from cython_core.probes import look


def cells(found: list[reference.Cell]) -> set[int]:
    return {core.cell(*cell) for cell in found}


@pytest.mark.parametrize("rule", core.RULES)
def test_cells_of_class_five_are_the_winning_cells(rule: int) -> None:
    for board in random_walks(21, rule, 60):
        position = seen_by_reference(board)
        for colour in (core.BLACK, core.WHITE):
            assert set(board.cells(colour, plain.CLASS_FIVE)) == cells(reference.winning_cells(position, colour))


@pytest.mark.parametrize("rule", core.RULES)
def test_four_classes_are_the_moves_that_threaten_five(rule: int) -> None:
    for board in random_walks(22, rule, 25):
        position = seen_by_reference(board)
        for colour in (core.BLACK, core.WHITE):
            if board.count(colour, plain.CLASS_FIVE) or board.count(1 - colour, plain.CLASS_FIVE):
                continue
            for cell in cells_of(board):
                klass = board.class_of(cell, colour)
                if board.stone(cell) != core.EMPTY or not reference.is_legal(position, core.xy(cell), colour):
                    continue
                after = position.with_stone(core.xy(cell), colour)
                threatens = bool(reference.winning_cells(after, colour))
                is_four = plain.CLASS_FOUR <= klass <= plain.CLASS_OPEN_FOUR
                assert is_four == threatens, f"{core.xy(cell)}\n{board}"
                if is_four:
                    unstoppable = not reference.defences(after, colour)
                    # White may win with a single four as well, when black's only reply is a foul.
                    if rule != core.RENJU or colour == core.BLACK or not unstoppable:
                        assert (klass >= plain.CLASS_DOUBLE_FOUR) == unstoppable, f"{core.xy(cell)}\n{board}"


@pytest.mark.parametrize("rule", core.RULES)
def test_a_glance_agrees_with_the_reference(rule: int) -> None:
    seen = set()
    for board in random_walks(23, rule, 150):
        for side in (core.BLACK, core.WHITE):
            board.side = side
            before = probes.snapshot(board)
            verdict, found = look(board)
            assert probes.snapshot(board) == before
            seen.add(verdict)
            position = seen_by_reference(board)
            assert verdict == expected_verdict(position, found), str(board)
    assert {"undecided", "win in one", "must answer", "win in three"} <= seen


def expected_verdict(position: reference.Position, found: list[int]) -> str:
    """The reference's verdict; checks the cells of the glance on the way."""
    side = position.side
    winning = reference.winning_cells(position, side)
    if winning:
        assert set(found) == cells(winning)
        return "win in one"
    if reference.winning_cells(position, 1 - side):
        assert set(found) == cells(reference.defences(position, 1 - side))
        return "must answer" if found else "loss in two"
    for cell in found:
        move = core.xy(cell)
        assert reference.is_legal(position, move, side)
        after = position.with_stone(move, side)
        assert reference.winning_cells(after, side)
        assert not reference.defences(after, side)
    return "win in three" if found else "undecided"


def test_a_caro_five_is_stopped_at_its_open_end_too() -> None:
    board = from_drawing(
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . o x x x x . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
        core.CARO,
        core.WHITE,
    )
    verdict, found = look(board)
    assert verdict == "must answer"
    assert sorted(core.xy(cell) for cell in found) == [(6, 2), (7, 2)]


def test_black_loses_to_a_four_whose_only_answer_is_a_foul() -> None:
    board = from_drawing(
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . x . . . . .
        . . . . . x . . . . .
        x o o o o . . . . . .
        . . . . . . x . . . .
        . . . . . . . x . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
        core.RENJU,
    )
    assert look(board) == ("loss in two", [])
