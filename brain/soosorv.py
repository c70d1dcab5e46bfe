"""Soosorv-8, the opening rule of renju championships, step by step.

Three stones in one of the 26 standard openings; the other player may swap; white's fourth stone anywhere and the number
of fifth moves, one to eight; the other player may swap; black offers that number of them, no two the same by symmetry;
white picks one. Each function decides one step for whoever has to take it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import cython_core as core
from brain.appraisal import Appraiser, after, worth
from brain.symmetry import distinct

MOST_FIFTHS = 8
FOURTHS = 6
"""Fourth moves that are compared."""
RANKING_SHARE = 0.2

Offset = tuple[int, int]


def standard_openings() -> list[tuple[Offset, Offset, Offset]]:
    """The 26 openings as offsets from the centre: black in the middle, white beside it, straight or diagonally, black
    again within two cells of the centre; one of each that are the same by symmetry."""
    found: list[tuple[Offset, Offset, Offset]] = []
    board = core.Board(5, 5, core.RENJU)
    board.play(core.cell(2, 2))
    for white in ((0, -1), (1, -1)):
        started = after(board, core.cell(2 + white[0], 2 + white[1]))
        free = [core.cell(x, y) for y in range(5) for x in range(5) if started.legal(core.cell(x, y))]
        for cell in distinct(started, free):
            x, y = core.xy(cell)
            found.append(((0, 0), white, (x - 2, y - 2)))
    return found


def first_three(board: core.Board, appraiser: Appraiser, chance: random.Random) -> tuple[int, ...]:
    """Step 1: of the standard openings the most even, in a random one of its orientations."""
    openings = standard_openings()
    chance.shuffle(openings)  # where time is short the first ones are the only ones
    best, least = openings[0], 1.0
    for opening in openings:
        value = worth(after(board, *_placed(board, opening)), appraiser, 1 / len(openings))
        if abs(value - 0.5) < least:
            best, least = opening, abs(value - 0.5)
        if appraiser.over:
            break
    flip_x, flip_y, transposed = (chance.random() < 0.5 for _ in range(3))
    turned = [((-dx if flip_x else dx), (-dy if flip_y else dy)) for dx, dy in best]
    return _placed(board, [(dy, dx) if transposed else (dx, dy) for dx, dy in turned])


def swap_after_three() -> bool:
    """Step 2: yes. Whoever stays white has to place the fourth stone and to name the number of fifth moves, and the
    other side then picks its colour: that is never worth more than one half, and picking never less."""
    return True


def fourth(board: core.Board, appraiser: Appraiser) -> tuple[int, int]:
    """Step 3: white's fourth stone and the number of fifth moves that leave the game most even, since black may swap.

    With n fifth moves to offer black offers the best n, and white picks the last of them."""
    best, least = (0, 1), 2.0
    for opinion in appraiser.rank(board, FOURTHS, RANKING_SHARE):
        fifths = _fifths(after(board, opinion.move), appraiser, MOST_FIFTHS, (1 - RANKING_SHARE) / FOURTHS)
        for count, (_, value) in enumerate(fifths, 1):
            if abs(value - 0.5) < least:
                best, least = (opinion.move, count), abs(value - 0.5)
        if appraiser.over:
            break
    return best


def swap_after_four(board: core.Board, appraiser: Appraiser, count: int) -> bool:
    """Step 4: take white? Black has to offer `count` fifth moves and gets the worst of them."""
    return _fifths(board, appraiser, count, 1.0)[-1][1] < 0.5


def fifths(board: core.Board, appraiser: Appraiser, count: int) -> tuple[int, ...]:
    """Step 5: the `count` best fifth moves, no two the same by symmetry."""
    return tuple(move for move, _ in _fifths(board, appraiser, count, 1.0))


def pick_fifth(board: core.Board, appraiser: Appraiser, offered: Sequence[int]) -> int:
    """Step 6: of the offered fifth moves the one that is best for white."""
    assert offered, "there is something to pick from"
    values = {cell: worth(after(board, cell), appraiser, 1 / len(offered)) for cell in offered}
    return max(offered, key=values.__getitem__)


def _fifths(board: core.Board, appraiser: Appraiser, count: int, share: float) -> list[tuple[int, float]]:
    """Black's best fifth moves with their win rates, best first. Up to eight moves may be the same as one of them."""
    ranked = appraiser.rank(board, count * 8, share)
    values = {opinion.move: opinion.value for opinion in ranked}
    return [(move, values[move]) for move in distinct(board, values)][:count]


def _placed(board: core.Board, offsets: Sequence[Offset]) -> tuple[int, ...]:
    return tuple(core.cell(board.width // 2 + dx, board.height // 2 + dy) for dx, dy in offsets)
