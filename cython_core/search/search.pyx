"""Monte-Carlo tree search: simulations over tree, solvers and rollouts, with an evaluator here, outside or none.

`Searcher` owns the tree and the root position; a `Worker` runs simulations, one per thread: `run`. With an evaluator
outside the verbs are `select` (find leaves, write their inputs) and `apply` (take the evaluations).
"""

from libc.math cimport sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cython_core.network.evaluator cimport Evaluator
from cython_core.rules.lock cimport drop_lock, take_lock
from cython_core.rules.memory cimport aligned_free, aligned_malloc
from cython_core.rules.position cimport Board
from cython_core.rules.rng cimport next_random
from cython_core.search.dump cimport pack_tree, unpack_tree
from cython_core.search.noise cimport mix_noise
from cython_core.search.simulation cimport *
from cython_core.search.tree cimport *
from cython_core.search.tunables cimport changed_values
from cython_core.threats.vcf cimport vcf_table_create, vcf_table_free
from cython_core.threats.vct cimport vct_table_create, vct_table_free

from cython_core.search.tunables import DEFAULTS

cdef enum:
    VCF_TABLE_BYTES = 1 << 20   # per worker; small enough to stay in the cache
    VCT_TABLE_BYTES = 4 << 20   # per worker; room for the graph of one hot node


cdef class Searcher:
    """The tree and the root position of a search.

    memory: bytes for the pools; seed: of rollouts and noise; other keywords: see tunables.pyx.
    """
    cdef Shared shared
    cdef Rng rng
    cdef dict values
    cdef Evaluator evaluator

    def __cinit__(self, Py_ssize_t memory, *, seed=1, **tunables):
        memset(&self.shared, 0, sizeof(self.shared))
        if not tree_create(&self.shared.tree, memory):
            raise MemoryError(f"no memory for a search tree of {memory} bytes")
        self.shared.root_board = <BoardState*>aligned_malloc(sizeof(BoardState))
        if self.shared.root_board is NULL:
            raise MemoryError("no memory for a board")
        self.rng.state = seed
        self.values = DEFAULTS
        self.tune(**tunables)

    def __dealloc__(self):
        tree_free(&self.shared.tree)
        aligned_free(self.shared.root_board)

    def tune(self, **tunables):
        """Changes tunables; ValueError says which name or value is wrong."""
        self.values = changed_values(self.values, tunables)
        self.shared.options = self.values

    @property
    def tunables(self):
        """Name -> value of every tunable."""
        return dict(self.values)

    def set_evaluator(self, Evaluator evaluator):
        """What evaluates the leaves; None: shapes and rollouts alone. It must be prepared for the rule of the position.

        Workers take it over with their next `run` or `select`; those running go on with the one before.
        """
        self.evaluator = evaluator
        self.shared.failed = False

    @property
    def evaluator_failed(self):
        """Has the evaluator given a NaN or an infinity since it was set? Such answers are not used."""
        return bool(self.shared.failed)

    def set_position(self, Board board):
        """Makes the board's position the root. What the tree knows of it and of what follows is kept.

        No worker may be running.
        """
        cdef Shared* shared = &self.shared
        memcpy(shared.root_board, board.state, sizeof(BoardState))
        shared.tree.root = find_or_make(&shared.tree, board.state.key)
        if shared.tree.root == NO_NODE:
            tree_clear(&shared.tree)
            shared.tree.root = find_or_make(&shared.tree, board.state.key)
        shared.serial += 1
        shared.first_move = NO_CELL
        shared.simulations = 0
        shared.solver_nodes = 0
        shared.max_depth = 0
        shared.stop = False
        shared.recycling_over = False

    def begin_with(self, int move):
        """Every simulation begins with this move of the root, as long as it has an edge and is open; NO_CELL or
        `set_position` lifts it. No worker may be running."""
        self.shared.first_move = move

    def forget(self):
        """Empties the tree. The root must be set again before the next run."""
        tree_clear(&self.shared.tree)
        self.shared.full = False

    def pack(self, Board board not None, write):
        """Hands what is known of the board's position and of what follows to `write(bytes)`; how many positions."""
        return pack_tree(&self.shared.tree, board.state, write)

    def unpack(self, Board board not None, read):
        """Forgets everything and takes what `pack` has made of the same position from `read(size)`; how many positions.
        ValueError where that cannot be: then nothing is known. The board is used up. No worker may be running."""
        self.forget()
        return unpack_tree(&self.shared.tree, board.state, read)

    def stop(self):
        """Ends every running worker soon; `set_position` lifts it."""
        self.shared.stop = True

    @property
    def simulations(self):
        """Finished since the root was set."""
        return self.shared.simulations

    @property
    def solver_nodes(self):
        """Stones placed by leaf solvers since the root was set."""
        return self.shared.solver_nodes

    @property
    def depth(self):
        """Longest path of a simulation since the root was set."""
        return self.shared.max_depth

    @property
    def nodes(self):
        """Nodes in the tree."""
        return self.shared.tree.node_count

    @property
    def full(self):
        """Are the pools exhausted? The next simulation recycles them, unless that is over."""
        return bool(self.shared.full)

    @property
    def fullness(self):
        """Part of the pools in use, 0..1."""
        cdef Tree* tree = &self.shared.tree
        return max(tree.node_count / <double>tree.node_room, tree.edge_count / <double>tree.edge_room)

    def stop_recycling(self):
        """From here on full pools end the search instead of being recycled; `set_position` lifts it."""
        self.shared.recycling_over = True

    @property
    def recycled(self):
        """How often the pools were full and recycled."""
        return self.shared.tree.recycled

    cdef Node* root(self) except NULL:
        if self.shared.tree.root == NO_NODE:
            raise ValueError("no position set")
        return &self.shared.tree.nodes[self.shared.tree.root]

    @property
    def visits(self):
        """Simulations through the root, those of earlier moves included."""
        return self.root().visits

    @property
    def value(self):
        """Win rate of the side to move."""
        return mean_value(self.root())

    @property
    def proof(self):
        """Plies to the proven end: +n won, -n lost, 0 drawn; None if open."""
        return plies_of(self.root().proof)

    @property
    def proof_move(self):
        """A move that wins, when the root is proven won; None otherwise or when unknown."""
        cdef Node* root = self.root()
        return root.proof_move if root.proof > PROOF_DRAW and root.proof_move != NO_CELL else None

    @property
    def single(self):
        """Is the root expanded with one move that is all there is to consider?"""
        cdef Node* root = self.root()
        return root.state == EXPANDED and root.complete and root.edge_count == 1

    def leaders(self):
        """(most visited open move, its visits, those of the next, best-valued move of those with at least a tenth of
        the visits); moves are NO_CELL when nothing was visited."""
        cdef Node* root = self.root()
        cdef Edge* edge
        cdef int most = NO_CELL, best = NO_CELL, i
        cdef uint32_t first = 0, second = 0
        cdef float value = -1
        take_lock(&self.shared.lock)
        edge = edges_of(&self.shared.tree, root)
        for i in range(root.edge_count):
            if edge[i].proof < PROOF_UNKNOWN:
                continue
            if edge[i].visits > first:
                second, first, most = first, edge[i].visits, edge[i].cell
            elif edge[i].visits > second:
                second = edge[i].visits
        for i in range(root.edge_count):
            if edge[i].proof >= PROOF_UNKNOWN and edge[i].visits * 10 >= first > 0 and edge[i].value > value:
                value, best = edge[i].value, edge[i].cell
        drop_lock(&self.shared.lock)
        return most, first, second, best

    def claim(self, int plies, int move):
        """Tells the tree what a deeper solver has proven of the root: won in `plies` by `move`."""
        cdef Node* root = self.root()
        root.proof = PROOF_WIN - plies
        root.proof_move = move

    def disclaim(self, int nodes):
        """Tells the tree that a VCT search with this many nodes has found no win of the root: it will not try fewer."""
        cdef Node* root = self.root()
        if nodes >= self.shared.options.hot_vct_nodes:
            root.solved = max(root.solved, 1)

    def known(self, Board board):
        """What the tree has proven of any position: plies as in `proof`, and a winning move; None for what is open."""
        cdef int32_t number = find(&self.shared.tree, board.state.key)
        cdef Node* node
        if number == NO_NODE:
            return None, None
        node = &self.shared.tree.nodes[number]
        won = node.proof > PROOF_DRAW and node.proof_move != NO_CELL
        return plies_of(node.proof), node.proof_move if won else None

    def children(self):
        """The root's moves, likeliest prior first: (cell, visits, value, deviation, prior, plies to the proven end).

        value: mean win rate of the side to move; deviation: standard deviation of one result.
        """
        cdef Node* root = self.root()
        cdef Edge* edge
        cdef Node* child
        cdef double mean, spread
        cdef int i
        result = []
        take_lock(&self.shared.lock)
        try:
            edge = edges_of(&self.shared.tree, root)
            for i in range(root.edge_count):
                spread = 0.5
                if edge[i].child != NO_NODE and self.shared.tree.nodes[edge[i].child].visits > 1:
                    child = &self.shared.tree.nodes[edge[i].child]
                    mean = child.value_sum / child.visits
                    spread = sqrt(max(0.0, child.square_sum / child.visits - mean * mean))
                result.append((edge[i].cell, edge[i].visits, edge[i].value, spread, edge[i].prior / 65535.0,
                               plies_of(edge[i].proof)))
        finally:
            drop_lock(&self.shared.lock)
        return result

    def draw(self, int cell):
        """Share of draws after a move of the root, 0..1; 0 as long as nothing is known of it."""
        cdef Node* root = self.root()
        cdef Edge* edge
        cdef Node* child
        cdef double share = 0
        cdef int i
        take_lock(&self.shared.lock)
        edge = edges_of(&self.shared.tree, root)
        for i in range(root.edge_count):
            if edge[i].cell == cell and edge[i].child != NO_NODE:
                child = &self.shared.tree.nodes[edge[i].child]
                share = child.draw_sum / child.visits if child.visits else 0.0
        drop_lock(&self.shared.lock)
        return share

    def line(self, int first=NO_CELL):
        """The expected continuation, cells; begins with `first` when given."""
        result = []
        self.root()
        take_lock(&self.shared.lock)
        try:
            self.follow(first, result)
        finally:
            drop_lock(&self.shared.lock)
        return result

    cdef int follow(self, int first, list result) except -1:
        """Appends the expected continuation to `result`, under the lock."""
        cdef Tree* tree = &self.shared.tree
        cdef Node* node = self.root()
        cdef Edge* edge
        cdef Edge* best
        cdef bint won
        cdef int i
        while len(result) < MAX_DEPTH:
            won = first == NO_CELL and node.proof > PROOF_DRAW and node.proof_move != NO_CELL
            if won:
                first = node.proof_move         # however often other moves were tried
            edge = edges_of(tree, node)
            best = NULL
            for i in range(node.edge_count):
                if first != NO_CELL:
                    if edge[i].cell == first:
                        best = &edge[i]
                elif edge[i].visits and (best is NULL or better_edge(&edge[i], best)):
                    best = &edge[i]
            if best is NULL:
                if won:
                    result.append(first)
                break
            first = NO_CELL
            result.append(best.cell)
            if best.child == NO_NODE:
                break
            node = &tree.nodes[best.child]
        return 0

    def add_noise(self, double share):
        """Mixes Dirichlet noise into the priors of the root's moves; the root must have been visited."""
        if not 0 <= share <= 1:
            raise ValueError(f"a share of noise is within 0..1: {share}")
        mix_noise(&self.shared.tree, self.root(), share, &self.rng)


cdef bint better_edge(const Edge* edge, const Edge* than) noexcept nogil:
    """For the expected continuation: a sooner proven win, then more visits; proven losses last."""
    if edge.proof > PROOF_DRAW or than.proof > PROOF_DRAW:
        return edge.proof > than.proof
    if (edge.proof < PROOF_UNKNOWN) != (than.proof < PROOF_UNKNOWN):
        return than.proof < PROOF_UNKNOWN
    if edge.proof < PROOF_UNKNOWN and edge.proof != than.proof:
        return edge.proof > than.proof
    return edge.visits > than.visits


cdef class Worker:
    """Runs simulations of a searcher; one per thread. The GIL is free meanwhile."""
    cdef WorkerState* state
    cdef Searcher searcher
    cdef Evaluator evaluator        # whose seat the state has

    def __cinit__(self, Searcher searcher not None):
        self.searcher = searcher
        self.state = <WorkerState*>malloc(sizeof(WorkerState))
        if self.state is NULL:
            raise MemoryError("no memory for a worker")
        memset(self.state, 0, sizeof(WorkerState))
        self.state.shared = &searcher.shared
        self.state.rng.state = next_random(&searcher.rng)
        self.state.vcf_table = vcf_table_create(VCF_TABLE_BYTES)
        self.state.vct_table = vct_table_create(VCT_TABLE_BYTES)
        self.state.board = <BoardState*>aligned_malloc(sizeof(BoardState))
        if self.state.vcf_table is NULL or self.state.vct_table is NULL or self.state.board is NULL:
            raise MemoryError("no memory for a worker")

    def __dealloc__(self):
        if self.state is not NULL:
            if self.evaluator is not None:
                self.evaluator.leave_seat(&self.state.seat)
            if self.state.vcf_table is not NULL:
                vcf_table_free(self.state.vcf_table)
            if self.state.vct_table is not NULL:
                vct_table_free(self.state.vct_table)
            aligned_free(self.state.board)
            free(self.state)

    cdef int follow(self) except -1:
        """Takes over the searcher's root position and evaluator if they have changed."""
        cdef WorkerState* w = self.state
        cdef Evaluator evaluator = self.searcher.evaluator
        cdef bint new_board = w.serial != w.shared.serial
        self.searcher.root()
        if w.leaf_count:
            raise ValueError("leaves are waiting for their evaluation")
        if new_board:
            memcpy(w.board, w.shared.root_board, sizeof(BoardState))
            w.serial = w.shared.serial
        if evaluator is not None and evaluator.rule != w.board.rule.number:
            raise ValueError(f"the evaluator is prepared for rule {evaluator.prepared_rule}, "
                             f"not {w.board.rule.number}")
        if evaluator is not self.evaluator:
            if self.evaluator is not None:
                self.evaluator.leave_seat(&w.seat)
                self.evaluator = None
            memset(&w.seat, 0, sizeof(w.seat))
            if evaluator is not None:
                evaluator.take_seat(&w.seat)
                self.evaluator = evaluator
            new_board = True
        if new_board and w.seat.begin is not NULL:
            w.seat.begin(w.seat.own, w.board)
        return 0

    def run(self, int simulations):
        """Simulations with the searcher's evaluator where that is in the core, else with shape priors and static
        estimate; and rollouts. Returns how many were finished: fewer when the root is proven or the search was
        stopped."""
        cdef int done
        cdef Evaluator evaluator
        self.follow()
        evaluator = self.evaluator
        if evaluator is not None:
            evaluator.searches += 1
        with nogil:
            done = run_alone(self.state, simulations)
        if evaluator is not None:
            evaluator.searches -= 1
        return done

    def select(self, float[:, :, :, ::1] inputs, int wanted):
        """Finds up to `wanted` leaves for an evaluator outside and writes their inputs into `inputs` [wanted or more,
        channels, height, width]. Returns how many; each must be answered by `apply`."""
        cdef WorkerState* w = self.state
        cdef int count
        self.follow()
        if w.seat.describe is NULL:
            raise ValueError("no evaluator outside the core is set")
        if (inputs.shape[0] < wanted or inputs.shape[1] != w.seat.inputs or not 0 < wanted <= MAX_BATCH
                or inputs.shape[2] != w.board.height or inputs.shape[3] != w.board.width):
            raise ValueError("the input buffer does not fit the batch, the evaluator or the board")
        w.inputs = &inputs[0, 0, 0, 0]
        self.evaluator.searches += 1
        with nogil:
            count = collect_leaves(w, wanted)
        self.evaluator.searches -= 1
        return count

    def apply(self, const float[:, ::1] logits, const float[:, ::1] wdl):
        """Takes the evaluations of the selected leaves in order: policy logits [n, height * width] and win, draw,
        loss shares of the side to move [n, 3]."""
        cdef WorkerState* w = self.state
        cdef int i, leaves = w.leaf_count
        if (logits.shape[0] < leaves or wdl.shape[0] < leaves or wdl.shape[1] != 3
                or logits.shape[1] != w.board.width * w.board.height):
            raise ValueError("the evaluations do not fit the leaves")
        w.leaf_count = 0
        with nogil:
            for i in range(leaves):
                apply_leaf(w, &w.leaves[i], &logits[i, 0], &wdl[i, 0])

    def drop(self):
        """Forgets leaves that will not be evaluated."""
        drop_all(self.state)
