"""Rollouts restore the board, repeat by seed, see static results and never let black foul."""

import pytest
from walks import from_drawing, random_walk, random_walks

import cython_core as core
from cython_core import probes
from cython_core.probes import look, mean_result, sample_game
from cython_core.search.estimate import expected_result

FOREVER = 2_000


@pytest.mark.parametrize("rule", core.RULES)
def test_the_board_is_restored_bit_for_bit(rule: int) -> None:
    for board in random_walks(41, rule, 30):
        before = probes.snapshot(board)
        mean_result(board, 20, board.key, FOREVER)
        assert probes.snapshot(board) == before


@pytest.mark.parametrize("rule", core.RULES)
def test_games_follow_the_rules_and_end_as_claimed(rule: int) -> None:
    ends = set()
    for board in random_walks(42, rule, 40):
        for seed in range(5):
            cells, result = sample_game(board, seed, FOREVER)
            game = board.copy()
            for cell in cells:
                assert look(game)[0] not in ("win in one", "loss in two")
                assert game.legal(cell)
                game.play(cell)
            verdict = look(game)[0]
            own = game.side == board.side
            if "win" in verdict:
                assert result == float(own)
            elif verdict == "loss in two":
                assert result == float(not own)
            else:
                assert result == 0.5
                assert not any(game.legal(core.cell(x, y)) for x in range(game.width) for y in range(game.height))
            ends.add(verdict)
    assert {"win in one", "win in three"} & ends


def test_equal_seeds_give_equal_games_and_other_seeds_others() -> None:
    board = random_walk(1, core.FREESTYLE, 15, 15, 12)
    games = [sample_game(board, seed, FOREVER) for seed in (1, 2, 1)]
    assert games[0] == games[2] != games[1]
    assert mean_result(board, 50, 7, 40) == mean_result(board, 50, 7, 40)


@pytest.mark.parametrize("rule", core.RULES)
def test_a_static_win_is_worth_one_and_its_victim_nothing(rule: int) -> None:
    board = from_drawing(
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . o . . o . . .
        . . . . o . . . . . .
        . . . x x x . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
        rule,
    )
    assert mean_result(board, 10, 1, FOREVER) == 1.0
    board.play(core.cell(6, 4))
    assert mean_result(board, 10, 1, FOREVER) == 0.0


def test_a_cap_ends_the_game_with_the_estimate_of_its_last_position() -> None:
    board = random_walk(2, core.FREESTYLE, 15, 15, 10)
    cells, result = sample_game(board, 1, 3)
    assert cells == sample_game(board, 1, FOREVER)[0][:3]
    for cell in cells:
        board.play(cell)
    assert result == pytest.approx(1 - expected_result(board))
    assert sample_game(board, 1, 0) == ([], expected_result(board))


def test_the_first_stone_is_worth_something_and_a_tiny_board_is_drawn() -> None:
    assert 0.5 < mean_result(core.Board(15, 15, core.FREESTYLE), 1_000, 1, FOREVER) < 0.9
    assert 0.3 < mean_result(core.Board(5, 5, core.CARO), 200, 1, FOREVER) < 0.7


def test_rollouts_from_a_finished_game_or_without_games_are_refused() -> None:
    board = core.Board(9, 9, core.FREESTYLE)
    with pytest.raises(ValueError, match="cannot play"):
        mean_result(board, 0, 1, 10)
    for x in range(5):
        board.put(core.cell(x, 0), core.BLACK)
    with pytest.raises(ValueError, match="over"):
        mean_result(board, 1, 1, 10)
