"""The stand-alone verifier's rules against the reference and the core, on random positions of every rule and shape."""

from __future__ import annotations

import ast
import random
import sys
from pathlib import Path

import pytest
from walks import random_walk

import cython_core as core
from bench import reference
from bench.notation import RULE_NAMES
from renga import verify


def crowded(rng: random.Random, rule: int) -> core.Board:
    """Random stones, close together, some of nobody's: fives, overlines and fouls of every kind arise."""
    width, height = rng.choice((5, 7, 10, 15, 32)), rng.choice((5, 6, 9, 13))
    board = core.Board(width, height, rule)
    share = rng.uniform(0.2, 0.7)
    colours = [core.BLACK] * rng.choice((2, 4)) + [core.WHITE] * 2 + [core.BLOCKED] * rng.choice((0, 1))
    for y in range(height):
        for x in range(min(width, 15)):
            if rng.random() < share:
                board.put(core.cell(x, y), rng.choice(colours))
    return board


def verifiers(board: core.Board) -> verify.Board:
    seen = verify.Board(board.width, board.height, RULE_NAMES[board.rule], 10**9)
    for cell, colour in board.history:
        x, y = core.xy(cell)
        seen.put(y * seen.stride + x, colour)
    return seen


def compare(board: core.Board, with_reference: bool) -> tuple[int, int]:
    """How many fives and fouls there were; all of them seen alike."""
    seen = verifiers(board)
    position = reference.Position(
        board.width, board.height, board.rule, {core.xy(cell): colour for cell, colour in board.history}
    )
    fives = fouls = 0
    for y in range(board.height):
        for x in range(board.width):
            cell, at = core.cell(x, y), y * seen.stride + x
            if board.stone(cell) != core.EMPTY:
                continue
            foul = seen.forbidden(at, core.BLACK)[0]
            made = [bool(seen.five(at, colour)) for colour in (core.BLACK, core.WHITE)]
            assert foul == board.is_foul(cell), f"{board}\n{x},{y}"
            assert made == [board.class_of(cell, colour) == core.CLASS_FIVE for colour in (0, 1)], f"{board}\n{x},{y}"
            if with_reference:
                assert foul == reference.is_foul(position, (x, y))
                assert made == [reference.makes_five(position, (x, y), colour) for colour in (0, 1)]
            near = [seen.near_five(colour, 1) >> at & 1 for colour in (0, 1)]
            assert all(close or not five for close, five in zip(near, made, strict=True))
            fives += sum(made)
            fouls += foul
    return fives, fouls


@pytest.mark.parametrize("rule", core.RULES)
def test_fives_and_fouls_are_those_of_the_reference_and_the_core(rule: int) -> None:
    rng = random.Random(rule)
    counts = [compare(crowded(rng, rule), with_reference=index % 5 == 0) for index in range(60)]
    assert sum(fives for fives, _ in counts) > 50
    assert (sum(fouls for _, fouls in counts) > 50) == (rule == core.RENJU)


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
def test_fives_and_fouls_agree_on_thousands_of_positions(rule: int) -> None:
    rng = random.Random(f"many {rule}")
    for index in range(2000):
        board = crowded(rng, rule) if index % 2 else random_walk(index, rule, 15, 15, rng.randint(10, 120))
        compare(board, with_reference=index % 10 == 0)


def test_rows_near_five_are_counted_right() -> None:
    rng = random.Random(5)
    for _ in range(15):
        board = crowded(rng, core.FREESTYLE)
        seen = verifiers(board)
        cells = [[y * seen.stride + x for x in range(board.width)] for y in range(board.height)]
        for colour in (core.BLACK, core.WHITE):
            for missing in range(1, 7):
                expected = set()
                for y in range(board.height):
                    for x in range(board.width):
                        for dx, dy in reference.DIRECTIONS:
                            ends = x + 4 * dx, y + 4 * dy
                            if not (0 <= ends[0] < board.width and 0 <= ends[1] < board.height):
                                continue
                            row = [cells[y + i * dy][x + i * dx] for i in range(5)]
                            stones = [seen.stone[cell] for cell in row]
                            if set(stones) <= {colour, core.EMPTY} and stones.count(core.EMPTY) <= missing:
                                expected.update(c for c in row if seen.stone[c] == core.EMPTY)
                assert set(verify.bits(seen.near_five(colour, missing))) == expected


def test_the_verifier_is_one_short_file_on_its_own() -> None:
    source = Path(verify.__file__).read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [str(node.module)]
            assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names
