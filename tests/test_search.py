"""The search: proofs, reproducibility, recycling, reuse, and the selection policies."""

import itertools
import random
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from searching import MEGABYTE, OPEN_THREE_TO_ANSWER, QUIET, searched, snapshot
from walks import from_drawing

import cython_core as core


def test_one_thread_repeats_itself_for_a_seed_and_a_node_count() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    assert snapshot(searched(board, 2000, seed=7)) == snapshot(searched(board, 2000, seed=7))
    assert snapshot(searched(board, 2000, seed=7)) != snapshot(searched(board, 2000, seed=8))


def test_visits_of_the_moves_add_up_to_those_of_the_root() -> None:
    searcher = searched(from_drawing(QUIET, core.FREESTYLE), 1500)
    assert searcher.simulations == 1500
    assert searcher.visits == 1500
    assert sum(child[1] for child in searcher.children()) == 1499


def test_priors_are_shares_in_descending_order() -> None:
    priors = [child[4] for child in searched(from_drawing(QUIET, core.FREESTYLE), 1).children()]
    assert priors == sorted(priors, reverse=True)
    assert 0.98 < sum(priors) <= 1.001


def test_an_open_three_restricts_the_moves_to_defences() -> None:
    searcher = searched(from_drawing(OPEN_THREE_TO_ANSWER, core.FREESTYLE), 500)
    cells = {child[0] for child in searcher.children()}
    assert core.cell(3, 4) in cells and core.cell(7, 4) in cells
    assert core.cell(0, 0) not in cells and core.cell(10, 10) not in cells


@pytest.mark.parametrize("rule", core.RULES)
def test_a_five_in_reach_is_a_proof_of_one_ply(rule: int) -> None:
    board = core.Board(15, 15, rule)
    for x in range(4, 8):
        board.put(core.cell(x, 7), core.BLACK)
    searcher = searched(board, 10)
    assert searcher.proof == 1
    assert searcher.proof_move in (core.cell(3, 7), core.cell(8, 7))


def test_the_line_of_a_won_position_begins_with_the_move_that_wins_it() -> None:
    searcher = searched(from_drawing(QUIET, core.FREESTYLE), 500)
    favourite = max(searcher.children(), key=lambda child: child[1])[0]
    assert searcher.line()[0] == favourite
    for winning in (min(searcher.children(), key=lambda child: child[1])[0], core.cell(0, 0)):  # the latter has no edge
        searcher.claim(7, winning)
        assert searcher.line()[0] == winning
        assert searcher.line(favourite)[0] == favourite, "what was asked for"


def test_an_open_four_of_the_opponent_is_a_proven_loss() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4, 8):
        board.put(core.cell(x, 7), core.WHITE)
    assert searched(board, 10).proof == -2


def test_a_single_forced_reply_is_followed_without_evaluation() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in range(4):
        board.put(core.cell(x, 7), core.WHITE)
    board.put(core.cell(9, 9), core.BLACK)
    searcher = searched(board, 50)
    assert searcher.single
    assert [child[0] for child in searcher.children()] == [core.cell(4, 7)]


def test_a_full_board_is_a_draw() -> None:
    board = from_drawing(
        """
        x x o o x
        o o x x o
        x x o o x
        o o x x o
        x x o o .
        """,
        core.FREESTYLE,
    )
    searcher = searched(board, 10)
    assert searcher.proof == 0
    assert [child[0] for child in searcher.children()] == [core.cell(4, 4)]


@pytest.mark.parametrize("prior_cut", [0.5, 0.995])
def test_a_dead_position_is_a_proven_draw(prior_cut: float) -> None:
    board = from_drawing(
        """
        x . o o x
        o o x x o
        x x o . x
        o o x x o
        x x o o .
        """,
        core.FREESTYLE,
    )
    assert searched(board, 200, prior_cut=prior_cut).proof == 0


def test_the_root_can_be_read_while_others_search_and_recycle() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = core.Searcher(1 * MEGABYTE, widen_visits=40)
    searcher.set_position(board)
    core.Worker(searcher).run(1)
    threads = [threading.Thread(target=core.Worker(searcher).run, args=(15_000,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for cell, visits, value, deviation, prior, _ in searcher.children():
            assert board.legal(cell) and visits >= 0 and 0 <= value <= 1 and deviation >= 0 and prior <= 1
        assert all(board.legal(cell) for cell in searcher.line()[:1])
        most, first, second, _ = searcher.leaders()
        assert first >= second and (most == -1 or board.legal(most))
    assert searcher.recycled > 0


def test_pools_are_recycled_when_full_and_the_search_goes_on() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = core.Searcher(1 * MEGABYTE)
    searcher.set_position(board)
    worker = core.Worker(searcher)
    assert worker.run(20_000) == 20_000
    assert searcher.recycled > 0
    assert sum(child[1] for child in searcher.children()) == searcher.visits - 1


def test_recycling_keeps_a_proven_position_that_was_visited_often() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = core.Searcher(2 * MEGABYTE)
    worker = core.Worker(searcher)
    searcher.set_position(board)
    worker.run(1000)
    first, reply = searcher.line()[:2]
    child = board.copy()
    child.play(first)
    searcher.set_position(child)
    visits = searcher.visits
    searcher.claim(9, reply)
    searcher.set_position(board)
    assert searcher.recycled == 0
    while searcher.recycled == 0:
        worker.run(100)
    searcher.set_position(child)
    assert (searcher.proof, searcher.proof_move) == (9, reply)
    assert searcher.visits >= visits > 100


def test_large_nodes_find_room_among_many_small_ones() -> None:
    board = core.Board(20, 20, core.FREESTYLE)
    for x, y in ((3, 3), (16, 3), (3, 16), (16, 16), (10, 9), (9, 10)):
        board.play(core.cell(x, y))
    searcher = core.Searcher(1 * MEGABYTE, widen_visits=40, prior_cut=0.6)
    searcher.set_position(board)
    worker = core.Worker(searcher)
    before = -1
    for _ in range(40):
        assert worker.run(500) == 500
        assert searcher.visits > before
        before = searcher.visits
    assert searcher.recycled > 3


def test_the_tree_survives_moves_and_takebacks() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = core.Searcher(16 * MEGABYTE)
    worker = core.Worker(searcher)
    searcher.set_position(board)
    worker.run(3000)
    first, reply = searcher.line()[:2]
    board.play(first)
    board.play(reply)
    searcher.set_position(board)
    kept = searcher.visits
    assert kept > 20
    board.undo()
    board.undo()
    searcher.set_position(board)
    assert searcher.visits == 3000


def test_transpositions_share_a_node() -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    a, b, c, d = core.cell(7, 7), core.cell(8, 8), core.cell(7, 9), core.cell(6, 8)
    for cell in (a, b, c, d):
        board.play(cell)
    searcher = searched(board, 800)
    other = core.Board(15, 15, core.FREESTYLE)
    for cell in (c, d, a, b):
        other.play(cell)
    searcher.set_position(other)
    assert searcher.visits == 800


@pytest.mark.parametrize("policy", range(4))
def test_every_selection_policy_finds_the_open_four(policy: int) -> None:
    board = core.Board(15, 15, core.FREESTYLE)
    for x in (5, 6, 8):
        board.put(core.cell(x, 7), core.BLACK)
    for x, y in ((5, 8), (6, 9), (9, 4)):
        board.put(core.cell(x, y), core.WHITE)
    searcher = searched(board, 3000, policy=policy, statics=0, own_vcf_nodes=0, other_vcf_nodes=0)
    most = max(searcher.children(), key=lambda child: child[1])
    assert searcher.proof_move == core.cell(7, 7) or most[0] in (core.cell(7, 7), core.cell(4, 7), core.cell(9, 7))


def test_two_threads_share_one_tree() -> None:
    searcher = core.Searcher(16 * MEGABYTE)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))

    def run(left: int) -> None:
        # A worker gives up for now when the other one holds its leaf for too long.
        worker = core.Worker(searcher)
        while left:
            left -= worker.run(left)

    threads = [threading.Thread(target=run, args=(3000,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert searcher.visits == searcher.simulations == 6000
    assert sum(child[1] for child in searcher.children()) == 5999


@pytest.mark.parametrize(("nodes", "looks_again"), [(500, False), (499, True)])
def test_a_threat_search_of_the_root_is_not_repeated_by_a_smaller_one(nodes: int, looks_again: bool) -> None:
    """Of 60 simulations only the root is visited often enough to be looked at, and no leaf is."""
    board = from_drawing(QUIET, core.FREESTYLE)
    tunables = {"own_vcf_nodes": 0, "other_vcf_nodes": 0, "hot_visits": 50, "hot_vct_nodes": 500}
    searcher = core.Searcher(16 * MEGABYTE, **tunables)
    searcher.set_position(board)
    searcher.disclaim(nodes)
    core.Worker(searcher).run(60)
    assert (searcher.solver_nodes > 0) == looks_again


def with_network(searcher: core.Searcher) -> np.ndarray:
    """Gives the searcher a line part that knows nothing; returns a feature buffer for 11 x 11."""
    table = np.zeros((397488, 8), np.int16)
    searcher.set_evaluator(core.LineInputs(core.FREESTYLE, table, table, np.ones(8, np.float32)))
    return np.zeros((8, 8, 11, 11), np.float32)


def answers(favourite: int, win_rate: float) -> tuple[np.ndarray, np.ndarray]:
    x, y = core.xy(favourite)
    logits = np.zeros((8, 121), np.float32)
    logits[:, y * 11 + x] = 12
    return logits, np.tile(np.float32([win_rate, 0, 1 - win_rate]), (8, 1))


def test_a_leaf_takes_priors_and_value_from_the_network() -> None:
    searcher = core.Searcher(16 * MEGABYTE, rollout_share=0.0)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))
    worker, features = core.Worker(searcher), with_network(searcher)
    assert worker.select(features, 8) == 1
    worker.apply(*answers(core.cell(1, 9), 0.75))
    assert searcher.value == pytest.approx(0.75)
    cell, _, _, _, prior, _ = searcher.children()[0]
    assert cell == core.cell(1, 9) and prior > 0.99


def test_a_move_has_the_share_of_draws_that_the_network_gave_to_what_follows() -> None:
    searcher = core.Searcher(16 * MEGABYTE, rollout_share=0.0)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))
    worker, features = core.Worker(searcher), with_network(searcher)
    favourite = core.cell(1, 9)
    logits, _ = answers(favourite, 0.5)
    for draw in (0.0, 0.4):
        while not worker.select(features, 1):
            pass
        worker.apply(logits, np.tile(np.float32([0.3, draw, 0.7 - draw]), (8, 1)))
    assert searcher.draw(favourite) == pytest.approx(0.4)
    assert searcher.draw(core.cell(0, 0)) == 0.0, "nothing is known of it"


def test_dropped_leaves_leave_no_trace() -> None:
    searcher = core.Searcher(16 * MEGABYTE)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))
    worker, features = core.Worker(searcher), with_network(searcher)
    assert worker.select(features, 8) == 1
    with pytest.raises(ValueError, match="waiting"):
        worker.select(features, 8)
    worker.drop()
    assert searcher.visits == searcher.simulations == 0
    assert worker.run(50) == 50
    assert searcher.visits == 50 and sum(child[1] for child in searcher.children()) == 49


def test_pools_are_recycled_with_a_network_too() -> None:
    searcher = core.Searcher(1 * MEGABYTE)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))
    worker, features = core.Worker(searcher), with_network(searcher)
    logits, wdl = answers(core.cell(1, 9), 0.5)
    logits[:] = 0
    while searcher.recycled < 2 and searcher.proof is None:
        if worker.select(features, 8):
            worker.apply(logits, wdl)
    assert sum(child[1] for child in searcher.children()) == searcher.visits - 1


def test_without_time_to_recycle_full_pools_end_the_search() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = core.Searcher(1 * MEGABYTE)
    searcher.set_position(board)
    searcher.stop_recycling()
    worker = core.Worker(searcher)
    while not searcher.full:
        worker.run(100)
    assert worker.run(10) == 0 and searcher.recycled == 0 and searcher.fullness > 0.5
    searcher.set_position(board)
    assert worker.run(10) == 10 and searcher.recycled == 1
    searcher.forget()
    assert searcher.fullness == 0.0


def claims(seed: int) -> Iterator[tuple[core.Board, core.Searcher]]:
    """Random middle games on all rules whose result the search claims to have proven by more than a glance."""
    chance = random.Random(seed)
    while True:
        size = chance.choice((9, 11, 15))
        board = core.Board(size, size, chance.choice(core.RULES))
        middle = range(size // 2 - 3, size // 2 + 4)
        cells = [core.cell(x, y) for y in middle for x in middle]
        for cell in chance.sample(cells, chance.randrange(8, 20)):
            if board.legal(cell) and board.winner == core.EMPTY:
                board.play(cell)
        if board.winner == core.EMPTY:
            searcher = searched(board, 600, hot_visits=50)
            if searcher.proof is not None and abs(searcher.proof) > 3:
                yield board, searcher


def refuting_reply(board: core.Board, searcher: core.Searcher) -> int | None:
    """A reply after which the claimed win can no longer be proven by a much larger search; None if there is none."""
    if searcher.proof is not None and searcher.proof > 0:
        assert searcher.proof_move is not None and board.legal(searcher.proof_move)
        board.play(searcher.proof_move)
    if board.winner != core.EMPTY:
        return None
    for y in range(board.height):
        for x in range(board.width):
            if not board.legal(core.cell(x, y)):
                continue
            board.play(core.cell(x, y))
            held = board.winner != core.EMPTY
            if not held:
                deeper = searched(board, 6000, own_vcf_nodes=5000, hot_visits=20, hot_vct_nodes=20000)
                held = deeper.proof is None or deeper.proof <= 0
            board.undo()
            if held:
                return core.cell(x, y)
    return None


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.full)])
def test_no_reply_refutes_a_proven_result(count: int) -> None:
    for board, searcher in itertools.islice(claims(seed=3), count):
        assert refuting_reply(board, searcher) is None, f"rule {board.rule}, {board.history}\n{board}"
