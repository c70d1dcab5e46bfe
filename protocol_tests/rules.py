"""The rules of five in a row, slow and plain, for checking replies: wins and renju fouls.

A position is a dict from (x, y) to 1 (black), 2 (white) or 3 (nobody's stone).
"""

from __future__ import annotations

XY = tuple[int, int]
Stones = dict[XY, int]

BLACK, WHITE, NOBODY = 1, 2, 3
FREESTYLE, STANDARD, RENJU, CARO_OVERLINE, CARO = 0, 1, 4, 8, 9
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def run_through(stones: Stones, at: XY, step: XY) -> tuple[int, XY, XY]:
    """Length of the run of equal stones through `at`, and the cells beyond its two ends."""
    colour, (dx, dy) = stones[at], step
    length, ends = 1, []
    for sign in (1, -1):
        x, y = at[0] + sign * dx, at[1] + sign * dy
        while stones.get((x, y)) == colour:
            length += 1
            x, y = x + sign * dx, y + sign * dy
        ends.append((x, y))
    return length, ends[0], ends[1]


def wins(stones: Stones, at: XY, rule: int) -> bool:
    """Did the stone on `at` make a winning line?"""
    colour = stones[at]
    for step in DIRECTIONS:
        length, one, other = run_through(stones, at, step)
        if rule == FREESTYLE or (rule == RENJU and colour == WHITE):
            won = length >= 5
        elif rule in (CARO, CARO_OVERLINE):
            enclosed = stones.get(one) == stones.get(other) == (WHITE if colour == BLACK else BLACK)
            won = (length == 5 and not enclosed) or (length > 5 and rule == CARO_OVERLINE)
        else:
            won = length == 5
        if won:
            return True
    return False


def is_foul(stones: Stones, at: XY, width: int, height: int) -> bool:
    """Would a black stone on the empty cell `at` be forbidden in renju?"""
    stones = {**stones, at: BLACK}
    lengths = [run_through(stones, at, step)[0] for step in DIRECTIONS]
    if 5 in lengths:
        return False
    if max(lengths) > 5:
        return True
    if sum(_fours(stones, at, step, width, height) for step in DIRECTIONS) >= 2:
        return True
    return sum(_is_three(stones, at, step, width, height) for step in DIRECTIONS) >= 2


def _line(at: XY, step: XY, width: int, height: int) -> list[XY]:
    """Empty or not: the cells within four steps of `at` on one line."""
    cells = [(at[0] + k * step[0], at[1] + k * step[1]) for k in range(-4, 5)]
    return [(x, y) for x, y in cells if 0 <= x < width and 0 <= y < height]


def _completions(stones: Stones, at: XY, step: XY, width: int, height: int) -> list[XY]:
    """Empty cells that make an exact five through `at` along this line."""
    line, found = _line(at, step, width, height), []
    if _blacks(stones, line) < 4:
        return found
    for cell in line:
        if cell not in stones:
            length, one, other = run_through({**stones, cell: BLACK}, cell, step)
            if length == 5 and _between(at, one, other, step):
                found.append(cell)
    return found


def _blacks(stones: Stones, cells: list[XY]) -> int:
    """Black stones on these cells: too few of them, and nothing needs to be tried out."""
    return sum(stones.get(cell) == BLACK for cell in cells)


def _between(at: XY, one: XY, other: XY, step: XY) -> bool:
    key = (lambda cell: cell[0]) if step[0] else (lambda cell: cell[1])
    low, high = sorted((key(one), key(other)))
    return low < key(at) < high


def _fours(stones: Stones, at: XY, step: XY, width: int, height: int) -> int:
    """Fours on one line: a straight four has two completions but counts once."""
    cells = _completions(stones, at, step, width, height)
    if len(cells) == 2 and run_through(stones, at, step)[0] == 4:
        return 1
    return len(cells)


def _is_three(stones: Stones, at: XY, step: XY, width: int, height: int) -> bool:
    """Can black add one legal stone on this line that makes a straight four (and no five)?"""
    line = _line(at, step, width, height)
    if _blacks(stones, line) < 3 or _completions(stones, at, step, width, height):
        return False
    for cell in line:
        if cell in stones:
            continue
        after = {**stones, cell: BLACK}
        length, one, other = run_through(after, at, step)
        if length != 4 or not _between(cell, one, other, step):
            continue
        if len(_completions(after, at, step, width, height)) != 2:
            continue
        makes_five = any(run_through(after, cell, each)[0] == 5 for each in DIRECTIONS)
        if not makes_five and not is_foul(stones, cell, width, height):
            return True
    return False
