"""The one place where the package meets brain's thinker: limits and cells in, records with moves out."""

from __future__ import annotations

import os
import random
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cython_core as core
from brain import opening, weights
from brain.choice import Child, ranked
from brain.clock import Limits
from brain.judging import Opinion, after, worth
from brain.network import Network
from brain.thinker import Control, Thinker, Thought
from brain.thinker import Line as ThinkerLine
from renga.notation import Move
from renga.records import Analysis, Limit, Line

if TYPE_CHECKING:
    from brain.core_evaluator import CoreEvaluator
    from brain.evaluator import Evaluator

FOR_EVER_S = 1e9
SHORTEST_S = 1e-4
SMALL_BATCH = 4
SMALL_TREE = 16 << 20
"""Bytes; room for the search of any level but the last."""
SEED = 20
"""Of every search: what a search finds depends on the question only."""

OnUpdate = Callable[[Analysis], None]


class Stop:
    """Ends a search from any thread, also one that has not begun yet."""

    def __init__(self) -> None:
        self.is_set = False

    def set(self) -> None:
        self.is_set = True


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move as a small search sees it."""

    cell: int
    visits: int
    value: float
    """Expected score of the side to move, 0..1."""
    prior: float


class Search:
    """A tree, its network and how to ask them. Not to be used by two threads at a time."""

    def __init__(self, threads: int, memory: int, network: str | os.PathLike[str] | None) -> None:
        """network: None is the shipped one, "off" none, else a path. ValueError if there is no such network."""
        self._threads, self._memory = threads, memory
        path = None if network in (None, "off") else Path(network)
        if network != "off":
            try:
                weights.check(weights.find(path))
            except weights.WeightsError as error:
                raise ValueError(str(error)) from None
        self._network = Network(_warn, path, wanted=network != "off")
        self._thinker = self._new_thinker()

    def _new_thinker(self) -> Thinker:
        thinker = Thinker(_warn, SEED, self._network)
        thinker.configure(self._memory, self._threads)
        return thinker

    def forget(self) -> None:
        """Drops the tree and everything else that could change a later answer."""
        self._thinker = self._new_thinker()

    def run(
        self, board: core.Board, limit: Limit, lines: int, stop: Stop, update_s: float = 0.0,
        on_update: OnUpdate | None = None,
    ) -> Analysis:
        """Thinks about a position that has a legal move. With `update_s`, tells every so often how it stands."""
        limits = _limits(limit)
        watch = _Watch(limits, stop, self._thinker, board, lines, update_s, on_update)
        try:
            thought = self._thinker.think(board, limits, watch, lines=lines)
        except BaseException:
            # Whatever was interrupted, an interrupt by the keyboard included, may have left the tree half changed.
            self.forget()
            raise
        return watch.analysis(thought)

    def candidates(self, board: core.Board, nodes: int, reads_threats: bool) -> list[Candidate]:
        """The moves of a position after a small search of its own, from nothing; without `reads_threats` it sees fives
        only when it comes upon them. The likeliest move first."""
        evaluator = self._evaluator(board.rule)
        blind = {} if reads_threats else {"statics": 0, "own_vcf_nodes": 0, "other_vcf_nodes": 0}
        searcher = core.Searcher(SMALL_TREE, seed=SEED, hot_vct_nodes=0, **blind)
        searcher.set_position(board)
        simulate = core.Worker.run if evaluator is None else evaluator.simulator(searcher, board, SMALL_BATCH)
        worker = core.Worker(searcher)
        while searcher.simulations < nodes and searcher.proof is None:
            simulate(worker, nodes - searcher.simulations)
        found = [Candidate(cell, visits, value, prior) for cell, visits, value, _, prior, _ in searcher.children()]
        if searcher.proof_move is not None:
            found.insert(0, Candidate(searcher.proof_move, nodes, 1.0, 1.0))
        return found

    def swap2(self, board: core.Board, limit: Limit, stop: Stop, chance: random.Random) -> opening.Choice:
        limits = _limits(limit)
        return opening.swap2(board, self._thinker, limits, _Watch(limits, stop, self._thinker, board), chance)

    def _evaluator(self, rule: int) -> CoreEvaluator | Evaluator | None:
        """The network for a rule, as soon as it is there; None if it is off."""
        self._thinker.warm_up(rule)
        while self._network.loading:
            self._network.wait(1.0)
        return self._network.evaluator(rule)


class SearchJudge:
    """Answers the small questions of which the search for an even game consists."""

    def __init__(self, search: Search, limit: Limit, stop: Stop) -> None:
        self._search, self._limit, self._stop = search, limit, stop
        self._deadline = time.perf_counter() + (limit.seconds or FOR_EVER_S)

    @property
    def over(self) -> bool:
        return self._stop.is_set or time.perf_counter() >= self._deadline

    def rank(self, board: core.Board, count: int, share: float) -> list[Opinion]:
        nodes = None if self._limit.nodes is None else max(1, int(self._limit.nodes * share))
        seconds = None if self._limit.seconds is None else max(SHORTEST_S, self._limit.seconds * share)
        lines = self._search.run(board, Limit(seconds, nodes), count, self._stop).lines
        return [Opinion(core.cell(*line.move), line.win_rate) for line in lines]

    def value_after(self, board: core.Board, cells: Sequence[int]) -> float:
        """Expected score of the board's side to move after these moves, as it is known by now."""
        reached = after(board, *cells)
        value = worth(reached, self, 0.0)
        return value if reached.side == board.side else 1 - value


def _warn(text: str) -> None:
    if "without network" in text:
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _limits(limit: Limit) -> Limits:
    seconds = limit.seconds or FOR_EVER_S
    return Limits(time.perf_counter(), seconds, seconds, max_nodes=limit.nodes or 0)


class _Watch(Control):
    """Looks at a running search whenever it asks whether it is over."""

    def __init__(
        self, limits: Limits, stop: Stop, thinker: Thinker, board: core.Board, lines: int = 1,
        update_s: float = 0.0, on_update: OnUpdate | None = None,
    ) -> None:
        super().__init__(limits)
        self._stop, self._thinker, self._board, self._lines = stop, thinker, board, lines
        self._update_s, self._on_update = update_s, on_update
        self._next = limits.started + update_s

    def over(self, now: float) -> bool:
        if self._on_update is not None and now >= self._next:
            self._next = now + self._update_s
            analysis = self._standing(now)
            if analysis is not None:
                self._on_update(analysis)
        self.stopped = self.stopped or self._stop.is_set
        return super().over(now)

    @property
    def _searcher(self) -> core.Searcher:
        searcher = self._thinker._searcher
        assert searcher is not None, "a search has begun"
        return searcher

    def _standing(self, now: float) -> Analysis | None:
        searcher = self._searcher
        moves = [Child(*child) for child in searcher.children()]
        lines = [
            ThinkerLine(
                child.cell, child.win_rate(searcher.value), child.visits, proof=child.proof,
                pv=tuple(searcher.line(child.cell)),
            )
            for child in ranked(moves)[: self._lines]
        ]  # fmt: skip
        return self._made(lines, moves, searcher.visits, now - self.limits.started) if lines else None

    def analysis(self, thought: Thought) -> Analysis:
        moves = [Child(*child) for child in self._searcher.children()]
        return self._made(list(thought.lines), moves, thought.visits, thought.seconds)

    def _made(self, found: list[ThinkerLine], moves: list[Child], visits: int, seconds: float) -> Analysis:
        priors = {child.cell: child.prior for child in moves}
        lines = tuple(self._line(line, priors.get(line.move, 0.0)) for line in found)
        return Analysis(lines, visits, self._searcher.simulations, seconds, self._searcher.depth)

    def _line(self, line: ThinkerLine, prior: float) -> Line:
        height = self._board.height
        pv = tuple(Move(*core.xy(cell), height) for cell in line.pv or (line.move,))
        win = line.value
        wdl = (0.0, 1.0, 0.0) if line.proof == 0 else (win, 0.0, 1 - win)
        return Line(Move(*core.xy(line.move), height), win, wdl, prior, line.visits, line.proof or None, pv)
