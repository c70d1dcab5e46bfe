"""Rules at length: games of two copies from the organisers' openings, and fouls on random positions."""

from __future__ import annotations

import random

from protocol_tests.managers import Limits, judge
from protocol_tests.process import Failed
from protocol_tests.registry import Run, check
from protocol_tests.rules import BLACK, WHITE, Stones, is_foul

CORNER = {15: ((13, 13), (10, 13), (10, 12)), 20: ((18, 18), (15, 18), (15, 17))}


@check(94)
def games_from_the_corner(run: Run) -> None:
    long, fast = Limits(30_000, 180_000), Limits(5000, 100_000)
    quick = Limits(30, 6000)
    games = [(20, 0, long), (20, 0, fast), (15, 0, long), (15, 1, long), (15, 4, long), (15, 8, long)]
    for size, rule, limits in games if run.full else [(20, 0, quick), (15, 1, quick), (15, 4, quick), (15, 8, quick)]:
        judge.play(run, size, rule, limits, CORNER[size])


def _random_position(chance: random.Random, size: int) -> Stones:
    """Stones crowded around one place, where shapes meet."""
    stones: Stones = {}
    x, y = chance.randrange(3, size - 3), chance.randrange(3, size - 3)
    for turn in range(2 * chance.randint(5, 16)):
        for _ in range(50):
            cell = x + round(chance.gauss(0, 2.2)), y + round(chance.gauss(0, 2.2))
            if 0 <= cell[0] < size and 0 <= cell[1] < size and cell not in stones:
                stones[cell] = WHITE if turn % 2 else BLACK
                break
    return stones


@check(98)
def fouls_agree_with_the_definition(run: Run) -> None:
    chance = random.Random(98)
    seen = 0
    with run.brain() as brain:
        brain.send("INFO rule 4", "START 15")
        brain.expect("OK", 3000)
        for number in range(3000 if run.full else 80):
            stones = _random_position(chance, 15)
            black = [cell for cell, colour in stones.items() if colour == BLACK]
            white = [cell for cell, colour in stones.items() if colour == WHITE]
            lines = [f"{x},{y},1" for x, y in black] + [f"{x},{y},2" for x, y in white]
            brain.send("YXBOARD", *lines, "DONE", "YXSHOWFORBID")
            digits = brain.reply().removeprefix("FORBID ").removesuffix(".")
            got = {(int(digits[at : at + 2]), int(digits[at + 2 : at + 4])) for at in range(0, len(digits), 4)}
            cells = ((x, y) for x in range(15) for y in range(15))
            wanted = {cell for cell in cells if cell not in stones and is_foul(stones, cell, 15, 15)}
            seen += len(wanted)
            if got != wanted:
                raise Failed(f"position {number} {lines}: {got ^ wanted} (forbidden by definition: {wanted})")
    if seen < 20:
        raise Failed("the positions hold too few fouls to say anything")
