"""The engine without a match: from a request to an analysis.

Owns the strategy of one move and the tree that is kept from one to the next. Knows no text, no manager and no match;
another thread may shorten or stop a search at any time through its `Timer`. Several thinkers in one process are
independent of each other; one thinker analyses one request at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import cython_core as core
from brain.choice import best_lines
from brain.clock import Timer
from brain.evaluator import Answer, ShapeEvaluator, Simulate
from brain.network import Network
from brain.plan import Plan, line_of
from brain.records import DEFAULT_MEMORY, Analysis, Line, OnUpdate, Request, Resources
from brain.weights import WeightsError

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
"""Kept back of the time while the network is being loaded: importing a library holds the interpreter for that long."""
WORTH_WAITING_S = 0.7
"""A search as long as this waits for a network that is being loaded, at most for a quarter of its time."""
WORKER_BYTES = 6 << 20
"""Solver tables and boards of a search thread."""
NEARLY_FULL = 0.75
"""A tree this full is forgotten before a search that is too short to recycle it."""
ROOT_SOLVER_SHARE = 0.1
"""Part of the longest time that each solver may take at the root."""
VCF_NODES_PER_S, VCT_NODES_PER_S = 1_000_000, 500_000
"""Solver speeds, roughly: they turn time into nodes, so that a result depends on nodes only."""
LONGEST_VCF, LONGEST_VCT = 100_000, 50_000
"""Nodes of one call: no call may keep a stop waiting."""
SHORTEST_BY_THREES = 5
"""Plies of a win that may begin with a three; a shorter one is a five or a four already."""
VISITS_TO_RANK = 2
"""Visits of every root move where several are to be ranked: a move that was never tried has no value to show."""
SHAPES = ShapeEvaluator()


class Thinker:
    """Monte-Carlo tree search with solvers, guided by a network when there is one.

    The tree outlives a request: a later position of the same game starts from what is known of it.
    """

    def __init__(
        self, say: Callable[[str], None] = lambda text: None, seed: int = 20, network: Network | None = None,
        batch: int = BATCH, **tunables: float,
    ) -> None:
        self._seed, self._batch = seed, batch
        self._tunables = tunables
        self._network = network if network is not None else Network(say)
        self._searcher: core.Searcher | None = None
        self._workers: list[core.Worker] = []
        self._tree_bytes = 0
        self._lost: _Lost | None = None
        """The last position, if that was proven lost."""
        self._plan = Plan()
        self.solution: core.Proof | None = None
        """The win that a solver has found for the position of the last analysis."""
        self.position: core.Board | None = None
        """Of the last analysis."""

    def warm_up(self, rule: int, memory: int = DEFAULT_MEMORY) -> None:
        """Starts loading the network in the background and returns at once. The tables of another rule than the last
        one wait for its first search, which makes room for them."""
        if self._network.rule in (None, rule):
            self._load(rule, memory)

    def _load(self, rule: int, memory: int) -> None:
        self._network.load(rule, memory - PROCESS_BYTES - SMALLEST_TREE)

    @property
    def fullness(self) -> float:
        """How much of the search tree is in use, 0..1."""
        return 0.0 if self._searcher is None else self._searcher.fullness

    def forget(self) -> None:
        """Drops everything remembered from earlier positions."""
        self._lost = None
        self._plan.drop()
        if self._searcher is not None:
            self._searcher.forget()

    def analyse(
        self, request: Request, timer: Timer | None = None, on_update: OnUpdate | None = None
    ) -> Analysis:
        """The best moves of a position that has a legal one. The board comes back as it was.

        Ends at the timer's limits (by default the request's), at `timer.stop()`, or when nothing can change.
        `on_update` is called on this thread, by the rhythm of the request; what it raises ends the search.
        """
        timer = timer or Timer(request.limits)
        try:
            return self._analyse(request, timer, on_update)
        except WeightsError as error:
            self._network.give_up(error)  # what is left of the time, and of the game, without it
            self.forget()
            return self._analyse(request, timer, on_update)

    @property
    def tree(self) -> core.Searcher | None:
        """Of the last analysis, for whoever wants to know how it proves what it says."""
        return self._searcher

    def own_tree(self, board: core.Board, resources: Resources) -> core.Searcher:
        """The tree as a search of this position would find it, network and all, for whoever fills it otherwise."""
        self._load_now(board.rule, resources.memory)
        self._lost, self.position = None, board.copy()
        self._plan.drop()
        return self._searcher_for(board, resources)

    def opinion(self, board: core.Board, resources: Resources) -> tuple[str, Answer]:
        """Who has an opinion of a position without a search, the network or else its shapes, and which."""
        self._load_now(board.rule, resources.memory)
        evaluator = self._network.evaluator(board.rule)
        if evaluator is not None:
            try:
                return "network", evaluator.evaluate(board)
            except WeightsError as error:
                self._network.give_up(error)
                self.forget()
        return "shapes", SHAPES.evaluate(board)

    def _load_now(self, rule: int, memory: int) -> None:
        self._make_room(rule)
        self._load(rule, memory)
        while self._network.loading:
            self._network.wait(SLICE_S)

    def _make_room(self, rule: int) -> None:
        """Tree and tables of the rule before would stand beside the new ones, beyond the memory we may use."""
        if self._network.rule not in (None, rule):
            self._workers, self._searcher, self._tree_bytes = [], None, 0

    def _analyse(self, request: Request, timer: Timer, on_update: OnUpdate | None) -> Analysis:
        """`analyse`, with the network as it is; WeightsError when the network fails."""
        board, lines = request.board, request.lines
        self._make_room(board.rule)
        self._load(board.rule, request.resources.memory)
        limits = timer.limits
        if limits.max_nodes or limits.maximum_s >= WORTH_WAITING_S:
            self._await_network(timer)
        if self._network.loading:
            shorter = max(limits.maximum_s / 4, limits.maximum_s - LOADING_S)
            timer = timer.within(replace(limits, maximum_s=shorter))
        searcher = self._searcher_for(board, request.resources)
        recycling_s = self._tree_bytes * RECYCLE_S_PER_BYTE
        if timer.limits.maximum_s < 2 * recycling_s and searcher.fullness > NEARLY_FULL:
            searcher.forget()
            searcher.set_position(board)
        searcher.tune(min_root_visits=self._tunables.get("min_root_visits", VISITS_TO_RANK if lines > 1 else 0))
        search = _Search(board, searcher, timer, lines, self._lost)
        helpers = [_Helper(worker, self._simulator(board), search) for worker in self._workers[1:]]
        simulate = self._simulator(board)
        simulate(self._workers[0], 1)
        if not search.settled() or (searcher.proof or 0) > 1 or self._plan.promised(board) is not None:
            search.solution = self._solve_root(board, searcher, timer)
            search.line = line_of(board, search.solution) if search.solution is not None else ()
        try:
            for helper in helpers:
                helper.start()
            self._search(request, search, simulate, recycling_s, on_update)
        finally:
            searcher.stop()
            for helper in helpers:
                helper.join()
        for helper in helpers:
            helper.complain()
        analysis = search.analysis()
        self.solution = search.solution
        self.position = board.copy()
        best = analysis.best
        lost = best.proof is not None and best.proof < 0
        self._lost = _Lost(board.key, board.ply, best) if lost else None
        if best.proof is not None and best.proof > 0:
            self._plan.keep(board, best.move, best.proof, search.solution)
        return analysis

    def _search(
        self, request: Request, search: _Search, simulate: Simulate, recycling_s: float, on_update: OnUpdate | None
    ) -> None:
        """Simulations of this thread until the search is over."""
        searcher, worker, board = search.searcher, self._workers[0], request.board
        began_s, done = search.seconds, 32
        next_update = began_s + request.next_update(0.0)
        while not search.over():
            if on_update is not None and search.seconds >= next_update:
                next_update = began_s + request.next_update(search.seconds - began_s)
                on_update(search.analysis())
            began, before = time.perf_counter(), searcher.simulations
            if search.left <= recycling_s:
                searcher.stop_recycling()
                if searcher.full:
                    break
            if simulate is core.Worker.run and self._network.ready(board.rule):
                simulate = self._simulator(board)
            simulate(worker, min(done, search.nodes_left()))
            search.check()
            spent = max(1e-6, time.perf_counter() - began)
            done = int(min(4096, max(8, (searcher.simulations - before) * SLICE_S / spent)))

    def _await_network(self, timer: Timer) -> None:
        """What is expanded without the network keeps its priors by shape, the root first of all; and a result by nodes
        must not depend on when the network happens to be there. Loading takes 0.2 s."""
        waiting = timer.part(1 / 4)
        while self._network.loading and not waiting.expired:
            self._network.wait(SLICE_S)

    def _searcher_for(self, board: core.Board, resources: Resources) -> core.Searcher:
        """The tree, at the board's position, made anew when memory or threads have changed."""
        threads = max(1, resources.threads)
        held = PROCESS_BYTES + self._network.bytes + (threads - 1) * WORKER_BYTES
        free = int(resources.memory * MEMORY_SHARE) - held
        tree_bytes = max(SMALLEST_TREE, min(LARGEST_TREE, resources.tree or LARGEST_TREE, free))
        if self._searcher is None or tree_bytes < self._tree_bytes or tree_bytes > self._tree_bytes * 1.5:
            self._grow_tree(tree_bytes, threads)
        assert self._searcher is not None
        while len(self._workers) < threads:
            self._workers.append(core.Worker(self._searcher))
        del self._workers[threads:]
        self._searcher.set_position(board)
        return self._searcher

    def _grow_tree(self, tree_bytes: int, threads: int) -> None:
        """A tree of that size with its workers, or as large a part of it as the system gives: max_memory may promise
        more than there is."""
        part = tree_bytes
        while True:
            self._workers, self._searcher = [], None
            try:
                self._searcher = core.Searcher(part, seed=self._seed, **self._tunables)
                self._workers = [core.Worker(self._searcher) for _ in range(threads)]
                self._tree_bytes = tree_bytes  # what was asked for: asking again would give no more
                return
            except MemoryError:
                if part <= SMALLEST_TREE:
                    raise
                part //= 2

    def _simulator(self, board: core.Board) -> Simulate:
        """How to run simulations on this board now: with the network if it is there."""
        evaluator = self._network.evaluator(board.rule)
        assert self._searcher is not None
        if evaluator is None:
            return SHAPES.simulator(self._searcher, board, self._batch)
        return evaluator.simulator(self._searcher, board, self._batch)

    def _solve_root(self, board: core.Board, searcher: core.Searcher, timer: Timer) -> core.Proof | None:
        """Looks deeper for a forced win than any leaf does: by fours first, so that a win by fours is played so, but
        never a longer one than was promised. None where nothing was found or the tree knows a win."""
        most = timer.limits.max_nodes * 20 if timer.limits.max_nodes else 1 << 30
        budget = max(0.0, min(timer.limits.maximum_s * ROOT_SOLVER_SHARE, timer.left))
        promised = self._plan.promised(board)
        proof = self._solve_by_fours(board, int(min(most, budget * VCF_NODES_PER_S, LONGEST_VCF)), promised)
        if proof is not None and (searcher.proof is None or searcher.proof >= min(proof.plies, SHORTEST_BY_THREES)):
            return _claimed(searcher, proof)
        if promised is not None and (searcher.proof is None or searcher.proof > promised):
            proof = self._plan.next(board) or proof
            if proof is not None:
                return _claimed(searcher, proof)
        if searcher.proof is not None:
            return None
        nodes = int(min(most, budget * VCT_NODES_PER_S, LONGEST_VCT))
        proof = core.solve_vct(board, board.side, nodes).proof
        if proof is None:
            searcher.disclaim(nodes)
            return None
        return _claimed(searcher, proof)

    @staticmethod
    def _solve_by_fours(board: core.Board, nodes: int, promised: int | None) -> core.Proof | None:
        """A win by fours within the plies that were promised, if any were."""
        fours = core.solve_vcf(board, board.side, nodes)
        if fours.status != "win":
            return None
        proof = core.prove_fours(board, board.side, fours.line)
        if promised is None or proof.plies <= promised:
            return proof
        fours = core.solve_vcf(board, board.side, nodes, fours=(promised - 1) // 2)
        return core.prove_fours(board, board.side, fours.line) if fours.status == "win" else None


def _claimed(searcher: core.Searcher, proof: core.Proof) -> core.Proof:
    searcher.claim(proof.plies, proof.move)
    return proof


@dataclass(frozen=True, slots=True)
class _Lost:
    """A position of which a loss was proven, and how it was expected to go on."""

    key: int
    ply: int
    best: Line

    def plies_left(self, board: core.Board) -> int | None:
        """Within how many plies the position two plies later is lost by the same proof; None if the game went another
        way. The proof itself is often that of a solver, of which the tree keeps the first move only."""
        left = -(self.best.proof or 0) - 2
        if left <= 0 or tuple(cell for cell, _ in board.history[-2:]) != self.best.pv[:2]:
            return None
        before = board.copy()
        before.undo()
        before.undo()
        return left if before.key == self.key else None


def held_to(lines: tuple[Line, ...], plies: int) -> tuple[Line, ...]:
    """The lines of a position that is known to be lost within `plies`, whatever the search says of it by now."""
    first = lines[0]
    if first.proof is None:
        return tuple(replace(line, value=0.0, proof=-plies) for line in lines)
    return (replace(first, proof=-plies), *lines[1:]) if first.proof < -plies else lines


class _Search:
    """One running search: whether it is over and how it stands."""

    def __init__(
        self, board: core.Board, searcher: core.Searcher, timer: Timer, lines: int, lost: _Lost | None
    ) -> None:
        self._board, self.searcher, self._timer, self._lines = board, searcher, timer, lines
        # Whoever has just lost for certain does not want to hear of a fair chance from two visits of a forced move.
        self._doubtful = lost is not None and board.ply == lost.ply + 2
        self._lost_in = lost.plies_left(board) if lost is not None and self._doubtful else None
        self._depth, self._seldepth = 1, 1
        self.solution: core.Proof | None = None
        """A win that a solver has found for the root."""
        self.line: tuple[int, ...] = ()
        """Its moves."""

    @property
    def left(self) -> float:
        return self._timer.left

    @property
    def seconds(self) -> float:
        return self._timer.seconds

    def over(self) -> bool:
        return self._timer.over(self.searcher, self._lines, self._doubtful and self._lost_in is None)

    def nodes_left(self) -> int:
        return self._timer.nodes_left(self.searcher)

    def settled(self) -> bool:
        """Is there nothing to find out: a proof, or a single move?"""
        return self.searcher.proof is not None or (self._lines == 1 and self.searcher.single)

    def check(self) -> None:
        """WeightsError if the network has answered with NaN. The search has not used it, nor would it a later one."""
        if self.searcher.evaluator_failed:
            raise WeightsError("it answered with values that are not numbers (NaN)")

    def analysis(self) -> Analysis:
        """How the search stands now."""
        self.check()
        lines = best_lines(self._board, self.searcher, self._lines, self.line)
        if self._lost_in is not None:
            lines = held_to(lines, self._lost_in)
        self._depth = max(self._depth, *(len(line.pv) for line in lines))
        self._seldepth = max(self._seldepth, self._depth, self.searcher.depth)
        seconds = self.seconds
        speed = self.searcher.simulations / max(seconds, 1e-3)
        return Analysis(lines, self.searcher.visits, seconds, speed, self._depth, self._seldepth)


class _Helper:
    """Another search thread; what breaks there is raised where the search is waited for."""

    def __init__(self, worker: core.Worker, simulate: Simulate, search: _Search) -> None:
        self._worker, self._simulate, self._search = worker, simulate, search
        self._error: BaseException | None = None
        self._finished = threading.Event()
        self._thread = threading.Thread(target=self._run, name="search", daemon=True)

    def start(self) -> None:
        with suppress(RuntimeError):  # no room for its stack: the search goes on with fewer threads
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
            while not self._finished.is_set() and not self._search.settled():
                self._simulate(self._worker, 64)
        except BaseException as error:
            self._error = error
