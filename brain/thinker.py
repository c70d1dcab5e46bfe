"""The loop between core and evaluator: from a position and limits to a move, with its reasons.

Owns the strategy of one move. Knows no text, no manager and no match: limits come in, a thought goes out,
and another thread may shorten or stop a think at any time through its `Control`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import cython_core as core
from brain.choice import Child, is_certain, played_out, ranked, resisting_move
from brain.network import Network
from brain.weights import WeightsError

if TYPE_CHECKING:
    from brain.clock import Limits

PROCESS_BYTES = 48 << 20
"""Private memory of the interpreter, the core's tables and the boards, before any tree."""
MEMORY_SHARE = 0.84
"""Of max_memory that is ever used: 294 MB of the tournaments' 350, however long a game lasts."""
SMALLEST_TREE = 4 << 20
LARGEST_TREE = 16 << 30
SLICE_S = 0.004
"""Length of one stretch without a look at the clock."""
BATCH = 16
"""Leaves per network call: more is faster but less informed."""
RECYCLE_S_PER_BYTE = 1.0 / (1 << 30)
"""Longest time that recycling a full tree takes: 60 ms for 146 MB on one core, and slack. Nothing can interrupt it."""
LOADING_S = 0.06
"""Kept back of the time while the network is being loaded: importing a library holds the interpreter for so long."""
WORTH_WAITING_S = 0.7
"""A think as long as this waits for a network that is being loaded, at most for a quarter of its time."""
WORKER_BYTES = 6 << 20
"""Solver tables and boards of a search thread."""
NEARLY_FULL = 0.75
"""A tree this full is forgotten before a think that is too short to recycle it."""
ROOT_SOLVER_SHARE = 0.1
"""Part of the longest time that each solver may take at the root."""
VCF_NODES_PER_S, VCT_NODES_PER_S = 1_000_000, 500_000
"""Solver speeds, roughly: they turn time into nodes, so that a result depends on nodes only."""
LONGEST_VCF, LONGEST_VCT = 100_000, 50_000
"""Nodes of one call: no call may keep a stop waiting."""
SHORTEST_BY_THREES = 5
"""Plies of a win that may begin with a three; a shorter one is a five or a four already."""
EARLIEST_DECISION = 0.15
"""Part of the ordinary time before which the speed is not known well enough to call a lead safe: a tree kept from the
last move brings a lead along, and the first simulations are slow."""
VISITS_TO_RANK = 2
"""Visits of every root move where several are to be ranked: a move that was never tried has no value to show."""
REPORT_EVERY_S = 1.0


class Control:
    """The one thing another thread may touch during a request. Polled at least every 10 ms.

    A request may consist of several thinks (swap2): each ends at its own limits or at the control's.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        """The whole request's limits as they are now: `shorten` may have tightened them."""
        self.stopped = False

    def stop(self) -> None:
        """End now; the best move so far is the answer."""
        self.stopped = True

    def shorten(self, limits: Limits) -> None:
        """Take over limits that end earlier than the present ones; later ones change nothing."""
        if limits.deadline < self.limits.deadline:
            self.limits = limits

    def over(self, now: float) -> bool:
        """Must the request end at this moment of time.perf_counter()?"""
        return self.stopped or now >= self.limits.deadline


@dataclass(frozen=True, slots=True)
class Line:
    """One move of the root with what the search believes of it."""

    move: int
    """Cell."""
    value: float
    """Win rate of the side to move, 0..1."""
    visits: int = 0
    depth: int = 1
    seldepth: int = 1
    proof: int | None = None
    """+n: wins in n plies; -n: loses in n plies; 0: a draw; None: not proven."""
    pv: tuple[int, ...] = ()
    """Expected continuation, cells, starting with `move`."""


@dataclass(frozen=True, slots=True)
class Report:
    """How a running think stands: best line first."""

    lines: tuple[Line, ...]
    visits: int
    seconds: float
    speed: float


@dataclass(frozen=True, slots=True)
class Thought:
    """The result of a think."""

    move: int
    value: float
    visits: int
    """Those that earlier moves have left are included."""
    seconds: float
    proof: int | None = None
    pv: tuple[int, ...] = ()
    lines: tuple[Line, ...] = field(default=())
    """Best first; as many as were asked for, where there are so many moves."""
    speed: float = 0.0
    """Simulations a second."""


ReportTo = Callable[[Report], None]
Simulate = Callable[[core.Worker, int], object]


class Thinker:
    """Monte-Carlo tree search with solvers, guided by a network when there is one.

    The tree outlives a think: a later position of the same game starts from what is known of it.
    """

    def __init__(
        self, say: Callable[[str], None] = lambda text: None, seed: int = 20, network: Network | None = None,
        batch: int = BATCH, **tunables: float,
    ) -> None:
        self._seed, self._batch = seed, batch
        self._tunables = tunables
        self._network = network if network is not None else Network(say)
        self.configure(350 << 20, 1)
        self._searcher: core.Searcher | None = None
        self._workers: list[core.Worker] = []
        self._tree_bytes = 0

    def configure(self, memory: int, threads: int, tree: int = 0) -> None:
        """Bytes for the whole process, search threads, bytes for the tree alone (0: as many as fit).
        Takes effect with the next think."""
        self._memory, self._threads, self._tree_limit = memory, max(1, threads), tree or LARGEST_TREE

    def warm_up(self, rule: int) -> None:
        """Starts loading the network in the background and returns at once. The tables of another rule than the last
        one wait for its first think, which makes room for them."""
        if self._network.rule in (None, rule):
            self._load(rule)

    def _load(self, rule: int) -> None:
        self._network.load(rule, self._memory - PROCESS_BYTES - SMALLEST_TREE)

    def forget(self) -> None:
        """Drops everything remembered from earlier positions."""
        if self._searcher is not None:
            self._searcher.forget()

    def think(
        self,
        board: core.Board,
        limits: Limits,
        control: Control,
        report: ReportTo | None = None,
        lines: int = 1,
    ) -> Thought:
        """A legal move for the side to move. The board comes back as it was; it must have a legal cell.

        Ends at `limits` or `control`'s, whichever is first, at `control.stop()`, or when nothing can change.
        """
        try:
            return self._think(board, limits, control, report, lines)
        except WeightsError as error:
            self._network.give_up(error)  # what is left of the time, and of the game, without it
            return self._think(board, limits, control, report, lines)

    def _think(
        self, board: core.Board, limits: Limits, control: Control, report: ReportTo | None, lines: int
    ) -> Thought:
        """`think`, with the network as it is; WeightsError when the network fails."""
        if self._network.rule not in (None, board.rule):
            # Tree and tables of the rule before would stand beside the new ones, beyond the memory we may use.
            self._workers, self._searcher, self._tree_bytes = [], None, 0
        self._load(board.rule)
        if limits.max_nodes or limits.maximum_s >= WORTH_WAITING_S:
            self._await_network(limits, control)
        if self._network.loading:
            limits = replace(limits, maximum_s=max(limits.maximum_s / 4, limits.maximum_s - LOADING_S))
        searcher = self._searcher_for(board)
        recycling_s = self._tree_bytes * RECYCLE_S_PER_BYTE
        if limits.maximum_s < 2 * recycling_s and searcher.fullness > NEARLY_FULL:
            searcher.forget()
            searcher.set_position(board)
        searcher.tune(min_root_visits=self._tunables.get("min_root_visits", VISITS_TO_RANK if lines > 1 else 0))
        think = _Think(board, searcher, limits, control, lines)
        helpers = [_Helper(worker, self._simulator(board), think) for worker in self._workers[1:]]
        simulate = self._simulator(board)
        simulate(self._workers[0], 1)
        if not think.settled() or (searcher.proof or 0) > 1:
            think.solution = self._solve_root(board, searcher, limits)
        try:
            for helper in helpers:
                helper.start()
            self._search(board, think, simulate, recycling_s, report)
        finally:
            searcher.stop()
            for helper in helpers:
                helper.join()
        for helper in helpers:
            helper.complain()
        best = think.standing()
        return Thought(
            best[0].move, best[0].value, searcher.visits, think.seconds, best[0].proof, best[0].pv, best, think.speed
        )

    def _search(
        self, board: core.Board, think: _Think, simulate: Simulate, recycling_s: float, report: ReportTo | None
    ) -> None:
        """Simulations of this thread until the think is over."""
        searcher, worker = think.searcher, self._workers[0]
        next_report, done = REPORT_EVERY_S, 32
        while not think.over():
            if report is not None and think.seconds >= next_report:
                next_report *= 2
                report(Report(think.standing(), searcher.visits, think.seconds, think.speed))
            began, before = time.perf_counter(), searcher.simulations
            if began + recycling_s >= think.deadline:
                searcher.freeze()
                if searcher.full:
                    break
            if simulate is _shape_priors and self._network.ready(board.rule):
                simulate = self._simulator(board)
            simulate(worker, min(done, think.nodes_left()))
            spent = max(1e-6, time.perf_counter() - began)
            done = int(min(4096, max(8, (searcher.simulations - before) * SLICE_S / spent)))

    def _await_network(self, limits: Limits, control: Control) -> None:
        """What is expanded without the network keeps its priors by shape, the root first of all; and a result by nodes
        must not depend on when the network happens to be there. Loading takes 0.2 s."""
        end = limits.started + limits.maximum_s / 4
        while self._network.loading and time.perf_counter() < end and not control.stopped:
            self._network.wait(SLICE_S)

    def _searcher_for(self, board: core.Board) -> core.Searcher:
        """The tree, at the board's position, made anew when memory or threads have changed."""
        held = PROCESS_BYTES + self._network.bytes + (self._threads - 1) * WORKER_BYTES
        free = int(self._memory * MEMORY_SHARE) - held
        tree_bytes = max(SMALLEST_TREE, min(LARGEST_TREE, self._tree_limit, free))
        if self._searcher is None or tree_bytes < self._tree_bytes or tree_bytes > self._tree_bytes * 1.5:
            self._workers, self._searcher = [], None
            self._searcher = self._largest_searcher(tree_bytes)
            self._tree_bytes = tree_bytes
        while len(self._workers) < self._threads:
            self._workers.append(core.Worker(self._searcher))
        del self._workers[self._threads :]
        self._searcher.set_position(board)
        return self._searcher

    def _largest_searcher(self, tree_bytes: int) -> core.Searcher:
        """A tree of that size, or as large a part of it as the system gives: max_memory may promise more."""
        while True:
            try:
                return core.Searcher(tree_bytes, seed=self._seed, **self._tunables)
            except MemoryError:
                if tree_bytes <= SMALLEST_TREE:
                    raise
                tree_bytes //= 2

    def _simulator(self, board: core.Board) -> Simulate:
        """How to run simulations on this board now: with the network if it is there."""
        evaluator = self._network.evaluator(board.rule)
        assert self._searcher is not None
        if evaluator is None:
            self._searcher.forget_network()
            return _shape_priors
        return evaluator.simulator(self._searcher, board, self._batch)

    def _solve_root(self, board: core.Board, searcher: core.Searcher, limits: Limits) -> tuple[int, ...]:
        """Looks deeper for a forced win than any leaf does: by fours first, so that a win by fours is played so.
        The winning line, empty when none was found or the tree knows one."""
        most = limits.max_nodes * 20 if limits.max_nodes else 1 << 30
        left = limits.started + limits.maximum_s - time.perf_counter()
        budget = max(0.0, min(limits.maximum_s * ROOT_SOLVER_SHARE, left))
        fours = core.solve_vcf(board, board.side, int(min(most, budget * VCF_NODES_PER_S, LONGEST_VCF)))
        if fours.status == "win":
            line = played_out(board, fours.line)
            if searcher.proof is not None and searcher.proof < min(len(line), SHORTEST_BY_THREES):
                return ()
            searcher.claim(len(line), line[0])
            return line
        if searcher.proof is not None:
            return ()
        nodes = int(min(most, budget * VCT_NODES_PER_S, LONGEST_VCT))
        threats = core.solve_vct(board, board.side, nodes, proof=False)
        if threats.status == "win" and threats.move is not None:
            searcher.claim(threats.plies, threats.move)
            return tuple(threats.line)
        return ()


def _shape_priors(worker: core.Worker, count: int) -> None:
    worker.run(count)


class _Think:
    """One running think: when it is over and what it believes."""

    def __init__(
        self, board: core.Board, searcher: core.Searcher, limits: Limits, control: Control, lines: int
    ) -> None:
        self._board, self.searcher, self._limits, self._control = board, searcher, limits, control
        self._lines = lines
        self.solution: tuple[int, ...] = ()
        """Line of a win that a solver has found for the root."""

    @property
    def deadline(self) -> float:
        """The end, as it is now, in time.perf_counter()."""
        return min(self._limits.deadline, self._control.limits.deadline)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._limits.started

    @property
    def speed(self) -> float:
        return self.searcher.simulations / max(self.seconds, 1e-3)

    def over(self) -> bool:
        now = time.perf_counter()
        limits = self._limits
        return (
            self._control.over(now)
            or now >= limits.deadline
            or 0 < limits.max_nodes <= self.searcher.simulations
            or 0 < limits.max_depth <= self.searcher.depth
            or self.settled()
            or (self._lines == 1 and self._decided(now - limits.started))
        )

    def nodes_left(self) -> int:
        """Simulations until the node limit."""
        most = self._limits.max_nodes
        return max(1, most - self.searcher.simulations) if most else 1 << 30

    def settled(self) -> bool:
        """Is there nothing to find out: a proof, or a single move?"""
        if self.searcher.proof is not None:
            return True
        return self._lines == 1 and self.searcher.single

    def _decided(self, seconds: float) -> bool:
        """Can the rest of the ordinary time no longer change the move, or is that time over without a doubt?"""
        limits = self._limits
        most_visited, visits, next_visits, best_valued = self.searcher.leaders()
        if seconds >= limits.optimum_s:
            return most_visited == best_valued
        if seconds < EARLIEST_DECISION * limits.optimum_s:
            return False
        saving = limits.optimum_s < limits.maximum_s
        if saving and most_visited != best_valued:
            return False  # the kind of move that may take longer than others
        rest = self.searcher.simulations / max(seconds, 1e-3) * (limits.optimum_s - seconds)
        return is_certain(visits, next_visits + rest, saving)

    def standing(self) -> tuple[Line, ...]:
        """The best moves so far, best first."""
        searcher = self.searcher
        order = ranked([Child(*child) for child in searcher.children()])
        first: tuple[Line, ...] = ()
        if not order or searcher.proof_move is not None:
            move = searcher.proof_move if searcher.proof_move is not None else resisting_move(self._board)
            assert move is not None, "a position to think about has a legal cell"
            pv = self.solution or tuple(searcher.line(move)) or (move,)
            first = (self._line(move, searcher.value, searcher.visits, searcher.proof, pv),)
            # A decided game is not searched on: of the other moves only these are known.
            order = [child for child in order if child.cell != move and (child.visits or child.proof is not None)]
        return first + tuple(
            self._line(
                child.cell, child.win_rate(searcher.value), child.visits, child.proof, tuple(searcher.line(child.cell))
            )
            for child in order[: self._lines - len(first)]
        )

    def _line(self, move: int, value: float, visits: int, proof: int | None, pv: tuple[int, ...]) -> Line:
        # A line from a solver is longer than any path of the tree.
        deepest = max(self.searcher.depth, len(pv))
        return Line(move, value, visits, len(pv), deepest, proof, pv)


class _Helper:
    """Another search thread; what breaks there is raised where the think is waited for."""

    def __init__(self, worker: core.Worker, simulate: Simulate, think: _Think) -> None:
        self._worker, self._simulate, self._think = worker, simulate, think
        self._error: BaseException | None = None
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        """Ends the thread, if there is one."""
        self._finished.set()
        if self._thread.ident is not None:
            self._thread.join()

    def complain(self) -> None:
        """Raises what has broken."""
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            while not self._finished.is_set() and not self._think.settled():
                self._simulate(self._worker, 64)
        except BaseException as error:
            self._error = error
