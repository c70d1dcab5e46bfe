"""What was promised is kept: the plies to a win only shrink, whatever the other side plays."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest

import cython_core as core
from brain.clock import Limits
from brain.network import Network
from brain.plan import Plan, line_of
from brain.records import Line, Request
from brain.thinker import Thinker

FORCED_WIN = ((4, 10), (5, 6), (5, 10), (9, 9), (6, 9), (7, 8))


def start(rule: int = core.FREESTYLE) -> core.Board:
    board = core.Board(15, 15, rule)
    for x, y in FORCED_WIN:
        board.play(core.cell(x, y))
    return board


def playable(board: core.Board) -> list[int]:
    cells = [core.cell(x, y) for y in range(board.height) for x in range(board.width)]
    return [cell for cell in cells if board.legal(cell)]


def promises(board: core.Board, rng: random.Random) -> list[int]:
    """The plies to the win before each move of the engine; the other side resists, more or less."""
    thinker, said = Thinker(), []
    while board.winner == core.EMPTY:
        best = thinker.analyse(Request(board, Limits(time.perf_counter(), 60.0, 60.0, max_nodes=1000))).best
        assert best.proof is not None and best.proof > 0
        said.append(best.proof)
        board.play(best.move)
        if board.winner != core.EMPTY:
            break
        answers = playable(board)
        near = [cell for cell in answers if board.class_of(cell, core.BLACK) > 1] or answers
        board.play(rng.choice(near if rng.random() < 0.8 else answers))
    return said


@pytest.mark.parametrize("seed", range(3))
def test_the_plies_to_a_win_only_shrink(seed: int) -> None:
    board = start()
    said = promises(board, random.Random(seed))
    assert board.winner == core.BLACK
    assert 9 <= said[0] <= 23, "a win that takes some moves"
    assert all(later <= earlier - 2 for earlier, later in pairwise(said)), said


def test_a_four_that_has_to_be_stopped_does_not_hide_the_win() -> None:
    """The only move of a position was played without a look at what had been promised."""
    board = core.Board(12, 12, core.FREESTYLE)
    for at in (76, 88, 87, 65, 56, 77, 66, 86, 68, 45, 58, 55, 75, 28):
        board.play(core.cell(*divmod(at, 10)))
    thinker = Thinker(network=Network(lambda text: None, wanted=False))

    def said() -> Line:
        return thinker.analyse(Request(board, Limits(time.perf_counter(), 60.0, 60.0, max_nodes=200))).best

    first = said()
    assert first.proof is not None and first.proof > 5
    board.play(first.move)
    board.play(core.cell(3, 5))
    assert board.count(core.WHITE, core.CLASS_FIVE) == 1
    then = said()
    assert then.move == core.cell(2, 5)
    assert then.proof is not None and 0 < then.proof <= first.proof - 2


def test_a_plan_knows_its_position_and_no_other() -> None:
    board = start()
    proof = core.solve_vct(board, core.BLACK, 20_000).proof
    assert proof is not None
    plan = Plan()
    assert plan.promised(board) is None
    plan.keep(board, proof.move, proof.plies, proof)
    assert plan.promised(board) is None, "nothing has been played"
    board.play(proof.move)
    reply = next(iter(proof.replies))
    board.play(reply)
    assert plan.promised(board) == proof.plies - 2
    assert plan.next(board) is proof.replies[reply]
    board.undo()
    far = next(cell for cell in playable(board) if cell not in proof.replies)
    board.play(far)
    following = plan.next(board)
    assert following is not None
    assert following.plies <= proof.plies - 2
    board.undo()
    board.undo()
    board.play(core.cell(0, 0))
    board.play(reply)
    assert plan.promised(board) is None, "another move was played"


def test_the_line_of_a_proof_can_be_played_to_its_five() -> None:
    board = start()
    proof = core.solve_vct(board, core.BLACK, 20_000).proof
    assert proof is not None
    line = line_of(board, proof)
    for cell in line:
        assert board.legal(cell)
        board.play(cell)
    assert board.winner == core.BLACK
    assert len(line) <= proof.plies
