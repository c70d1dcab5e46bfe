"""`Engine`: a search in this process, asked in Python.

Owns the order in which questions are answered: one search at a time, a second one waits. What a search is, is
`search`'s matter.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import cython_core as core
from renga import levels
from renga.board import Board, checked_board
from renga.notation import Move
from renga.records import FOR_EVER_S, Analysis, Balance, Limit, Swap2, is_number
from renga.search import File, OnUpdate, Search, Stop
from renga.stream import AnalysisStream

ONE_SECOND = Limit(seconds=1.0)
LEAST_MEMORY_MB, MOST_MEMORY_MB = 80, 1 << 20


class Engine:
    """Thinks about positions. Engines are independent of each other; each may be used from several threads.

    threads: of one search. memory_mb: what the process may use. network: None for the shipped one, "off" for none, or
    the path of an .onnx file. seed: of what `swap2` and `play` leave to chance; None: another each time. book: of first
    moves for these two; None for the shipped one, "off" for none, or the path of a file.
    """

    def __init__(
        self,
        threads: int = 1,
        memory_mb: int = 350,
        network: File = None,
        seed: int | None = None,
        book: File = None,
    ) -> None:
        if type(threads) is not int or not 1 <= threads <= 256:
            raise ValueError(f"{threads!r} threads: it must be a whole number from 1 to 256")
        if not is_number(memory_mb, MOST_MEMORY_MB) or memory_mb < LEAST_MEMORY_MB:
            raise ValueError(f"{memory_mb!r} MB of memory: it must be from {LEAST_MEMORY_MB} to {MOST_MEMORY_MB}")
        if seed is not None and type(seed) is not int:
            raise ValueError(f"no seed {seed!r}: it is a whole number, or None")
        self._search: Search | None = Search(threads, int(memory_mb) << 20, network, book)
        self._chance = random.Random(seed)
        self._turn = threading.Lock()
        """Held by whoever searches."""
        self._running: Stop | None = None
        self._closed = False

    def analyse(self, board: Board, limit: Limit = ONE_SECOND, lines: int = 1, *, proof: bool = False) -> Analysis:
        """Ranks the best `lines` moves of a position. Blocks until the limit, or until `stop` or `close` is called.

        With `proof` a mate of the best move, won or lost, is expanded to a certificate and verified, which takes longer
        than the limit; a mate that cannot be certified is not claimed, and other moves have none.

        With `nodes` the tree begins empty, so that with one thread the same question has the same answer every time.
        With seconds only, it goes on from what earlier searches found.
        """
        _check(board, limit, lines)
        with self._searching() as (search, stop):
            position = board._core.copy()
            found = _analysed(search, position, limit, lines, stop)
            return search.certified(position, found) if proof else found

    def analysis(
        self, board: Board, limit: Limit | None = None, lines: int = 1, interval: float = 0.1
    ) -> AnalysisStream:
        """Live analysis in the background, until stopped: `for analysis in stream` gives how things stand, every
        `interval` seconds at most, and ends with the search. Use it in a `with` statement, or call `stop()`."""
        limit = limit or Limit()
        _check(board, limit, lines)
        if not is_number(interval, FOR_EVER_S):
            raise ValueError(f"an interval of {interval!r} seconds: it must be above 0")
        position = board._core.copy()

        def run(publish: OnUpdate, stop: Stop) -> None:
            with self._searching(stop) as (search, _):
                publish(search.run(position, limit, lines, stop, interval, publish))

        return AnalysisStream(run)

    def play(self, board: Board, limit: Limit | None = None, level: int | None = None) -> Move:
        """A decision for the side to move; the board is not changed.

        `level` 1 to 12 is for people: 1 is a beginner, 12 plays as well as it can within the limit (one second where
        none is given). The levels between have their own limit, a number of nodes. Level 12 plays the first moves from
        the book, unless the limit is a number of nodes.
        """
        limit = limit or ONE_SECOND
        _check(board, limit)
        strength = levels.level(12 if level is None else level)
        position = board._core.copy()
        with self._searching() as (search, stop):
            if strength.is_full:
                known = search.known(position, limit, self._chance)
                if known is not None:
                    return board._move(known)
                return _analysed(search, position, limit, 1, stop).best.move
            return board._move(levels.choose(position, strength, self._chance, search.candidates))

    def balance(self, board: Board, moves: int = 1, limit: Limit = ONE_SECOND) -> Balance:
        """The next one or two moves that leave the game most even; fewer than two where the first ends it."""
        _check(board, limit)
        if moves not in (1, 2):
            raise ValueError(f"balance by {moves!r} moves: it must be 1 or 2")
        with self._searching() as (search, stop):
            if limit.nodes is not None:
                search.forget()
            cells, value = search.balance(board._core.copy(), moves, limit, stop)
        return Balance(tuple(map(board._move, cells)), value)

    def swap2(self, board: Board, limit: Limit = ONE_SECOND) -> Swap2:
        """The next step of a swap2 opening: on an empty board three stones to offer; after three a move, two stones to
        place or the wish to swap; after five a move or the wish to swap."""
        _check(board, limit)
        if len(board.moves) not in (0, 3, 5):
            raise ValueError(f"swap2 is asked with 0, 3 or 5 stones on the board, not {len(board.moves)}")
        with self._searching() as (search, stop):
            choice = search.swap2(board._core.copy(), limit, stop, self._chance)
        return Swap2(choice.swap, tuple(map(board._move, choice.cells)))

    def forget(self) -> None:
        """Drops what earlier searches found."""
        with self._searching() as (search, _):
            search.forget()

    def stop(self) -> None:
        """Ends the running search, if there is one, from any thread; its answer is the best so far."""
        running = self._running
        if running is not None:
            running.set()

    def close(self) -> None:
        """Ends the running search and frees the engine's memory. Closing twice does no harm."""
        self._closed = True
        self.stop()
        with self._turn:
            self._search = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _searching(self, stop: Stop | None = None) -> Iterator[tuple[Search, Stop]]:
        """Waits for the engine's turn. RuntimeError if it is closed."""
        stop = stop or Stop()
        with self._turn:
            if self._search is None or self._closed:
                raise RuntimeError("the engine is closed")
            self._running = stop
            if self._closed:  # meanwhile
                stop.set()
            try:
                yield self._search, stop
            finally:
                self._running = None


def _check(board: Board, limit: Limit, lines: int = 1) -> None:
    """ValueError unless there is something to think about."""
    checked_board(board)
    if not isinstance(limit, Limit):
        raise ValueError(f"{limit!r} is no limit: write renga.Limit(seconds=1) or renga.Limit(nodes=1000)")
    if type(lines) is not int or not 1 <= lines <= core.MAX_SIZE**2:
        raise ValueError(f"{lines!r} lines: it must be a whole number from 1 up")
    if board.winner is not None:
        raise ValueError(f"the game is over: {board.winner} has won")
    if board.is_over:
        raise ValueError(f"the game is over: {board.turn} has no legal move")


def _analysed(search: Search, board: core.Board, limit: Limit, lines: int, stop: Stop) -> Analysis:
    if limit.nodes is not None:
        search.forget()
    return search.run(board, limit, lines, stop)
