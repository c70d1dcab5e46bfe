"""The baselines' rollouts restore the board, repeat by seed and make fives."""

import pytest
from walks import from_drawing, random_walks

import cython_core as core
from cython_core import probes
from cython_core.probes import mean_result, sample_game

STYLES = range(4)
WHOLE_GAME = 2_000


@pytest.mark.parametrize("rule", core.RULES)
@pytest.mark.parametrize("style", STYLES)
def test_the_board_is_restored_and_the_seed_decides(rule: int, style: int) -> None:
    for board in random_walks(61, rule, 6):
        before = probes.snapshot(board)
        mean = mean_result(board, 10, board.key, WHOLE_GAME, style)
        assert probes.snapshot(board) == before
        assert 0 <= mean <= 1
        assert mean == mean_result(board, 10, board.key, WHOLE_GAME, style)


@pytest.mark.parametrize("style", STYLES)
def test_a_five_is_always_made(style: int) -> None:
    board = from_drawing(
        """
        . . . . . . . .
        . . . . . . . .
        . o o o o . . .
        . . x x x x . .
        . . . . . . . .
        . . . . . . . .
        """,
        core.STANDARD,
    )
    assert mean_result(board, 50, 1, WHOLE_GAME, style) == 1.0
    board.side = core.WHITE
    assert mean_result(board, 50, 1, WHOLE_GAME, style) == 1.0


def test_a_cut_game_is_a_draw_for_the_baselines() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for style in (1, 2, 3):
        assert mean_result(board, 20, 1, 4, style) == 0.5


def test_style_nought_is_the_own_rollout() -> None:
    for board in random_walks(62, core.FREESTYLE, 5):
        assert mean_result(board, 1, 3, 12, style=0) == sample_game(board, 3, 12)[1]


@pytest.mark.parametrize("bad", [(0, 10, 1), (1, -1, 1), (1, 10, 4), (1, 10, -1)])
def test_impossible_requests_are_refused(bad: tuple[int, int, int]) -> None:
    count, plies, style = bad
    with pytest.raises(ValueError, match="cannot play"):
        mean_result(core.Board(9, 9, core.FREESTYLE), count, 1, plies, style)
