"""The shape table says what the definitions say, for every rule, with the board's edge anywhere."""

import random

import plain_shapes as plain
import pytest

import cython_core as core
from cython_core.probes import shape_at


def random_window(rng: random.Random) -> str:
    """Stones in every density, runs of own stones more often than chance gives them; walls at either end."""
    own, other = rng.choice([(0.2, 0.1), (0.4, 0.05), (0.6, 0.1), (0.4, 0.3), (0.75, 0.15)])
    marks = [("x" if (draw := rng.random()) < own else "o" if draw < own + other else ".") for _ in range(11)]
    marks[plain.CENTRE] = "."
    if rng.random() < 0.4:
        seen = rng.randrange(plain.CENTRE + 1)
        marks[:plain.CENTRE - seen] = "|" * (plain.CENTRE - seen)
    if rng.random() < 0.4:
        seen = rng.randrange(plain.CENTRE + 1)
        marks[plain.CENTRE + 1 + seen:] = "|" * (plain.CENTRE - seen)
    return "".join(marks)


def disagreements(rule: int, colour: int, count: int) -> list[tuple[str, int, int]]:
    rng = random.Random(f"{rule} {colour}")
    found = []
    for _ in range(count):
        window = random_window(rng)
        said, meant = shape_at(rule, colour, plain.window_code(window)), plain.shape_of(window, rule, colour)
        if said != meant:
            found.append((window, said, meant))
    return found


@pytest.mark.parametrize("rule", core.RULES)
@pytest.mark.parametrize("colour", [core.BLACK, core.WHITE])
def test_random_windows_have_the_shape_of_the_definition(rule: int, colour: int) -> None:
    assert disagreements(rule, colour, 3_000) == []


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
@pytest.mark.parametrize("colour", [core.BLACK, core.WHITE])
def test_many_random_windows_have_the_shape_of_the_definition(rule: int, colour: int) -> None:
    assert disagreements(rule, colour, 40_000) == []


SHAPES_BY_HAND = [
    # window, shape under freestyle, standard, renju black, caro 8, caro 9
    (". x x x x . . . . . .", plain.FIVE, plain.FIVE, plain.FIVE, plain.FIVE, plain.FIVE),
    ("x x x x x . . . . . .", plain.FIVE, plain.DEAD, plain.OVERLINE, plain.FIVE, plain.DEAD),
    ("o x x x x . o . . . .", plain.FIVE, plain.FIVE, plain.FIVE, plain.DEAD, plain.DEAD),
    ("| x x x x . o . . . .", plain.FIVE, plain.FIVE, plain.FIVE, plain.FIVE, plain.FIVE),
    (". . x x x . . . . . .", *[plain.OPEN_FOUR] * 5),
    (". o x x x . . . . . .", *[plain.FOUR] * 5),
    (". . x x . . . . . . .", *[plain.OPEN_THREE] * 5),
    ("x . x x . . . . . . .", plain.OPEN_THREE, plain.THREE, plain.THREE, plain.OPEN_THREE, plain.THREE),
    (". x . x x . . x . . .", *[plain.LINE_DOUBLE_FOUR] * 5),
    ("| | | | o . . . . o .", *[plain.DEAD] * 5),
    ("| | | | | . . . . . |", *[plain.ONE] * 5),
]


@pytest.mark.parametrize("case", SHAPES_BY_HAND, ids=lambda case: case[0].replace(" ", ""))
def test_shapes_known_by_hand(case: tuple[str, int, int, int, int, int]) -> None:
    window = plain.window_code(case[0].replace(" ", ""))
    assert [shape_at(rule, core.BLACK, window) for rule in core.RULES] == list(case[1:])


def test_a_window_sees_the_edge_as_nothing_and_not_as_a_stone() -> None:
    assert plain.window_code("xxox.....||") == plain.side_code(".xoxx") * 364 + plain.side_code("...")
    board = core.Board(7, 9, core.FREESTYLE)
    assert board.window(core.cell(0, 4), core.BLACK, 0) == 0 * 364 + 121


@pytest.mark.parametrize("bad", [(2, 0, 0), (0, 2, 0), (0, 0, 132496), (0, 0, -1)])
def test_unknown_rules_colours_and_windows_are_refused(bad: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no such"):
        shape_at(*bad)
