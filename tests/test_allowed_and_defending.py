"""Moves that are ruled out are never the answer; moves that lose by force are told from those that hold."""

from __future__ import annotations

import random
import threading
import time

import pytest

import cython_core as core
from brain import deciding, display
from brain.allowed import best_allowed
from brain.appraisal import after, proof_before
from brain.appraiser import SearchAppraiser
from brain.blocks import Blocks
from brain.clock import Limits, Timer
from brain.deciding import SEARCH_SECONDS, decide
from brain.defending import defences
from brain.engine import Engine
from brain.network import Network
from brain.records import Analysis, Decision, OnUpdate, Request, Task
from brain.thinker import Thinker


def position(black: str, white: str, turn: int = core.BLACK) -> core.Board:
    """Stones as `x,y x,y ...`."""
    board = core.Board(15, 15, core.FREESTYLE)
    for colour, text in ((core.BLACK, black), (core.WHITE, white)):
        for pair in text.split():
            x, y = pair.split(",")
            board.put(core.cell(int(x), int(y)), colour)
    board.settle()
    board.side = turn
    return board


def appraiser_for(
    board: core.Board, nodes: int = 2000, ago: float = 0.0, hear: OnUpdate | None = None
) -> SearchAppraiser:
    """An appraiser of a request that came some seconds ago."""
    limits = Limits(time.perf_counter() - ago, 60.0, 60.0, max_nodes=nodes)
    thinker = Thinker(network=Network(lambda text: None, wanted=False))
    return SearchAppraiser(Request(board, limits), thinker, Timer(limits), hear)


FOUR = position("4,7 5,7 6,7 7,7", "4,9 5,9 6,9 7,9")


def test_a_blocked_five_leaves_the_other_end() -> None:
    left, right = core.cell(3, 7), core.cell(8, 7)
    best = best_allowed(FOUR, appraiser_for(FOUR), frozenset({left}))[0]
    assert (best.move, best.proof, best.value, best.pv) == (right, 1, 1.0, (right,))


def test_a_five_is_seen_and_stopped_also_where_no_time_is_left_to_compare() -> None:
    left, right = core.cell(3, 7), core.cell(8, 7)
    best = best_allowed(FOUR, appraiser_for(FOUR, nodes=1), frozenset({left}))[0]
    assert (best.move, best.proof) == (right, 1)
    half = position("3,9 0,0 14,14 0,14", "4,9 5,9 6,9 7,9")
    assert best_allowed(half, appraiser_for(half, nodes=1), frozenset({left}))[0].move == core.cell(8, 9)


def test_with_both_ends_blocked_the_opponents_five_is_stopped() -> None:
    ends = frozenset({core.cell(3, 7), core.cell(8, 7)})
    ranked = best_allowed(FOUR, appraiser_for(FOUR), ends, count=3)
    assert not ends & {opinion.move for opinion in ranked}
    # White has an open four as well: stopping one end of it is as good as nothing, and every move loses.
    assert [opinion.value for opinion in ranked] == [0.0] * 3 and ranked[0].proof == -2


def test_everything_blocked_is_nothing_blocked() -> None:
    best = best_allowed(FOUR, appraiser_for(FOUR), frozenset(FOUR.all_cells()))[0]
    assert best.proof == 1


def test_what_is_left_may_be_the_same_by_symmetry_as_what_is_blocked() -> None:
    board = position("7,7", "", core.WHITE)
    left = [core.cell(3, 4), core.cell(11, 10), core.cell(10, 2)]  # the first two are one by symmetry
    blocked = frozenset(board.all_cells()) - set(left)
    best = best_allowed(board, appraiser_for(board), blocked, count=5)
    assert sorted(opinion.move for opinion in best) == sorted(left)


@pytest.mark.parametrize("task", [Task.DEFENCE, Task.BALANCE])
def test_defences_and_balance_play_no_blocked_move_either(task: Task) -> None:
    engine = Engine(make_thinker=lambda say: Thinker(say, network=Network(say, wanted=False)))
    engine.start(15, 15)
    engine.set_position([(7, 7, 2), (8, 6, 1), (6, 7, 2)])
    engine.inform("timeout_turn", "300")
    left = [(0, 0), (3, 11)]
    engine.block([(x, y) for x in range(15) for y in range(15) if (x, y) not in left], undo=False, path=False)
    now = time.perf_counter()
    request = engine.defend(now) if task is Task.DEFENCE else engine.balance(1, 0, now)
    decision = engine.decide(request, Timer(request.limits))
    assert decision.moves[0] in left


def test_people_hear_how_much_was_searched_for_a_move_that_is_not_blocked() -> None:
    limits = Limits(time.perf_counter(), 60.0, 60.0, max_nodes=2000)
    heard: list[Analysis] = []
    thinker = Thinker(network=Network(lambda text: None, wanted=False))
    board = position("7,7 8,8", "7,8 6,6")
    request = Request(board, limits, blocked=frozenset({core.cell(9, 9)}))
    analysis = decide(request, thinker, Timer(limits), random.Random(1), heard.append).analysis
    assert analysis is not None and 1000 <= analysis.visits <= 3000
    assert analysis.speed == pytest.approx(analysis.visits / analysis.seconds)


def test_blocks_stay_until_they_are_taken_back() -> None:
    blocks, here, there = Blocks(), position("7,7", "8,8"), position("7,7", "9,9")
    a, b = core.cell(1, 1), core.cell(2, 2)
    blocks.change([a, b], undo=False)
    blocks.change([b], undo=True)
    blocks.change_path(here, b, undo=False)
    assert blocks.on(here) == {a, b} and blocks.on(there) == {a}
    blocks.reset()
    assert blocks.on(here) == {b} and blocks.on(there) == frozenset()
    blocks.change_path(here, b, undo=True)
    blocks.change_path(here, a, undo=False)
    blocks.reset_paths()
    assert blocks.on(here) == frozenset()


def test_an_open_three_leaves_few_moves_that_hold() -> None:
    board = position("0,0 14,14 0,14", "6,7 7,7 8,7")
    tried = defences(board)
    assert set(tried) == set(board.legal_cells())
    assert {core.xy(cell) for cell, plies in tried.items() if plies is None} == {(5, 7), (9, 7)}
    assert set(tried.values()) == {None, 4}  # an open four, a stone in vain, a five


def test_without_a_threat_nothing_loses_and_a_win_is_no_loss() -> None:
    assert set(defences(position("7,7", "8,8")).values()) == {None}
    tried = defences(position("0,0 1,0 2,0 3,0", "6,7 7,7 8,7 9,7"))
    assert tried[core.cell(4, 0)] is None and tried[core.cell(0, 5)] == 2


def test_a_defence_ends_when_it_must_and_claims_nothing_of_the_rest() -> None:
    board = position("0,0 14,14 0,14", "6,7 7,7 8,7")
    asked = iter([False, False, True])
    assert len(defences(board, lambda: next(asked))) == 2
    here = core.cell(5, 7)
    assert display.defence(Decision((here,), lost=(1, 2), held=(here,)), 9, 15) == (
        "MESSAGE 2 moves lose by force; 1 hold: F8; 6 were not tried"
    )
    assert display.defence(Decision((here,), lost=(1, 2)), 2, 15) == "MESSAGE every move loses by force, 2 of them"
    assert display.defence(Decision((here,), held=(here,)), 1, 15) == "MESSAGE no move loses by force"


def test_a_defence_that_was_stopped_says_nothing_of_moves_that_it_did_not_try() -> None:
    here = core.cell(7, 7)
    assert display.defence(Decision((here,)), 222, 15) == "MESSAGE stopped before any of 222 moves was tried"
    assert display.defence(Decision((here,), lost=(1, 2)), 9, 15) == "MESSAGE 2 moves lose by force; 7 were not tried"


def test_without_a_limit_of_time_the_solvers_need_not_be_waited_for() -> None:
    """Yixin-Board's unlimited time is more than half an hour; its Defend was stopped before any move was tried."""
    board = position("7,7", "8,8")
    limits = Limits(time.perf_counter() - SEARCH_SECONDS, 2000.0, 2000.0)
    thinker = Thinker(network=Network(lambda text: None, wanted=False))
    request = Request(board, limits, task=Task.DEFENCE, lines=board.empties)
    decision = decide(request, thinker, Timer(limits), random.Random(1))
    assert time.perf_counter() - limits.started < 100
    assert set(decision.held) == set(board.legal_cells())


def stopped_after(seconds: float, request: Request) -> Decision:
    """The answer to a request that may take half an hour."""
    timer = Timer(request.limits)
    stop = threading.Timer(seconds, timer.stop)
    stop.start()
    thinker = Thinker(network=Network(lambda text: None, wanted=False))
    decision = decide(request, thinker, timer, random.Random(1))
    stop.join()
    return decision


def test_a_request_without_a_limit_of_time_can_be_stopped_with_an_answer_to_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Yixin-Board's unlimited time: what was stopped had looked at one move for a share of 2,000 s."""
    monkeypatch.setattr(deciding, "ROUND_SECONDS", 0.4)
    board = position("7,7 8,9", "8,8 6,6")
    limits = Limits(time.perf_counter(), 2000.0, 2000.0)
    blocked = frozenset({core.cell(9, 9)})
    ranked = stopped_after(4.0, Request(board, limits, lines=4, blocked=blocked))
    assert ranked.analysis is not None and len(ranked.analysis.lines) == 4


def test_rounds_fill_the_time_and_little_time_is_one_round() -> None:
    def parts(seconds: float, nodes: int = 0, used: float = 1.0) -> list[tuple[float, float]]:
        """When each begins and must end, if it uses so much of its time."""
        clock, found = [100.0], []
        timer = Timer(Limits(100.0, seconds, seconds, max_nodes=nodes), now=lambda: clock[0])
        for part in deciding._rounds(timer):
            found.append((part.limits.started, part.deadline))
            clock[0] += used * (part.deadline - clock[0])
        return found

    assert parts(30) == [(100, 130)] and parts(2000, nodes=1000) == [(100, 2100)]
    assert parts(2000) == [(100, 108), (108, 140), (140, 268), (268, 2100)]
    assert parts(2000, used=0.5) == [(100, 108), (104, 136), (120, 248), (184, 2100)]


def test_shares_of_an_appraiser_add_up_to_its_nodes() -> None:
    board = position("7,7 8,9", "8,8 6,6")
    appraiser = appraiser_for(board, nodes=400)
    asked = 0
    while not appraiser.over:
        appraiser.rank(board, 1, 0.1)
        asked += 1
    assert asked == 10


def test_people_hear_of_a_long_request() -> None:
    board = position("7,7 8,9", "8,8 6,6")
    heard: list[Analysis] = []
    appraiser = appraiser_for(board, 200, 5.0, heard.append)
    tried = after(board, core.cell(3, 3))
    answers = [appraiser.rank(tried, 1, 0.1)[0] for _ in range(4)]
    assert len(heard) == 1  # and then not before twice the time has passed
    # ... in terms of the position that was asked about, whatever the question was
    best = heard[0].best
    assert (best.move, best.pv[1]) == (core.cell(3, 3), answers[0].move)
    assert best.value == pytest.approx(1 - answers[0].value)


@pytest.mark.parametrize(
    ("later", "plies", "now"), [(None, 1, None), (0, 1, 0), (3, 1, -4), (-2, 1, 3), (3, 2, 5), (-2, 2, -4)]
)
def test_a_proof_moves_with_the_point_of_view(later: int | None, plies: int, now: int | None) -> None:
    assert proof_before(later, plies) == now


@pytest.mark.parametrize("cell", [(3, 7), (7, 7)])
def test_proofs_keep_their_distance(cell: tuple[int, int]) -> None:
    board = position("4,7 5,7 6,7", "4,9 0,0 14,14")
    blocked = frozenset(c for c in board.all_cells() if core.xy(c) != cell)
    best = best_allowed(board, appraiser_for(board), blocked)[0]
    assert core.xy(best.move) == cell and best.proof == 3 and best.value == 1.0
