"""`python -m bench signature --network`: what the shipped network says and how a search with it plays.

Floating-point numbers differ in their last digits from machine to machine, so the numbers themselves are stored and
compared within tolerances: policy and value tightly, a search of fixed length loosely, since one rounded value may send
a simulation down another path.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import cython_core as core
from bench.notation import RULE_NAMES
from brain.core_evaluator import CoreEvaluator

STORED = Path(__file__).parent / "network_signature.json"
SIZES = ((7, 7), (15, 15), (20, 15), (20, 20))
STONES = 9
"""On boards of even width; one more on the others, so that either side is to move."""
SEARCH_BYTES = 8 << 20
SIMULATIONS = 300
TOLERANCE = {"value": 0.001, "policy": 0.01, "search": 0.05}
"""Largest difference of any number of a part: shares of one, logits, and shares of one again."""

Signature = dict[str, dict[str, list[float]]]
"""Position -> part -> numbers."""


def scattered(width: int, height: int, rule: int) -> core.Board:
    """A few stones around the middle, the same every time; nobody has won or is to make five."""
    chance = random.Random(f"{width} {height} {rule}")
    middle = [
        core.cell(x, y)
        for y in range(height // 2 - 3, height // 2 + 4)
        for x in range(width // 2 - 3, width // 2 + 4)
    ]
    board = core.Board(width, height, rule)
    while board.ply < STONES + width % 2:
        cell = middle[int(chance.random() * len(middle))]
        if not board.legal(cell):
            continue
        board.play(cell)
        if any(board.count(colour, core.CLASS_FIVE) for colour in (core.BLACK, core.WHITE)):
            board.undo()
    return board


def policy_numbers(logits: list[float]) -> list[float]:
    """The largest logit, the mean, and a mean in which each cell counts differently."""
    weighted = sum(logit * (1 + cell % 7) for cell, logit in enumerate(logits)) / sum(
        1 + cell % 7 for cell in range(len(logits))
    )
    return [max(logits), sum(logits) / len(logits), weighted]


def search_numbers(evaluator: CoreEvaluator, board: core.Board) -> list[float]:
    """The root's value, then the share of the simulations of each of its five likeliest moves."""
    searcher = core.Searcher(SEARCH_BYTES, seed=2026)
    searcher.set_position(board)
    simulate = evaluator.simulator(searcher, board, 1)
    simulate(core.Worker(searcher), SIMULATIONS)
    return [searcher.value, *(visits / searcher.visits for _, visits, *_ in searcher.children()[:5])]


def compute() -> Signature:
    """The numbers of every rule and size, rounded to what is worth storing."""
    found: Signature = {}
    evaluator: CoreEvaluator | None = None
    for rule in core.RULES:
        if evaluator is None:
            evaluator = CoreEvaluator.load(rule)
        evaluator.use_rule(rule)
        for width, height in SIZES:
            board = scattered(width, height, rule)
            logits, shares = evaluator.evaluate(board)
            parts = {
                "value": list(shares),
                "policy": policy_numbers(logits),
                "search": search_numbers(evaluator, board),
            }
            found[f"{RULE_NAMES[rule]} {width}x{height}"] = {
                part: [round(number, 5) for number in numbers] for part, numbers in parts.items()
            }
    return found


def differences(now: Signature, stored: Signature) -> list[str]:
    """One line for every part that is further off than its tolerance, or that only one of the two has."""
    lines = [f"{position}: only in one of the two" for position in sorted(now.keys() ^ stored.keys())]
    for position in now.keys() & stored.keys():
        for part, limit in TOLERANCE.items():
            ours, theirs = now[position].get(part, []), stored[position].get(part, [])
            if len(ours) != len(theirs):
                lines.append(f"{position}: {part} has {len(ours)} numbers instead of {len(theirs)}")
            # Turned round, so that NaN differs from everything.
            elif not all(abs(mine - other) <= limit for mine, other in zip(ours, theirs, strict=True)):
                lines.append(f"{position}: {part} {ours} instead of {theirs}")
    return sorted(lines)


def read_stored() -> Signature:
    stored: Any = json.loads(STORED.read_text())
    return {position: dict(parts) for position, parts in stored.items()}


def write_stored(signature: Signature) -> None:
    lines = (f"{json.dumps(position)}: {json.dumps(parts)}" for position, parts in signature.items())
    STORED.write_text("{\n" + ",\n".join(lines) + "\n}\n")
