"""Windows, shapes and classes straight from their definitions (patterns.pxd), slow and without tables.

A window is a text of 11 marks around its centre as one colour sees it: x own, o other, . empty, | off the board.
"""

from __future__ import annotations

from functools import cache

import cython_core as core

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
(DEAD, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, LINE_DOUBLE_FOUR, OPEN_FOUR, FIVE, OVERLINE) = range(11)
(NOTHING, QUIET, CLASS_THREE, CLASS_DOUBLE_THREE, CLASS_FOUR, CLASS_FOUR_THREE, CLASS_DOUBLE_FOUR, CLASS_OPEN_FOUR,
 CLASS_FIVE, CLASS_FOUL, CLASS_MAYBE_FOUL) = range(11)
CENTRE = 5


def window_at(board: core.Board, cell: int, colour: int, direction: int) -> str:
    """What `colour` sees along a direction; the centre is marked as it stands."""
    x, y = core.xy(cell)
    dx, dy = DIRECTIONS[direction]
    marks = []
    for distance in range(-CENTRE, CENTRE + 1):
        near_x, near_y = x + distance * dx, y + distance * dy
        if not (0 <= near_x < board.width and 0 <= near_y < board.height):
            marks.append("|")
        else:
            stone = board.stone(core.cell(near_x, near_y))
            marks.append("." if stone == core.EMPTY else "x" if stone == colour else "o")
    return "".join(marks)


def side_code(marks: str) -> int:
    """Code of one side of a window, nearest cell first."""
    visible = marks.partition("|")[0]
    code = 0
    for mark in visible:
        code = 3 * code + ".xo".index(mark)
    return (3 ** len(visible) - 1) // 2 + code


def window_code(window: str) -> int:
    return side_code(window[:CENTRE][::-1]) * 364 + side_code(window[CENTRE + 1:])


def put(window: str, index: int, mark: str) -> str:
    return window[:index] + mark + window[index + 1:]


def run_through_centre(window: str) -> tuple[int, int]:
    """First and last index of the own stones in a row with the centre."""
    first = last = CENTRE
    while first > 0 and window[first - 1] == "x":
        first -= 1
    while last < len(window) - 1 and window[last + 1] == "x":
        last += 1
    return first, last


def wins(window: str, rule: int, colour: int) -> bool:
    """Is the row through the centre, where an own stone stands, a winning one?"""
    first, last = run_through_centre(window)
    length = last - first + 1
    if length > 5:
        free = rule in (core.FREESTYLE, core.CARO_OVERLINE)
        return free or (rule == core.RENJU and colour == core.WHITE)
    if length == 5 and rule in (core.CARO, core.CARO_OVERLINE):
        return not (window[first - 1] == "o" and window[last + 1] == "o")
    return length == 5


@cache
def shape_of(window: str, rule: int, colour: int) -> int:
    """Shape that an own stone on the empty centre makes."""
    stone = put(window, CENTRE, "x")
    fouls = rule == core.RENJU and colour == core.BLACK
    if wins(stone, rule, colour):
        return FIVE
    first, last = run_through_centre(stone)
    if last - first + 1 > 5:
        return OVERLINE if fouls else DEAD
    empty = [index for index in range(len(window)) if index != CENTRE and window[index] == "."]

    def fives(marks: str) -> list[int]:
        return [index for index in empty if marks[index] == "." and wins(put(marks, index, "x"), rule, colour)]

    if fives(stone):
        if any(not fives(put(stone, reply, "o")) for reply in empty):
            return FOUR
        straight = last - first == 3 and first - 1 in fives(stone) and last + 1 in fives(stone)
        return OPEN_FOUR if straight else LINE_DOUBLE_FOUR
    after = {shape_of(put(window, index, "x"), rule, colour) for index in empty}
    if OPEN_FOUR in after or (LINE_DOUBLE_FOUR in after and not fouls):
        return OPEN_THREE
    if after & {FOUR, LINE_DOUBLE_FOUR}:
        return THREE
    if OPEN_THREE in after:
        return OPEN_TWO
    if THREE in after:
        return TWO
    return ONE if after - {DEAD, OVERLINE} else DEAD


def class_of(shapes: list[int], rule: int, colour: int) -> int:
    fours = sum({FOUR: 1, OPEN_FOUR: 1, LINE_DOUBLE_FOUR: 2}.get(shape, 0) for shape in shapes)
    threes = shapes.count(OPEN_THREE)
    if FIVE in shapes:
        return CLASS_FIVE
    if rule == core.RENJU and colour == core.BLACK:
        if OVERLINE in shapes or fours >= 2:
            return CLASS_FOUL
        if threes >= 2:
            return CLASS_MAYBE_FOUL
    if OPEN_FOUR in shapes or LINE_DOUBLE_FOUR in shapes:
        return CLASS_OPEN_FOUR
    if fours >= 2:
        return CLASS_DOUBLE_FOUR
    if fours:
        return CLASS_FOUR_THREE if threes else CLASS_FOUR
    if threes:
        return CLASS_DOUBLE_THREE if threes >= 2 else CLASS_THREE
    return QUIET if max(shapes) in (TWO, OPEN_TWO, THREE) else NOTHING
