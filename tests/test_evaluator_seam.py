"""The seam between search and evaluators: what an evaluator is told, when it may change, and what NaN does."""

from __future__ import annotations

import threading
import time

import pytest
from walks import from_drawing

import cython_core as core
from brain.core_evaluator import CoreEvaluator
from brain.evaluator import Evaluator, ShapeEvaluator
from brain.onnx_evaluator import OnnxEvaluator
from brain.weights import WeightsError
from cython_core.probes import WatchingEvaluator, snapshot

QUIET = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . O . . . .
    . . . X . . . . .
    . . . . X O . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
"""


def searcher_of(board: core.Board, evaluator: core.Evaluator | None, **tunables: float) -> core.Searcher:
    searcher = core.Searcher(8 << 20, **tunables)
    searcher.set_position(board)
    searcher.set_evaluator(evaluator)
    return searcher


def test_an_evaluator_is_told_of_every_stone_of_the_path_and_of_nothing_else() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    watch = WatchingEvaluator(core.FREESTYLE)
    searcher = searcher_of(board, watch)
    worker = core.Worker(searcher)
    assert worker.run(2000) == 2000
    assert watch.evaluations > 1000 and watch.wrong == 0
    # Another root, and another board: it is told of both.
    board.play(core.cell(4, 5))
    for position in (board, core.Board(15, 15, core.FREESTYLE)):
        searcher.set_position(position)
        worker.run(300)
    assert watch.wrong == 0


def test_pools_too_small_for_the_paths_do_not_confuse_an_evaluator() -> None:
    watch = WatchingEvaluator(core.FREESTYLE)
    searcher = core.Searcher(200_000)
    searcher.set_position(from_drawing(QUIET, core.FREESTYLE))
    searcher.set_evaluator(watch)
    core.Worker(searcher).run(20_000)
    assert searcher.recycled > 0 and watch.wrong == 0


def test_an_evaluator_of_another_rule_is_refused() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    watch = WatchingEvaluator(core.RENJU)
    with pytest.raises(ValueError, match="prepared for rule 4, not 0"):
        core.Worker(searcher_of(board, watch)).run(1)
    with pytest.raises(ValueError, match="prepared for rule 4, not 0"):
        watch.evaluate(board)
    watch.prepare(core.FREESTYLE)
    assert core.Worker(searcher_of(board, watch)).run(1) == 1


def test_an_evaluator_that_evaluates_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="prepared for rule None"):
        core.Worker(searcher_of(core.Board(15, 15, core.FREESTYLE), core.Evaluator())).run(1)


def test_an_evaluator_cannot_be_prepared_while_a_search_uses_it() -> None:
    watch = WatchingEvaluator(core.FREESTYLE)
    searcher = searcher_of(core.Board(15, 15, core.FREESTYLE), watch, hot_visits=0)
    worker = core.Worker(searcher)
    search = threading.Thread(target=worker.run, args=(10_000_000,))
    search.start()
    while watch.evaluations == 0:
        time.sleep(0.001)
    with pytest.raises(ValueError, match="a search is running with this evaluator"):
        watch.prepare(core.RENJU)
    searcher.set_evaluator(None)  # harmless: the running worker keeps its own
    searcher.stop()
    search.join()
    watch.prepare(core.RENJU)
    searcher.set_position(core.Board(15, 15, core.FREESTYLE))
    asked = watch.evaluations
    assert worker.run(10) == 10 and watch.evaluations == asked, "the next run takes the change over"


def test_nan_is_noted_and_never_reaches_the_tree() -> None:
    board = from_drawing(QUIET, core.FREESTYLE)
    before = snapshot(board)
    searcher = searcher_of(board, WatchingEvaluator(core.FREESTYLE, spoilt=board.ply + 2))
    worker = core.Worker(searcher)
    worker.run(1)
    assert not searcher.evaluator_failed
    worker.run(500)
    assert searcher.evaluator_failed and snapshot(board) == before
    assert 0 <= searcher.value <= 1
    assert all(0 <= value <= 1 for _, visits, value, *_ in searcher.children() if visits)
    searcher.set_evaluator(None)
    assert not searcher.evaluator_failed


def test_nan_in_the_core_is_a_clear_error_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = CoreEvaluator.load(core.FREESTYLE)
    evaluator.network = WatchingEvaluator(core.FREESTYLE, spoilt=0)  # type: ignore[assignment]
    board = from_drawing(QUIET, core.FREESTYLE)
    searcher = core.Searcher(8 << 20)
    searcher.set_position(board)
    simulate = evaluator.simulator(searcher, board, 1)
    with pytest.raises(WeightsError, match=r"renga.*\.onnx gives answers that are NaN or infinite"):
        simulate(core.Worker(searcher), 1)
    with pytest.raises(WeightsError, match=r"renga.*\.onnx gives answers that are NaN or infinite"):
        evaluator.evaluate(board)


@pytest.mark.parametrize("kind", [CoreEvaluator, OnnxEvaluator, ShapeEvaluator])
def test_every_evaluator_keeps_the_same_promises(kind: type[Evaluator]) -> None:
    evaluator: Evaluator = kind() if kind is ShapeEvaluator else kind.load(core.RENJU)  # type: ignore[attr-defined]
    evaluator.use_rule(core.FREESTYLE)
    assert evaluator.rule == core.FREESTYLE
    assert (evaluator.bytes > 30 << 20) == (evaluator.provider != "none")
    board = core.Board(15, 14, core.FREESTYLE)
    for x, y in ((7, 7), (8, 8), (7, 8), (7, 6)):
        board.play(core.cell(x, y))
    logits, shares = evaluator.evaluate(board)
    assert len(logits) == 15 * 14 and sum(shares) == pytest.approx(1) and min(shares) >= 0
    assert max(logits) == max(logits[y * 15 + x] for y in range(5, 11) for x in range(5, 11)), "where the stones are"
    searcher = core.Searcher(8 << 20)
    searcher.set_position(board)
    simulate, worker = evaluator.simulator(searcher, board, 4), core.Worker(searcher)
    for _ in range(20):
        simulate(worker, 4)
    assert searcher.simulations >= 20
