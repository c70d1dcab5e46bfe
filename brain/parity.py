"""Does a network say the same in every form? Positions to ask about, and how far two answers are apart.

A file holds what the whole graph said of these positions when it was exported, so that a copy of the engine can be
checked on a machine without ONNX Runtime.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping

import cython_core as core
from brain.evaluator import Answer

SIZES = ((15, 15), (9, 12), (20, 20))
MOST_STONES = 24
ANSWERS = "answers"
"""Key of the metadata: JSON, rule -> win, draw and loss of each position, in order."""
PARITY = 0.001
"""Largest difference between two forms of a network in floating-point numbers, in shares of one."""
CORE_PARITY = 0.05
"""The same for the core, which rounds features to 16-bit integers. Measured: 0.023 for a move, 0.004 for values."""


def sample_boards(rule: int) -> list[core.Board]:
    """A few positions of a rule, the same every time: stones scattered around the middle, either side to move."""
    chance = random.Random(rule)
    boards = []
    for width, height in SIZES:
        for parity in (0, 1):
            board = core.Board(width, height, rule)
            stones = 2 * chance.randrange(1, MOST_STONES // 2) + parity
            while board.ply < stones and board.winner == core.EMPTY:
                x, y = (round(chance.triangular(0, side - 1)) for side in (width, height))
                if board.legal(core.cell(x, y)):
                    board.play(core.cell(x, y))
            if board.winner != core.EMPTY:
                board.undo()
            boards.append(board)
    return boards


def distance(ours: Answer, theirs: Answer) -> float:
    """Largest difference of win, draw, loss and of any move's share, in shares of one. NaN is as far as can be."""
    pairs = [*zip(ours[1], theirs[1], strict=True), *zip(shares(ours[0]), shares(theirs[0]), strict=True)]
    return largest(pairs)


def largest(pairs: list[tuple[float, float]]) -> float:
    return max(1.0 if math.isnan(mine - other) else abs(mine - other) for mine, other in pairs)


def shares(logits: list[float]) -> list[float]:
    """What a policy gives each cell, of one."""
    if not all(map(math.isfinite, logits)):
        return [math.nan] * len(logits)
    top = max(logits)
    odds = [math.exp(logit - top) for logit in logits]
    total = sum(odds)
    return [share / total for share in odds]


def stored_answers(metadata: Mapping[str, str]) -> dict[int, list[list[float]]]:
    """Rule -> win, draw, loss of its sample positions, as the file tells them; empty if it does not. ValueError names
    what cannot be read."""
    try:
        found = json.loads(metadata.get(ANSWERS, "{}"))
        return {int(rule): [[float(share) for share in answer] for answer in found[rule]] for rule in found}
    except (TypeError, ValueError, LookupError) as error:
        raise ValueError(f"its stored answers cannot be read: {error}") from error
