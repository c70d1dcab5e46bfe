"""Plays a list of games on several cores, one process and one core per worker, and survives being killed.

Both players of a game live in its worker and think in turn, so they share that worker's core; a crowded run, which
measures no strength, has workers without a core of their own. Results are
written as they come; games found in the results file are not played again.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from datetime import timedelta
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.queues import Queue
from multiprocessing.util import Finalize

from bench.game import FAULTS, GameRecord, GameSpec, play_game
from bench.players import Player, make_player
from bench.process import launch_no_more
from bench.records import ResultsFile
from bench.reference import BLACK, WHITE

MAX_PLAYERS = 8  # kept per worker: the whole ladder
INTERRUPT_S = 0.2  # longest time until an interrupt is heeded
QUIET_S = 30.0  # between two lines of progress, where no terminal shows every game

_players: dict[str, tuple[str, Player]] = {}  # per worker: player name -> (spec, player), kept between games
_closing = threading.Lock()  # nobody ends the worker while its players are being closed


def available_cores() -> list[int]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin_to(core: int) -> None:
    """Keep this process and its children on one core, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def _start_worker(cores: Queue[int | None], leash: Connection) -> None:
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            # The parent ends the run. Not SIG_IGN, which the programs would inherit.
            signal.signal(getattr(signal, name), lambda *_: None)
    if (core := cores.get()) is not None:
        pin_to(core)
    threading.Thread(target=_follow, args=(leash,), daemon=True).start()
    Finalize(None, _close_players, exitpriority=10)  # when the pool has no more games, the worker ends by itself


def _follow(leash: Connection) -> None:
    """Ends this worker and its programs when the run is over, whether done, stopped or killed.

    Nothing is ever sent: the parent alone holds the other end, which is closed with the run or with the parent's life.
    """
    with contextlib.suppress(EOFError):
        leash.recv()
    launch_no_more()
    try:
        _close_players()
    finally:
        os._exit(1)


def _player(name: str, spec: str, seed: int) -> Player:
    known = _players.get(name)
    if known is None or known[0] != spec:
        if known is not None:
            known[1].close()
        # A program that is started again has to load its network again, in its own playing time.
        while len(_players) >= MAX_PLAYERS:
            _players.pop(next(iter(_players)))[1].close()
        known = (spec, make_player(spec, seed))
    # Last of all, so that the one closed for want of room is never the opponent.
    _players.pop(name, None)
    _players[name] = known
    return known[1]


def _play(spec: GameSpec, specs: Mapping[str, str], seed: int, fresh: bool) -> GameRecord:
    if fresh or spec.fresh:
        _close_players()
    players = {
        BLACK: _player(spec.black, specs[spec.black], seed),
        WHITE: _player(spec.white, specs[spec.white], seed),
    }
    return play_game(spec, players)


def _close_players() -> None:
    with _closing:
        while _players:
            _players.popitem()[1][1].close()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[Callable[[], None]]:
    """Gives a function that raises KeyboardInterrupt if there was an interrupt; it is raised nowhere else.

    In the midst of the pool's own work it could leave one of the pool's locks held for ever.
    """
    noted: list[int] = []

    def heed() -> None:
        if noted:
            raise KeyboardInterrupt

    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    if ignored or threading.current_thread() is not threading.main_thread():
        yield heed
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        yield heed
    finally:
        signal.signal(signal.SIGINT, before)


class Progress:
    """Tells on stderr how far a run is: at a terminal with every game, elsewhere with faults and now and then."""

    def __init__(self, total: int, todo: Sequence[GameSpec]) -> None:
        # A game takes about as long as its turns: what is left must not be reckoned from faster games.
        self._weights = {game.name: game.control.turn_ms for game in todo}
        self._total, self._weight_done = total, 0
        self._started = self._told = time.monotonic()

    def tell(self, record: GameRecord) -> None:
        self._weight_done += self._weights.pop(record.name)
        now = time.monotonic()
        if sys.stderr.isatty() or record.reason in FAULTS or now - self._told >= QUIET_S:
            self._told = now
            left = (now - self._started) * sum(self._weights.values()) / max(1, self._weight_done)
            game = f"{record.name} {record.black}-{record.white} {record.result} {record.reason} {record.note}".rstrip()
            done = self._total - len(self._weights)
            print(f"[{done}/{self._total}, {timedelta(seconds=round(left))} left] {game}", file=sys.stderr, flush=True)


def run_games(
    games: Iterable[GameSpec],
    specs: Mapping[str, str],
    results: ResultsFile,
    workers: int = 1,
    seed: int = 0,
    fresh: bool = False,
    on_game: Callable[[GameRecord], bool] = lambda record: True,
    crowded: bool = False,
) -> None:
    """Play what `results` does not hold yet; `on_game` sees each new record and may stop the run with False.

    `specs` maps player names to what make_player understands. `fresh` gives every game new processes.
    `crowded` allows more workers than cores and binds none of them.
    """
    games = list(games)
    done = {record.name for record in results.records}
    todo = [game for game in games if game.name not in done]
    if len(todo) < len(games):
        print(f"{len(games) - len(todo)} of {len(games)} games are played already", file=sys.stderr)
    if not todo:
        return
    progress, waiting = Progress(len(games), todo), iter(todo)
    context = multiprocessing.get_context("spawn")
    cores: Queue[int | None] = context.Queue()
    own = available_cores()
    workers = max(1, workers if crowded else min(workers, len(own)))
    for core in [None] * workers if crowded else own[-workers:]:
        cores.put(core)
    leash, end = context.Pipe(duplex=False)
    # The end is let go of before the pool waits for its workers: games that nobody records are not played out.
    with (
        _interrupts_held() as heed_interrupt,
        ProcessPoolExecutor(workers, context, _start_worker, (cores, leash)) as pool,
        leash,
        end,
    ):
        running: set[Future[GameRecord]] = set()

        def refill() -> None:
            for game in islice(waiting, workers - len(running)):
                running.add(pool.submit(_play, game, specs, seed, fresh))

        refill()
        going = True
        while running:
            finished, _ = wait(running, INTERRUPT_S, FIRST_COMPLETED)
            running -= finished
            for future in finished:
                results.append(future.result())
                going = on_game(results.records[-1]) and going
                progress.tell(results.records[-1])
            heed_interrupt()
            if going:
                refill()
