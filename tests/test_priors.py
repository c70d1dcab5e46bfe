"""Candidates are the cells near stones; priors follow shapes and symmetry, and respect fouls."""

import pytest
from walks import board_of, cells_of, from_drawing, mirrored, random_walks

import cython_core as core
from cython_core import probes
from cython_core.probes import place_number
from cython_core.search.priors import weigh_candidates


def is_near(board: core.Board, cell: int) -> bool:
    x, y = core.xy(cell)
    for stone, colour in board.history:
        dx, dy = abs(core.xy(stone)[0] - x), abs(core.xy(stone)[1] - y)
        if colour != core.BLOCKED and (max(dx, dy) <= 2 or (max(dx, dy) == 3 and (dx == dy or 0 in (dx, dy)))):
            return True
    return False


def priors(board: core.Board) -> dict[tuple[int, int], float]:
    return {core.xy(cell): weight for cell, weight in weigh_candidates(board)}


@pytest.mark.parametrize("rule", core.RULES)
def test_candidates_are_the_empty_cells_near_a_stone(rule: int) -> None:
    for board in random_walks(31, rule, 40):
        board.put(next(cell for cell in cells_of(board) if board.stone(cell) == core.EMPTY), core.BLOCKED)
        before = probes.snapshot(board)
        found = [cell for cell, _ in weigh_candidates(board)]
        assert probes.snapshot(board) == before
        empty = [cell for cell in cells_of(board) if board.stone(cell) == core.EMPTY]
        assert found == [cell for cell in empty if is_near(board, cell)]


@pytest.mark.parametrize(("width", "height"), [(5, 5), (15, 15), (20, 20), (32, 32), (8, 31)])
def test_an_empty_board_has_its_middle_and_a_stone_in_a_corner_its_surroundings(width: int, height: int) -> None:
    board = core.Board(width, height, core.FREESTYLE)
    assert list(priors(board)) == [(width // 2, height // 2)]
    board.play(core.cell(width - 1, height - 1))
    assert all(x >= width - 4 and y >= height - 4 for x, y in priors(board))
    assert len(priors(board)) == 8 + 3


def test_without_a_stone_nearby_every_empty_cell_is_a_candidate() -> None:
    board = core.Board(5, 6, core.FREESTYLE)
    board.put(core.cell(2, 3), core.BLOCKED)
    assert len(priors(board)) == 29
    full = core.Board(5, 5, core.FREESTYLE)
    for cell in cells_of(full):
        full.put(cell, core.BLOCKED)
    assert priors(full) == {}


def test_stones_at_the_right_edge_of_the_widest_board_do_not_wrap_around() -> None:
    board = board_of(32, 32, core.FREESTYLE, [(core.cell(31, 10), core.BLACK)])
    assert min(x for x, _ in priors(board)) == 28


@pytest.mark.parametrize("rule", core.RULES)
def test_priors_agree_under_the_eight_symmetries(rule: int) -> None:
    for board in random_walks(32, rule, 10):
        weights = sorted(priors(board).values())
        for symmetry in range(1, 8):
            assert sorted(priors(mirrored(board, symmetry)).values()) == weights


@pytest.mark.parametrize("rule", core.RULES)
def test_weights_are_positive_except_on_certain_fouls(rule: int) -> None:
    for board in random_walks(33, rule, 60):
        for cell, weight in weigh_candidates(board):
            if weight == 0:
                assert board.is_foul(cell) and board.side == core.BLACK
            else:
                assert 0 < weight < 1e12


def test_an_open_three_is_answered_before_quiet_moves_are_weighed() -> None:
    board = from_drawing(
        """
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . o . . . . . .
        . . . . o . . o . . .
        . . a x x x a . . . .
        . . . . o . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        . . . . . . . . . . .
        """,
        core.FREESTYLE,
        core.WHITE,
    )
    weights = priors(board)
    best = sorted(weights, key=weights.__getitem__)[-2:]
    assert sorted(best) == [(2, 4), (6, 4)]
    assert sum(weights[cell] for cell in best) > 0.5 * sum(weights.values())


def test_places_are_numbered_the_same_way_round_every_stone() -> None:
    numbers = {place_number(dx, dy) for dx in range(-6, 7) for dy in range(-6, 7)}
    assert numbers == set(range(13))
    for dx, dy in [(1, 0), (2, 1), (3, 3), (4, 2), (5, 0)]:
        around = {(dx, dy), (-dx, dy), (dx, -dy), (dy, dx), (-dy, -dx)}
        assert len({place_number(*place) for place in around}) == 1
