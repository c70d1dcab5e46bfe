"""What people ask between moves: how a position looks before any search, and whether a draw is taken."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

import cython_core as core
from brain import display, protocol

if TYPE_CHECKING:
    from brain.engine import Engine

SHAPES = (
    ("five", core.CLASS_FIVE), ("open four", core.CLASS_OPEN_FOUR), ("double four", core.CLASS_DOUBLE_FOUR),
    ("four and three", core.CLASS_FOUR_THREE), ("four", core.CLASS_FOUR), ("double three", core.CLASS_DOUBLE_THREE),
    ("open three", core.CLASS_THREE),
)  # fmt: skip
LIKELY = 8
"""Moves that the network is asked for."""


def draw(engine: Engine) -> list[str]:
    """YXDRAW: a draw is taken where Renga expects no more of the game than that, by its last search for a move."""
    verdict = engine.verdict
    if verdict is None or not _follows(engine.present, verdict[0]):
        return [protocol.message("DRAW REJECT | no move of this game has been thought about yet")]
    best = verdict[1].best
    answer = "ACCEPT" if best.value <= 0.5 else "REJECT"
    return [protocol.message(f"DRAW {answer} | {display.chances(best.wdl)}")]


def features(engine: Engine) -> list[str]:
    """YXPRINTFEATURE: the shapes that either side can make, and what the network says of the position by itself."""
    board = engine.present
    lines = [f"{colour} can make: {_shapes(engine, board, side)}" for colour, side in _sides()]
    if fouls := engine.fouls():
        lines.append(f"forbidden to black: {engine.settings.notation.labels(fouls, board.height)}")
    if board.winner == core.EMPTY and board.legal_cells():
        lines.append(_opinion(engine, board))
    return [protocol.message(line) for line in lines]


def _sides() -> tuple[tuple[str, int], ...]:
    return ("black", core.BLACK), ("white", core.WHITE)


def _follows(board: core.Board, earlier: core.Board) -> bool:
    """Is this a later position of the same game, as far as the stones tell?"""
    return (board.rule, board.width, board.height) == (
        earlier.rule, earlier.width, earlier.height,
    ) and set(earlier.history) <= set(board.history)  # fmt: skip


def _shapes(engine: Engine, board: core.Board, side: int) -> str:
    found = []
    for name, klass in SHAPES:
        if cells := board.cells(side, klass):
            labels = engine.settings.notation.labels(map(core.xy, cells), board.height)
            found.append(f"{name} {labels}")
    return "; ".join(found) or "nothing yet"


def _opinion(engine: Engine, board: core.Board) -> str:
    name, (logits, wdl) = engine.thinker.opinion(board, engine.settings.resources(os.cpu_count() or 1))
    weights = {}
    for cell in board.legal_cells():
        x, y = core.xy(cell)
        weights[x, y] = math.exp(min(50.0, logits[y * board.width + x]))
    total = sum(weights.values()) or 1.0
    likely = sorted(weights, key=weights.__getitem__, reverse=True)[:LIKELY]
    moves = " ".join(
        f"{engine.settings.notation.label(xy, board.height)} {100 * weights[xy] / total:.0f}%" for xy in likely
    )
    return f"{name} for the side to move: {display.chances(wdl)} | {moves}"
