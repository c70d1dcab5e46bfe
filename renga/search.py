"""The one place where the package meets brain's thinker: limits and boards in, records with moves out."""

from __future__ import annotations

import os
import random
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import cython_core as core
from brain import onnx_file, opening, records, weights
from brain.appraisal import after, worth
from brain.appraiser import SearchAppraiser
from brain.balance import most_even
from brain.book import Book
from brain.book_file import BookError
from brain.clock import Limits, Timer
from brain.network import Network
from brain.records import Decision, Request, Resources
from brain.thinker import Thinker
from renga.notation import Move
from renga.prove import certificate_of
from renga.records import FOR_EVER_S, Analysis, Limit, Line

if TYPE_CHECKING:
    from brain.evaluator import Evaluator

SEED = 20
"""Of every search: what a search finds depends on the question only."""
SMALL_TREE, SMALL_BATCH = 16 << 20, 4
"""Bytes of a level's tree and leaves per network call: a level searches a few thousand nodes at most."""

OnUpdate = Callable[[Analysis], None]
File: TypeAlias = "str | os.PathLike[str] | None"


class Stop:
    """Ends a search from any thread, also one that has not begun yet."""

    def __init__(self) -> None:
        self.is_set = False
        self._timer: Timer | None = None

    def set(self) -> None:
        self.is_set = True
        if self._timer is not None:
            self._timer.stop()

    def watch(self, timer: Timer) -> Timer:
        """From now on `set` ends what this timer measures."""
        self._timer = timer
        if self.is_set:
            timer.stop()
        return timer


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move as a small search sees it."""

    cell: int
    visits: int
    value: float
    """Expected score of the side to move, 0..1."""


class Search:
    """A tree, its network and how to ask them. Not to be used by two threads at a time."""

    def __init__(self, threads: int, memory: int, network: File, book: File) -> None:
        """network and book: None is the shipped one, "off" none, else a path. ValueError if there is no such file."""
        self._resources = Resources(memory, threads)
        path = _path("network", network)
        if network != "off":
            try:
                onnx_file.load(path)
            except weights.WeightsError as error:
                raise ValueError(str(error)) from None
        self._network = Network(_warn, path, wanted=network != "off")
        path = _path("book", book)
        self._book = Book(_warn, path, wanted=book != "off")
        if path is not None:
            try:
                self._book.open()
            except BookError as error:
                raise ValueError(str(error)) from None
        self.forget()

    def forget(self) -> None:
        """Drops the tree and everything else that could change a later answer."""
        self._thinker = Thinker(_warn, SEED, self._network)

    def run(
        self, board: core.Board, limit: Limit, lines: int, stop: Stop, update_s: float = 0.0,
        on_update: OnUpdate | None = None,
    ) -> Analysis:
        """Thinks about a position that has a legal move. With `on_update`, tells every `update_s` how it stands."""
        request = Request(board, _limits(limit), lines=lines, resources=self._resources, update_s=update_s)

        def forward(standing: records.Analysis) -> None:
            if on_update is not None:
                on_update(_translated(standing, board.height))

        with self._kept_whole():
            found = self._thinker.analyse(request, stop.watch(Timer(request.limits)), forward)
        return _translated(found, board.height)

    def certified(self, board: core.Board, found: Analysis) -> Analysis:
        """The same with the certificate of the best move's mate, which is then as long as the certificate says. A mate
        that cannot be certified is not claimed, and neither is that of any other move, which nobody has checked."""
        mate = found.best.mate or 0
        certificate = certificate_of(board, mate, self._thinker.tree, self._thinker.solution)
        lines = [replace(line, mate=None) for line in found.lines]
        if certificate is not None:
            lines[0] = replace(lines[0], mate=certificate.plies if mate > 0 else -certificate.plies)
        return replace(found, lines=tuple(lines), certificate=certificate)

    def candidates(self, board: core.Board, nodes: int, reads_threats: bool) -> list[Candidate]:
        """The moves of a position after a small search of its own, from nothing, the likeliest first. Without
        `reads_threats` it sees a five only when it comes upon it."""
        blind = {} if reads_threats else {"statics": 0, "own_vcf_nodes": 0, "other_vcf_nodes": 0}
        searcher = core.Searcher(SMALL_TREE, seed=SEED, hot_vct_nodes=0, **blind)
        searcher.set_position(board)
        evaluator = self._evaluator(board.rule)
        simulate = core.Worker.run if evaluator is None else evaluator.simulator(searcher, board, SMALL_BATCH)
        worker = core.Worker(searcher)
        while searcher.simulations < nodes and searcher.proof is None:
            simulate(worker, nodes - searcher.simulations)
        found = [Candidate(cell, visits, value) for cell, visits, value, *_ in searcher.children()]
        if searcher.proof_move is not None:
            found.insert(0, Candidate(searcher.proof_move, nodes, 1.0))
        return found

    def balance(self, board: core.Board, moves: int, limit: Limit, stop: Stop) -> tuple[tuple[int, ...], float]:
        """The moves that leave the game most even, and the score then expected of the side that is to move now."""
        request = Request(board, _limits(limit), resources=self._resources)
        appraiser = SearchAppraiser(request, self._thinker, stop.watch(Timer(request.limits)))
        with self._kept_whole():
            cells = most_even(board, appraiser, moves)
            reached = after(board, *cells)
            value = worth(reached, appraiser, 0.0)
        return cells, value if reached.side == board.side else 1 - value

    def known(self, board: core.Board, limit: Limit, chance: random.Random) -> int | None:
        """The move where it needs no search."""
        booked = self._book.decide(Request(board, _limits(limit)), chance)
        return opening.first_move(board) if booked is None else booked.cells[0]

    def swap2(self, board: core.Board, limit: Limit, stop: Stop, chance: random.Random) -> Decision:
        request = Request(board, _limits(limit), records.Task.SWAP2, resources=self._resources)
        booked = self._book.decide(request, chance)
        if booked is not None:
            return booked
        with self._kept_whole():
            return opening.swap2(request, self._thinker, stop.watch(Timer(request.limits)), chance)

    @contextmanager
    def _kept_whole(self) -> Iterator[None]:
        """What was interrupted, be it by the keyboard, may have left the tree half changed: then there is a new one."""
        try:
            yield
        except BaseException:
            self.forget()
            raise

    def _evaluator(self, rule: int) -> Evaluator | None:
        """The network for a rule, as soon as it is there; None if it is off."""
        self._thinker.warm_up(rule, self._resources.memory)
        while self._network.loading:
            self._network.wait(1.0)
        return self._network.evaluator(rule)


def _path(kind: str, file: File) -> Path | None:
    """The path of a file that is neither the shipped one nor off; ValueError if it is no file at all."""
    if file is not None and not isinstance(file, (str, os.PathLike)):
        raise ValueError(f"no {kind} {file!r}: it is None, the path of a file, or 'off'")
    return None if file in (None, "off") else Path(file)


def _warn(text: str) -> None:
    """Passes on what there is none of. In which form the network runs does not concern whoever calls from Python."""
    if text.startswith("playing without"):
        warnings.warn(text, RuntimeWarning, stacklevel=2)


def _limits(limit: Limit) -> Limits:
    seconds = limit.seconds or FOR_EVER_S
    return Limits(time.perf_counter(), seconds, seconds, max_nodes=limit.nodes or 0)


def _translated(found: records.Analysis, height: int) -> Analysis:
    """The same with moves for cells."""

    def move(cell: int) -> Move:
        return Move(*core.xy(cell), height)

    lines = tuple(
        Line(
            move(line.move), line.value, (0.0, 1.0, 0.0) if line.proof == 0 else line.wdl, line.prior, line.visits,
            line.proof or None, tuple(map(move, line.pv or (line.move,))),
        )
        for line in found.lines
    )  # fmt: skip
    return Analysis(lines, found.visits, found.seconds, found.speed, found.seldepth)
