"""Balance and Soosorv: what they decide, with an appraiser whose opinions are known."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable

import pytest

import cython_core as core
from brain import soosorv
from brain.appraisal import Opinion, after, worth
from brain.balance import most_even
from brain.score import score_of, win_rate_of
from brain.symmetry import distinct, keeping, symmetries

START = ((0, 0), (8, 0), (1, 3))
"""Three stones without any symmetry."""


class KnowingAppraiser:
    """Knows the win rate of black in every position, and nothing else; patient for a given number of questions."""

    def __init__(self, black: Callable[[core.Board], float], patience: int = 1 << 30) -> None:
        self._black, self._patience = black, patience
        self.questions, self.share = 0, 0.0

    @property
    def over(self) -> bool:
        return self.questions >= self._patience

    def rank(self, board: core.Board, count: int, share: float) -> list[Opinion]:
        self.questions += 1
        self.share += share
        opinions = []
        for cell in board.all_cells():
            if board.legal(cell):
                black = self._black(after(board, cell))
                opinions.append(Opinion(cell, black if board.side == core.BLACK else 1 - black))
        return sorted(opinions, key=lambda opinion: -opinion.value)[:count]


def position(*cells: tuple[int, int], size: int = 9) -> core.Board:
    board = core.Board(size, size, core.FREESTYLE)
    for x, y in cells:
        board.play(core.cell(x, y))
    return board


def column(*plies: int) -> Callable[[core.Board], float]:
    """The further right the stones of these plies are, the better for black: no other stone counts."""

    def black(board: core.Board) -> float:
        right = board.width - 1
        columns = [core.xy(board.history[ply][0])[0] if ply < board.ply else right / 2 for ply in plies]
        return sum(columns) / right / len(plies)

    return black


@pytest.mark.parametrize(("width", "height", "count"), [(9, 9, 8), (9, 7, 4)])
def test_symmetries_are_different_permutations_that_keep_neighbours(width: int, height: int, count: int) -> None:
    found = symmetries(width, height)
    assert len({tuple(sorted(symmetry.items())) for symmetry in found}) == len(found) == count
    for symmetry in found:
        assert set(symmetry.values()) == set(symmetry)
        for x, y in itertools.product(range(width - 1), range(height)):
            (ax, ay), (bx, by) = (core.xy(symmetry[core.cell(at, y)]) for at in (x, x + 1))
            assert abs(ax - bx) + abs(ay - by) == 1


def test_one_cell_of_each_orbit_is_kept() -> None:
    empty = core.Board(15, 15, core.FREESTYLE)
    assert len(distinct(empty, empty.all_cells())) == 36
    assert len(keeping(position((4, 4)))) == 8
    assert len(keeping(position((4, 4), (4, 3)))) == 2
    assert len(keeping(position((4, 4), (5, 3), (0, 8)))) == 2
    assert len(keeping(position((4, 4), (5, 3), (0, 7)))) == 1


@pytest.mark.parametrize("target", [0.0, 0.25, 0.5, 1.0])
def test_the_most_even_move_is_found(target: float) -> None:
    appraiser = KnowingAppraiser(column(3))
    (cell,) = most_even(position(*START), appraiser, target=target)
    assert core.xy(cell)[0] == round((1 - target) * 8)  # white is to move, and the right is good for black
    assert appraiser.share <= 1.0 + 1e-9


def test_the_most_even_pair_is_found() -> None:
    board = position(*START)
    appraiser = KnowingAppraiser(column(3, 4))
    pair = most_even(board, appraiser, moves=2)
    assert len(set(pair)) == 2
    assert abs(worth(after(board, *pair), KnowingAppraiser(column(3, 4)), 1.0) - 0.5) < 1 / 16
    assert appraiser.share <= 1.0 + 1e-9


def test_a_short_request_answers_with_what_it_has_appraised() -> None:
    board = position(*START)
    (cell,) = most_even(board, KnowingAppraiser(column(3), patience=5))
    assert board.legal(cell)
    pair = most_even(board, KnowingAppraiser(column(3, 4), patience=1), moves=2)
    after(board, *pair)  # raises for an illegal pair


@pytest.mark.parametrize("moves", [1, 2])
def test_blocked_moves_are_no_part_of_a_balance(moves: int) -> None:
    board = position(*START)
    left = frozenset(board.legal_cells()[::7])
    blocked = frozenset(board.all_cells()) - left
    found = most_even(board, KnowingAppraiser(column(3, 4)), moves, blocked=blocked)
    assert len(found) == moves and left.issuperset(found)
    assert most_even(board, KnowingAppraiser(column(3, 4)), moves, blocked=frozenset(board.all_cells()))


def test_a_winning_first_move_is_no_pair_and_never_even() -> None:
    board = position((0, 0), (0, 8), (1, 0), (1, 8), (2, 0), (2, 8), (3, 0), (3, 8))
    (cell,) = most_even(board, KnowingAppraiser(lambda board: 0.5))
    assert cell != core.cell(4, 0)
    (cell,) = most_even(board, KnowingAppraiser(lambda board: 0.5), target=1.0)
    assert cell == core.cell(4, 0)


def test_a_bias_is_the_evaluation_that_people_see() -> None:
    assert win_rate_of(0) == 0.5
    assert [score_of(win_rate_of(score)) for score in (-700, -1, 0, 34, 1000)] == [-700, -1, 0, 34, 1000]
    assert win_rate_of(200) == pytest.approx(math.e / (1 + math.e))
    assert 0.0 < win_rate_of(-1e9) < win_rate_of(-100) < 0.5 < win_rate_of(100) < win_rate_of(1e9) <= 1.0


def test_there_are_26_openings_13_of_either_kind() -> None:
    openings = soosorv.standard_openings()
    assert len(set(openings)) == 26
    assert [white for _, white, _ in openings].count((0, -1)) == 13
    board = core.Board(15, 15, core.RENJU)
    keys = set()
    for opening in openings:
        cells = [core.cell(7 + dx, 7 + dy) for dx, dy in opening]
        keys.add(min(tuple(symmetry[cell] for cell in cells) for symmetry in symmetries(15, 15)))
        after(board, *cells)
        assert max(abs(offset) for offset in opening[2]) <= 2
    assert len(keys) == 26


def test_the_first_three_stones_are_the_most_even_opening() -> None:
    board = core.Board(15, 15, core.RENJU)

    def black(reached: core.Board) -> float:
        stones = [core.xy(cell) for cell, _ in reached.history]
        beside = abs(stones[1][0] - 7) + abs(stones[1][1] - 7) == 1
        corner = abs(stones[2][0] - 7) == 2 == abs(stones[2][1] - 7)
        return 0.5 if beside and corner else 0.9

    for seed in range(3):
        cells = soosorv.first_three(board, KnowingAppraiser(black), random.Random(seed))
        assert black(after(board, *cells)) == 0.5


def test_the_fourth_stone_names_as_many_fifth_moves_as_make_the_game_even() -> None:
    board = position(*START)

    def black(reached: core.Board) -> float:
        # Whatever white plays, black has one fifth move worth 0.9, one of 0.7, one of 0.52; all others lose.
        fifth = core.xy(reached.history[4][0]) if reached.ply > 4 else None
        return {(3, 3): 0.9, (5, 6): 0.7, (2, 7): 0.52}.get(fifth, 0.1) if fifth else 0.6

    move, count = soosorv.fourth(board, KnowingAppraiser(black))
    assert count == 3
    four = after(board, move)
    assert not soosorv.swap_after_four(four, KnowingAppraiser(black), 3)
    assert soosorv.swap_after_four(four, KnowingAppraiser(black), 4)
    offered = soosorv.fifths(four, KnowingAppraiser(black), 3)
    assert [core.xy(cell) for cell in offered] == [(3, 3), (5, 6), (2, 7)]
    assert core.xy(soosorv.pick_fifth(four, KnowingAppraiser(black), offered)) == (2, 7)


def test_fifth_moves_are_never_the_same_by_symmetry() -> None:
    board = position((4, 4), (4, 3), (4, 5), (4, 2))  # the same on the left and on the right
    offered = soosorv.fifths(board, KnowingAppraiser(lambda reached: 0.5), 8)
    assert len(offered) == 8
    mirrored = {core.cell(8 - x, y) for x, y in map(core.xy, offered) if x != 4}
    assert not mirrored & set(offered)
