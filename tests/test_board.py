"""Every field a board keeps up to date equals the one recomputed from its stones, forwards and backwards."""

import random

import plain_shapes as plain
import pytest
from walks import board_of, cells_of, mirrored, random_walk

import cython_core as core
from bench import reference
from cython_core import probes

SIZES = [(5, 5), (5, 32), (32, 5), (6, 9), (13, 8), (15, 15), (20, 20), (31, 17), (32, 32)]


def assert_fields_follow_from_the_stones(board: core.Board) -> None:
    stones = dict(board.history)
    sets: dict[tuple[int, int], list[int]] = {}
    for cell in cells_of(board):
        assert board.stone(cell) == stones.get(cell, core.EMPTY)
        for colour in (core.BLACK, core.WHITE):
            shapes = []
            for direction in range(4):
                window = plain.window_at(board, cell, colour, direction)
                assert board.window(cell, colour, direction) == plain.window_code(window)
                shapes.append(plain.shape_of(window, board.rule, colour) if cell not in stones else plain.DEAD)
            assert [board.shape(cell, colour, direction) for direction in range(4)] == shapes
            klass = plain.class_of(shapes, board.rule, colour) if cell not in stones else plain.NOTHING
            assert board.class_of(cell, colour) == klass
            sets.setdefault((colour, klass), []).append(cell)
    for colour in (core.BLACK, core.WHITE):
        for klass in range(plain.CLASS_THREE, plain.CLASS_MAYBE_FOUL + 1):
            assert board.cells(colour, klass) == sets.get((colour, klass), [])
            assert board.count(colour, klass) == len(sets.get((colour, klass), []))
    assert board.ply == len(stones)
    assert board.empties == board.width * board.height - len(stones)


def wander(board: core.Board, rng: random.Random, stones: int) -> list[tuple[bytes, bytes, bytes]]:
    """Plays and puts stones of every kind, near each other; returns a snapshot before each."""
    before = []
    cells = cells_of(board)
    for _ in range(min(stones, board.empties)):
        while True:
            cell = rng.choice(cells)
            if board.ply and rng.random() < 0.8:
                x, y = core.xy(rng.choice(board.history)[0])
                cell = core.cell(x + rng.randint(-2, 2), y + rng.randint(-2, 2))
            if board.on_board(cell) and board.stone(cell) == core.EMPTY:
                break
        before.append(probes.snapshot(board))
        draw = rng.random()
        if draw < 0.85:
            board.play(cell)
        else:
            board.put(cell, rng.choice([core.BLACK, core.WHITE, core.BLOCKED]))
    return before


@pytest.mark.parametrize("rule", core.RULES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_incremental_fields_equal_recomputed_ones(rule: int, width: int, height: int) -> None:
    rng = random.Random(f"{rule} {width} {height}")
    board = core.Board(width, height, rule)
    assert_fields_follow_from_the_stones(board)
    for _ in range(2):
        wander(board, rng, 24)
        assert_fields_follow_from_the_stones(board)
    while board.ply > 10:
        board.undo()
    assert_fields_follow_from_the_stones(board)


@pytest.mark.full
@pytest.mark.parametrize("rule", core.RULES)
def test_incremental_fields_equal_recomputed_ones_on_any_size(rule: int) -> None:
    rng = random.Random(rule)
    for _ in range(40):
        board = core.Board(rng.randint(5, 32), rng.randint(5, 32), rule)
        for _ in range(6):
            wander(board, rng, rng.randint(5, 30))
            assert_fields_follow_from_the_stones(board)


@pytest.mark.parametrize("rule", core.RULES)
def test_undo_restores_every_bit_after_plays_puts_and_passes(rule: int) -> None:
    rng = random.Random(rule)
    for width, height in SIZES:
        board = core.Board(width, height, rule)
        before = wander(board, rng, 70)
        for snapshot in reversed(before):
            # The side to move is the stone's own business, whoever changed it since.
            board.side = rng.choice([core.BLACK, core.WHITE])
            board.undo()
            assert probes.snapshot(board) == snapshot
        assert probes.snapshot(board) == probes.snapshot(core.Board(width, height, rule))


def test_a_full_board_can_be_filled_and_taken_back() -> None:
    board = core.Board(32, 32, core.FREESTYLE)
    empty = probes.snapshot(board)
    cells = cells_of(board)
    random.Random(1).shuffle(cells)
    for cell in cells:
        board.play(cell)
    assert board.empties == 0
    for _ in cells:
        board.undo()
    assert probes.snapshot(board) == empty


@pytest.mark.parametrize("rule", core.RULES)
def test_the_key_depends_on_the_position_and_not_on_its_history(rule: int) -> None:
    board = random_walk(3, rule, 12, 9, 30)
    stones = board.history
    random.Random(1).shuffle(stones)
    same = board_of(12, 9, rule, stones, board.side)
    assert same.key == board.key
    same.side = 1 - same.side
    assert same.key != board.key


def test_the_key_tells_rule_size_side_and_colour_apart() -> None:
    keys = {core.Board(*size, rule).key for size in [(15, 15), (15, 14), (14, 15)] for rule in core.RULES}
    assert len(keys) == 15
    cell = core.cell(4, 4)
    positions = [
        board_of(15, 15, core.FREESTYLE, [(cell, colour)], side)
        for colour in (core.BLACK, core.WHITE, core.BLOCKED)
        for side in (core.BLACK, core.WHITE)
    ]
    assert len({board.key for board in positions}) == 6


@pytest.mark.parametrize("rule", core.RULES)
def test_the_eight_symmetries_agree(rule: int) -> None:
    for seed in range(4):
        board = random_walk(seed, rule, 13, 9, 40)
        views = sorted(cell_views(board))
        for symmetry in range(1, 8):
            assert sorted(cell_views(mirrored(board, symmetry))) == views


def cell_views(board: core.Board) -> list[tuple[object, ...]]:
    """What a board says about each of its cells, without its coordinates and directions."""
    return [
        (
            board.stone(cell),
            board.is_foul(cell),
            *(board.class_of(cell, colour) for colour in (core.BLACK, core.WHITE)),
            *(tuple(sorted(board.shape(cell, colour, d) for d in range(4))) for colour in (core.BLACK, core.WHITE)),
        )
        for cell in cells_of(board)
    ]


def test_the_first_five_names_the_winner_and_undo_forgets_it() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4):
        board.play(core.cell(x, 0))
        board.play(core.cell(x, 5))
    assert board.winner == core.EMPTY
    board.play(core.cell(4, 0))
    assert board.winner == core.BLACK
    board.undo()
    assert board.winner == core.EMPTY


def test_a_copy_goes_its_own_way() -> None:
    board = random_walk(1, core.RENJU, 15, 15, 20)
    twin = board.copy()
    assert probes.snapshot(twin) == probes.snapshot(board)
    twin.undo()
    assert twin.ply == board.ply - 1
    assert_fields_follow_from_the_stones(board)


def test_impossible_requests_are_refused() -> None:
    board = core.Board(6, 5, core.FREESTYLE)
    board.play(core.cell(5, 4))
    for cell in (core.cell(6, 0), core.cell(0, 5), -1, 1024, core.cell(5, 4)):
        with pytest.raises(ValueError):
            board.play(cell)
        assert not board.legal(cell)
    with pytest.raises(ValueError, match="colour"):
        board.put(core.cell(0, 0), core.EMPTY)
    board.undo()
    with pytest.raises(ValueError, match="take back"):
        board.undo()
    for size in ((4, 5), (5, 33), (0, 0)):
        with pytest.raises(ValueError, match="outside"):
            core.Board(*size, core.FREESTYLE)
    with pytest.raises(ValueError, match="rule"):
        core.Board(15, 15, 2)


@pytest.mark.parametrize("rule", core.RULES)
def test_who_has_won_is_told_by_the_stones_whatever_their_order(rule: int) -> None:
    seen = set()
    for seed in range(300):
        rng = random.Random(f"{rule} {seed}")
        cells = rng.sample([(x, y) for x in range(8) for y in range(6)], rng.randint(20, 40))
        position = reference.Position(8, 6, rule, {}, core.BLACK)
        board = core.Board(8, 6, rule)
        for x, y in cells:
            # Rows of one colour, so that fives and longer ones arise, and blocked ones.
            colour = rng.choice((core.BLACK, core.WHITE, core.BLOCKED)) if rng.random() < 0.3 else y % 2
            position.stones[x, y] = colour
            board.put(core.cell(x, y), colour)
        board.settle()
        winners = set()
        for cell, colour in list(position.stones.items()):
            del position.stones[cell]
            if colour != core.BLOCKED and reference.makes_five(position, cell, colour):
                winners.add(colour)
            position.stones[cell] = colour
        assert board.winner in (winners or {core.EMPTY})
        seen.add(bool(winners))
    assert seen == {True, False}
