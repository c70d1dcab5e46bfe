"""The search in `bench speed`: simulations with and without a network, what the search adds to it, and threads.

The network is measured in both its forms: in the core, which plays, and by ONNX Runtime."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial

import cython_core as core
from bench.openings import OUR_OPENINGS, read_openings, usable
from bench.speed_core import Part, Probe, middle_games
from brain import weights
from brain.core_evaluator import CoreEvaluator
from brain.onnx_evaluator import Batch, OnnxEvaluator
from brain.thinker import BATCH
from cython_core.probes import evaluations, line_feature_maps

TREE_BYTES = 64 << 20
SIMULATIONS = 2000  # per position without a network
EVALUATIONS = 320  # per position with one
OPENINGS = 6
THREAD_SECONDS = 1.0
BARE = {"own_vcf_nodes": 0, "other_vcf_nodes": 0, "hot_visits": 0, "rollout_share": 0.0}  # tree and network only


@cache
def _core() -> CoreEvaluator:
    return CoreEvaluator.load(core.FREESTYLE)


@cache
def _evaluator() -> OnnxEvaluator:
    return OnnxEvaluator.load(core.FREESTYLE, provider="cpu")


def _searcher(board: core.Board, **tunables: float) -> core.Searcher:
    searcher = core.Searcher(TREE_BYTES, seed=1, **tunables)
    searcher.set_position(board)
    return searcher


def _guided(board: core.Board, **tunables: float) -> core.Searcher:
    searcher = _searcher(board, **tunables)
    searcher.set_evaluator(_core().network)
    return searcher


def _batch(board: core.Board, size: int = BATCH) -> Batch:
    return _evaluator().batch(board.width, board.height, size)


def parts() -> Iterator[Part]:
    """Network parts only where there is one; it is loaded when a part is first run."""
    games = middle_games()
    yield Part("simulations without network", "/s", lambda: sum(map(_alone, games)))
    short = {"own_vcf_nodes": 20, "other_vcf_nodes": 20}
    yield Part("simulations, VCF 20 nodes", "/s", lambda: sum(_alone(board, **short) for board in games))
    if not _has_network():
        return
    yield Part("network with features", "evals/s", lambda: sum(map(_judge, games)))
    yield Part("simulations with network", "/s", lambda: sum(core.Worker(_guided(b)).run(EVALUATIONS) for b in games))
    yield Part("table of a rule", "tables/s", _tabulate)
    for size in (1, 8, BATCH):
        yield Part(f"ONNX Runtime, trunk, batch {size}", "evals/s", partial(_evaluate, size))
    yield Part("ONNX Runtime with features", "evals/s", lambda: sum(map(_evaluate_boards, games)))
    yield Part("ONNX Runtime, simulations", "/s", lambda: sum(map(_with_library, games)))


def probes() -> Iterator[Probe]:
    yield "two threads without network", "x", partial(_thread_factor, _searcher)
    if _has_network():
        yield "two threads with network", "x", partial(_thread_factor, _guided)
        yield "search overhead over ONNX Runtime", "%", _overhead


def _has_network() -> bool:
    try:
        weights.find(None)
    except weights.WeightsError:
        return False
    return True


def _alone(board: core.Board, **tunables: float) -> int:
    """Some thousand simulations in a fresh tree; fewer where the position is proven."""
    return core.Worker(_searcher(board, **tunables)).run(SIMULATIONS)


def _judge(board: core.Board) -> int:
    """Features and trunk in the core, without any search."""
    return evaluations(board, _core().network, EVALUATIONS)


def _tabulate() -> int:
    network = _core()
    for rule in (core.STANDARD, core.FREESTYLE):
        network.use_rule(rule)
    return 2


def _evaluate(size: int) -> int:
    batch = _evaluator().batch(15, 15, size)
    for _ in range(20):
        batch.evaluate(size)
    return 20 * size


def _evaluate_boards(board: core.Board) -> int:
    """Features and trunk in full batches, without any search."""
    evaluator, batch = _evaluator(), _batch(board)
    for _ in range(EVALUATIONS // BATCH):
        for features in batch.features:
            line_feature_maps(board, evaluator.black_table, evaluator.scales, features, 1)
        batch.evaluate(BATCH)
    return EVALUATIONS


def _with_library(board: core.Board) -> int:
    searcher = _searcher(board)
    simulate, worker = _evaluator().simulator(searcher, board, BATCH), core.Worker(searcher)
    while searcher.simulations < EVALUATIONS and searcher.proof is None:
        simulate(worker, BATCH)
    return searcher.simulations


def _openings() -> list[core.Board]:
    """Quiet positions: hardly a leaf is decided without the network."""
    boards = []
    for opening in usable(read_openings(OUR_OPENINGS), 15, 15, core.FREESTYLE)[:OPENINGS]:
        boards.append(core.Board(15, 15, core.FREESTYLE))
        for x, y in opening.cells:
            boards[-1].play(core.cell(x, y))
    return boards


def _overhead() -> float:
    """Percent that a bare search of quiet positions takes longer than features and trunk, per evaluation."""
    bare, network, leaves, asked = 0.0, 0.0, 0, 0
    for board in _openings():
        searcher, batch, evaluator = _searcher(board, **BARE), _batch(board), _evaluator()
        evaluator.simulator(searcher, board, BATCH)
        worker = core.Worker(searcher)
        started, found = time.process_time(), 0
        while found < 4 * EVALUATIONS and searcher.proof is None:
            count = worker.select(batch.features, BATCH)
            worker.apply(*batch.evaluate(count))
            found += count
        bare += time.process_time() - started
        leaves += found
        started = time.process_time()
        asked += sum(_evaluate_boards(board) for _ in range(4))
        network += time.process_time() - started
    return 100 * (bare / leaves / (network / asked) - 1)


def _thread_factor(make: Callable[[core.Board], core.Searcher]) -> float:
    """Simulations of two threads in a second of wall time over those of one: says nothing on a busy machine."""
    totals = [0, 0]
    for board in _openings():
        found = [_in_threads(count, make(board)) for count in (1, 2)]
        if None not in found:
            totals = [total + more for total, more in zip(totals, found, strict=True) if more is not None]
    return totals[1] / max(1, totals[0])


def _in_threads(count: int, searcher: core.Searcher) -> int | None:
    """Simulations that a number of threads make in the given time; None when the position was proven before."""
    end = time.perf_counter() + THREAD_SECONDS

    def run(worker: core.Worker) -> None:
        while time.perf_counter() < end and searcher.proof is None:
            worker.run(200)

    threads = [threading.Thread(target=run, args=(core.Worker(searcher),)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return searcher.simulations if searcher.proof is None else None
