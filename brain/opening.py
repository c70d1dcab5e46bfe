"""Empty board and swap2 decisions: what is known before the search has anything to say.

Owns the first moves on every size and balanced three-stone openings; the thinker compares them.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import cython_core as core
from brain.records import Decision, Line, OnUpdate, Request

if TYPE_CHECKING:
    from brain.clock import Timer
    from brain.thinker import Thinker

BALANCED = (
    ((-2, -5), (-2, -3), (0, -3)),
    ((-3, -6), (-4, -4), (-1, -4)),
    ((-5, -3), (-6, -5), (-7, -7)),
    ((1, -3), (1, -5), (-4, -3)),
    ((-4, -4), (-6, -6), (-3, -7)),
    ((-5, -2), (-2, -6), (-3, -6)),
    ((-5, -4), (-2, -7), (-5, -7)),
    ((-4, -7), (-7, -7), (-5, -2)),
)
"""Black, white, black as offsets from the centre of 15x15, off the middle, where black's lead is smaller.

Random openings that our own search found to be even: standard rule, 4000 simulations, win rate within 0.03 of 1/2."""

CANDIDATES, COMPARING_S = 4, 2.0
"""Balanced openings that are compared before the most even of them is offered, and the longest time for that."""
EVEN = 0.03
"""A win rate this close to one half is even. Only then two more stones may be placed: who places them leaves the choice
to the other side, so they can never be worth more than one half, and choosing is worth at least that."""


def first_move(board: core.Board) -> int | None:
    """The centre of an empty board; diagonally beside a lone stone, where there is more room; else None."""
    middle_x, middle_y = board.width // 2, board.height // 2
    if board.ply == 0:
        return core.cell(middle_x, middle_y)
    if board.ply > 1:
        return None
    x, y = core.xy(board.history[0][0])
    # Far out in a corner the lone stone is worth less than the middle of the board.
    if min(x, y, board.width - 1 - x, board.height - 1 - y) < 2:
        reply = core.cell(middle_x, middle_y)
    else:
        reply = core.cell(x + (1 if x < middle_x else -1), y + (1 if y < middle_y else -1))
    return reply if board.legal(reply) else None


def three_stones(board: core.Board, chance: random.Random) -> tuple[int, ...]:
    """A balanced opening in a random one of its eight orientations, fitted to the board."""
    offsets = chance.choice(BALANCED)
    flip_x, flip_y, transpose = chance.random() < 0.5, chance.random() < 0.5, chance.random() < 0.5
    cells = []
    for dx, dy in offsets:
        dx, dy = (-dx if flip_x else dx), (-dy if flip_y else dy)
        if transpose:
            dx, dy = dy, dx
        cells.append(core.cell(_fitted(dx, board.width), _fitted(dy, board.height)))
    if len(set(cells)) == 3:
        return tuple(cells)
    # Boards too small for the offsets: the corner and its neighbours are the quietest stones there are.
    return core.cell(0, 0), core.cell(2, 1), core.cell(1, board.height - 1)


def _fitted(offset: int, size: int) -> int:
    """An offset made for 15 cells on a side of `size`: distances to the nearer edge are kept if they fit."""
    half = size // 2
    if offset == 0 or half == 7:
        return min(size - 1, max(0, half + offset))
    from_edge = 7 - abs(offset)
    place = min(from_edge, half - 1) if from_edge < half else half - 1
    return place if offset < 0 else size - 1 - place


def swap2(
    request: Request, thinker: Thinker, timer: Timer, chance: random.Random, on_update: OnUpdate | None = None
) -> Decision:
    """Answers SWAP2BOARD with 0, 3 or 5 stones on the board, in time; after 3 and 5 white is to move."""
    board = request.board
    request = replace(request, lines=1)
    if board.ply == 0:
        return Decision(_most_even_opening(request, thinker, timer, chance, on_update))
    analysis = thinker.analyse(request, timer.part(0.5 if board.ply == 3 else 1.0), on_update)
    white = analysis.best.value
    if board.ply == 3 and abs(white - 0.5) < EVEN and analysis.best.proof is None:
        pair = _balancing_pair(request, thinker, timer, analysis.best, on_update)
        if pair is not None:
            return Decision(pair, analysis=analysis)
    if white < 0.5:
        return Decision((), swap=True, analysis=analysis)
    return Decision((analysis.best.move,), analysis=analysis)


def _most_even_opening(
    request: Request, thinker: Thinker, timer: Timer, chance: random.Random, on_update: OnUpdate | None
) -> tuple[int, ...]:
    """Of a few balanced openings the one that a search finds to be the most even."""
    best, off_balance = None, 1.0
    part = min(1.0, COMPARING_S / timer.limits.maximum_s)
    for index in range(CANDIDATES):
        cells = three_stones(request.board, chance)
        probe = request.board.copy()
        for cell in cells:
            probe.play(cell)
        share = part * (index + 1) / CANDIDATES
        analysis = thinker.analyse(replace(request, board=probe), timer.part(share), on_update)
        if on_update is not None:
            on_update(analysis)  # each search is too short to report by itself
        value = analysis.best.value
        if best is None or abs(value - 0.5) < off_balance:
            best, off_balance = cells, abs(value - 0.5)
    assert best is not None
    return best


def _balancing_pair(
    request: Request, thinker: Thinker, timer: Timer, white: Line, on_update: OnUpdate | None
) -> tuple[int, int] | None:
    """White's best move and a black reply that leave the game closer to even than it is, or None."""
    best, off_balance = None, abs(white.value - 0.5)
    probe = request.board.copy()
    probe.play(white.move)
    asked = replace(request, board=probe)
    replies = thinker.analyse(replace(asked, lines=3), timer.part(0.7), on_update).lines
    for index, reply in enumerate(replies):
        probe.play(reply.move)
        found = thinker.analyse(asked, timer.part(0.7 + 0.3 * (index + 1) / len(replies)), on_update).best
        probe.undo()
        if found.proof is None and abs(found.value - 0.5) < off_balance:
            off_balance, best = abs(found.value - 0.5), (white.move, reply.move)
    return best
