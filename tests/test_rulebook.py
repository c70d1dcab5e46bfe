"""The rule book: what it says of each rule, and that boards of the core play by it."""

from __future__ import annotations

import pytest

import cython_core as core
import renga

WINNING = {  # does black, does white win with six in a row; with five between two opposing stones
    "freestyle": (True, True, True),
    "standard": (False, False, True),
    "renju": (False, True, True),
    "caro-overline": (True, True, False),
    "caro": (False, False, False),
}


def row_of(rule: int, colour: int, length: int, *, closed: bool = False) -> core.Board:
    """A row of stones that has just been completed in its middle, closed at both ends by the other colour or open."""
    board = core.Board(15, 15, rule)
    for x in (3, 3 + length + 1) if closed else ():
        board.put(core.cell(x, 7), 1 - colour)
    for x in [*range(4, 6), *range(7, 4 + length), 6]:
        board.put(core.cell(x, 7), colour)
    return board


@pytest.mark.parametrize("rule", core.RULES)
def test_the_book_says_which_rows_win(rule: int) -> None:
    described = core.RULE_BOOK[rule]
    black, white, closed = WINNING[described.name]
    assert described.overline_wins == (black, white)
    assert described.blocked_ends is not closed
    for colour, wins in ((core.BLACK, black), (core.WHITE, white)):
        assert (row_of(rule, colour, 6).winner == colour) is wins
        assert (row_of(rule, colour, 5, closed=True).winner == colour) is closed
        assert row_of(rule, colour, 5).winner == colour


@pytest.mark.parametrize("rule", core.RULES)
def test_the_book_says_where_fouls_are(rule: int) -> None:
    board = core.Board(15, 15, rule)
    for x, y in ((6, 7), (8, 7), (7, 6), (7, 8)):  # two threes that meet at (7, 7)
        board.put(core.cell(x, y), core.BLACK)
    assert board.is_foul(core.cell(7, 7)) is core.RULE_BOOK[rule].fouls
    assert board.legal(core.cell(7, 7)) is not core.RULE_BOOK[rule].fouls


def test_only_renju_tells_the_colours_apart() -> None:
    assert [rule.name for rule in core.RULE_BOOK.values() if not rule.same_for_both] == ["renju"]


def test_every_rule_has_one_name_everywhere() -> None:
    assert [rule.name for rule in core.RULE_BOOK.values()] == list(renga.RULES) == list(WINNING)
    assert all(rule.number == number for number, rule in core.RULE_BOOK.items())
    assert [renga.Board(7, rule=rule.name).rule for rule in core.RULE_BOOK.values()] == list(renga.RULES)
