"""Monte-Carlo tree search: simulations over tree, solvers and rollouts, alone or with a network outside.

`Searcher` owns the tree and the root position; a `Worker` runs simulations, one per thread. With a network the
verbs are `select` (find leaves, write their features) and `apply` (take the evaluations); without one, `run`.
"""

from libc.math cimport sqrt
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cython_core.board cimport play, undo
from cython_core.descents cimport STYLES, descend_in_style
from cython_core.estimate cimport estimate
from cython_core.expansion cimport allow_edges, expand_by_logits, expand_by_shape, refine_by_logits, widen
from cython_core.features cimport WINDOW_ROWS, line_features
from cython_core.noise cimport mix_noise
from cython_core.position cimport Board
from cython_core.resolve cimport allow_legal, resolve
from cython_core.rollout cimport next_random
from cython_core.selection cimport POLICIES, select_edge
from cython_core.tree cimport *
from cython_core.vcf cimport vcf_table_create, vcf_table_free
from cython_core.vct cimport VCT_WIN, solve_vct, vct_table_create, vct_table_free

cdef extern from *:
    """
    #if defined(_WIN32)
    #include <windows.h>
    #define give_way() SwitchToThread()
    #else
    #include <sched.h>
    #define give_way() sched_yield()
    #endif
    /* A spin lock that soon yields: the lock is held for microseconds, but two threads may share one core. */
    static void take_lock(int *lock) {
        int tries = 0;
        while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
            if (++tries > 32) { tries = 0; give_way(); }
    }
    static void drop_lock(int *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELEASE); }
    static int raised(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
    """
    void take_lock(int* lock) noexcept nogil
    void drop_lock(int* lock) noexcept nogil
    bint raised(const int* flag) noexcept nogil
    void give_way() noexcept nogil

# The tunables, each with unit, meaning and origin; overridden by keyword in `Searcher`.
DEFAULTS = {
    "policy": 0,                # selection policy (selection.pxd)
    "explore": 0.7,             # c at a new node, in win rate
    "explore_log": 0.35,        # growth of c per e-fold of visits
    "explore_base": 500.0,      # visits after which c starts to grow
    "fpu_reduction": 0.12,      # win rate by which an unvisited move is assumed below its parent
    "prior_cut": 0.995,         # sum of priors that get an edge at once
    "widen_visits": 1000,       # visits at which the remaining candidates get edges
    "statics": 1,               # resolve fives, forced replies and open fours at leaves
    "own_vcf_nodes": 100,       # leaf VCF for the side to move, nodes
    "other_vcf_nodes": 100,     # leaf VCF for the opponent, nodes
    "hot_visits": 200,          # visits at which a node gets a VCT search
    "hot_vct_nodes": 2000,      # its nodes
    "rollout_share": 0.15,      # lambda: weight of the rollouts beside the network
    "estimate_share": 0.8,      # weight of the static estimate beside the rollouts, without a network: +92 over 0.5
    "rollouts": 1,              # per leaf
    "rollout_plies": 12,        # stones a rollout may add; the static estimate judges the rest
    "rollout_style": 0,         # who plays them (descents.pxd)
    "min_root_visits": 0,       # visits every root move gets first
    "network_visits": 0,        # visits at which an expanded node is shown to the network; 0 = every leaf, at once
    "network_weight": 4.0,      # results its value counts for at such a node
    "inner_noise": 0.0,         # share of Dirichlet noise below the root; the root's is set by `add_noise`
}

SELECTION_TUNABLES = ("policy", "explore", "explore_log", "explore_base", "fpu_reduction")
BUDGET_TUNABLES = ("statics", "own_vcf_nodes", "other_vcf_nodes")

cdef enum:                      # how a descent ended
    ARRIVED = 0                 # at a leaf that must be evaluated
    PROVEN = 1                  # at a node whose result is known
    COLLIDED = 2                # at a leaf another simulation is evaluating
    NO_ROOM = 3                 # a pool is full

cdef enum:
    MAX_COLLISIONS = 16         # descents in vain before a batch is handed out half full
    VCF_TABLE_BYTES = 1 << 20   # per worker; small enough to stay in the cache
    VCT_TABLE_BYTES = 4 << 20   # per worker; room for the graph of one hot node


cdef int descend(WorkerState* w, Leaf* leaf) noexcept nogil:
    """One walk from the root to a leaf. The lock is held on entry and on return; the board stays at the leaf."""
    cdef Shared* shared = w.shared
    cdef Tree* tree = &shared.tree
    cdef BoardState* b = w.board
    cdef Resolution found
    cdef Node* node
    cdef Edge* edge
    cdef int chosen
    cdef int32_t number = tree.root
    leaf.depth = 0
    while True:
        leaf.nodes[leaf.depth] = number
        node = &tree.nodes[number]
        if node.proof != PROOF_UNKNOWN:
            return PROVEN
        if node.state == PENDING:
            return COLLIDED
        if node.state == FRESH:
            node.state = PENDING
            drop_lock(&shared.lock)
            resolve(b, &shared.options.budget, w.vcf_table, &w.line, &found)
            take_lock(&shared.lock)
            shared.solver_nodes += found.nodes
            if found.proof != PROOF_UNKNOWN:
                node.proof = found.proof
                node.proof_move = found.move
                node.state = EXPANDED
                return PROVEN
            leaf.allowed = found.allowed
            if found.allowed.count > 1 or leaf.depth == MAX_DEPTH - 1:
                return ARRIVED
            # The only move needs no evaluation: walk on.
            if not expand_by_shape(tree, node, b, &found.allowed, 1):
                node.state = FRESH
                return NO_ROOM
        if hot(shared, node) and solve_hot(w, node):
            return PROVEN
        if w.request_count < w.request_room and not node.asked and (
                node.visits >= <uint32_t>shared.options.network_visits):
            ask(w, node, number)
        if not node.complete and not node.widened and node.visits >= <uint32_t>shared.options.widen_visits:
            allow_legal(b, &leaf.allowed)
            if not widen(tree, node, b, &leaf.allowed, 1 - shared.options.prior_cut, False):
                return NO_ROOM
            node.widened = True
        if leaf.depth == MAX_DEPTH - 1:
            return COLLIDED
        chosen = choose_edge(shared, node, leaf.depth)
        if chosen < 0 and not node.complete:
            # Every move that seemed worth a look loses: now all the others must be looked at.
            allow_legal(b, &leaf.allowed)
            if not widen(tree, node, b, &leaf.allowed, 1, True):
                return NO_ROOM
            chosen = choose_edge(shared, node, leaf.depth)
        if chosen < 0:
            prove_from_edges(tree, node)
            return PROVEN
        edge = edges_of(tree, node) + chosen
        leaf.edges[leaf.depth] = chosen
        play(b, edge.cell)
        if edge.child == NO_NODE:
            edge.child = find_or_make(tree, b.key)
            if edge.child == NO_NODE:
                undo(b)
                return NO_ROOM
        edge.inflight += 1
        number = edge.child
        leaf.depth += 1


cdef inline bint hot(const Shared* shared, const Node* node) noexcept nogil:
    return (shared.options.hot_visits and not node.solved
            and node.visits >= <uint32_t>shared.options.hot_visits)


cdef bint solve_hot(WorkerState* w, Node* node) noexcept nogil:
    """Looks for a win by threats at a node that matters. True if it is proven now."""
    cdef Shared* shared = w.shared
    cdef int nodes = 0, answer
    node.solved = True
    drop_lock(&shared.lock)
    answer = solve_vct(w.board, w.board.side, shared.options.hot_vct_nodes, w.vct_table, &w.line, &nodes)
    take_lock(&shared.lock)
    shared.solver_nodes += nodes
    if answer == VCT_WIN and node.proof == PROOF_UNKNOWN:
        node.proof = PROOF_WIN - w.line.length
        node.proof_move = w.line.cells[0]
    return node.proof != PROOF_UNKNOWN


cdef void ask(WorkerState* w, Node* node, int32_t number) noexcept nogil:
    """Notes an expanded node for the network; the simulation goes on without waiting."""
    cdef Request* request = &w.requests[w.request_count]
    request.node = number
    node.asked = True
    if node.complete:
        allow_edges(&w.shared.tree, node, &request.allowed)
    else:
        allow_legal(w.board, &request.allowed)
    write_features(w, w.request_count)
    w.request_count += 1
    w.shared.in_flight += 1         # keeps the node from being recycled


cdef inline void write_features(WorkerState* w, int slot) noexcept nogil:
    cdef BoardState* b = w.board
    line_features(b, b.side, w.line_tables[b.side], w.line_channels, w.line_scales,
                  w.features + slot * w.line_channels * b.width * b.height)


cdef int choose_edge(Shared* shared, const Node* node, int depth) noexcept nogil:
    cdef const Edge* edge = edges_of(&shared.tree, node)
    cdef int i
    if depth == 0 and shared.options.min_root_visits:
        for i in range(node.edge_count):
            if (edge[i].proof == PROOF_UNKNOWN
                    and edge[i].visits + edge[i].inflight < <uint32_t>shared.options.min_root_visits):
                return i
    return select_edge(&shared.tree, node, &shared.options.selection)


cdef void unwind(WorkerState* w, const Leaf* leaf) noexcept nogil:
    cdef int i
    for i in range(leaf.depth):
        undo(w.board)


cdef void cancel(Shared* shared, const Leaf* leaf) noexcept nogil:
    """Takes the virtual losses of a path back; the simulation never happened."""
    cdef int i
    for i in range(leaf.depth):
        edge_on(shared, leaf, i).inflight -= 1
    shared.in_flight -= 1


cdef inline Edge* edge_on(Shared* shared, const Leaf* leaf, int depth) noexcept nogil:
    return edges_of(&shared.tree, &shared.tree.nodes[leaf.nodes[depth]]) + leaf.edges[depth]


cdef void back_up(Shared* shared, const Leaf* leaf, double value, double draw) noexcept nogil:
    """Adds a result (for the side to move at the leaf) along the path, and carries proofs up as far as they reach."""
    cdef Tree* tree = &shared.tree
    cdef Node* node = &tree.nodes[leaf.nodes[leaf.depth]]
    cdef Edge* edge
    cdef int depth
    add_result(node, value, draw)
    for depth in range(leaf.depth - 1, -1, -1):
        node = &tree.nodes[leaf.nodes[depth]]
        edge = edge_on(shared, leaf, depth)
        edge.inflight -= 1
        value = 1 - value
        add_edge_result(tree, edge, value)
        if edge.proof != PROOF_UNKNOWN and prove_from_edges(tree, node):
            value = proof_value(node.proof)
        add_result(node, value, draw)
    shared.in_flight -= 1
    shared.simulations += 1
    shared.max_depth = max(shared.max_depth, leaf.depth)


cdef void back_up_proof(Shared* shared, const Leaf* leaf) noexcept nogil:
    cdef int proof = shared.tree.nodes[leaf.nodes[leaf.depth]].proof
    back_up(shared, leaf, proof_value(proof), 1.0 if proof == PROOF_DRAW else 0.0)


cdef double rolled_out(WorkerState* w) noexcept nogil:
    """Mean result of the leaf's rollouts for the side to move."""
    cdef Options* options = &w.shared.options
    cdef double total = 0
    cdef int i
    for i in range(options.rollouts):
        total += descend_in_style(w.board, &w.rng, options.rollout_plies, options.rollout_style)
    return total / options.rollouts


cdef inline void disturb(WorkerState* w, const Leaf* leaf, Node* node) noexcept nogil:
    """Noise on the fresh edges of an inner node, where it is wanted."""
    if w.shared.options.inner_noise > 0 and leaf.depth > 0:
        mix_noise(&w.shared.tree, node, w.shared.options.inner_noise, &w.rng)


cdef double value_by_shape(WorkerState* w) noexcept nogil:
    """Value of a leaf without a network: the static estimate and the rollouts."""
    cdef double share = w.shared.options.estimate_share
    return share * estimate(w.board) + ((1 - share) * rolled_out(w) if share < 1 else 0)


cdef bint enter_simulation(WorkerState* w) noexcept nogil:
    """Counts a simulation in and takes the lock. False (unlocked) when the search is over or the pools must be
    recycled first while others are still in flight."""
    cdef Shared* shared = w.shared
    if raised(&shared.stop):
        return False
    take_lock(&shared.lock)
    if shared.full:
        if shared.in_flight:
            drop_lock(&shared.lock)
            return False
        recycle(&shared.tree)
        shared.full = False
    if shared.tree.nodes[shared.tree.root].proof != PROOF_UNKNOWN:
        drop_lock(&shared.lock)
        return False
    shared.in_flight += 1
    return True


cdef int run_alone(WorkerState* w, int simulations) noexcept nogil:
    """Simulations with shape priors and rollouts; returns how many were finished."""
    cdef Shared* shared = w.shared
    cdef Leaf* leaf = &w.leaves[0]
    cdef Node* node
    cdef int ended, done = 0, waits = 0
    cdef double value
    while done < simulations and waits < 1000:
        if not enter_simulation(w):
            if raised(&shared.full) and not raised(&shared.stop):
                waits += 1
                give_way()
                continue
            break
        ended = descend(w, leaf)
        if ended == ARRIVED:
            drop_lock(&shared.lock)
            value = value_by_shape(w)
            take_lock(&shared.lock)
            node = &shared.tree.nodes[leaf.nodes[leaf.depth]]
            if expand_by_shape(&shared.tree, node, w.board, &leaf.allowed, shared.options.prior_cut):
                disturb(w, leaf, node)
                back_up(shared, leaf, value, 0)
                done += 1
            else:
                node.state = FRESH
                ended = NO_ROOM
        elif ended == PROVEN:
            back_up_proof(shared, leaf)
            done += 1
        if ended == COLLIDED or ended == NO_ROOM:
            cancel(shared, leaf)
            shared.full |= ended == NO_ROOM
        drop_lock(&shared.lock)
        unwind(w, leaf)
        if ended == COLLIDED:
            waits += 1
            give_way()
    return done


cdef int collect_leaves(WorkerState* w, int wanted) noexcept nogil:
    """Simulations until `wanted` leaves wait for the network; proven ones are backed up on the way.

    Returns the number of leaves, their features written; fewer when the search is over, the pools are full or the
    remaining tree is already being evaluated.
    """
    cdef Shared* shared = w.shared
    cdef int ended, in_vain = 0
    cdef Leaf* leaf
    while w.leaf_count < wanted and in_vain < MAX_COLLISIONS:
        if not enter_simulation(w):
            break
        leaf = &w.leaves[w.leaf_count]
        ended = descend(w, leaf)
        if ended == PROVEN:
            back_up_proof(shared, leaf)
            in_vain += 1
        elif ended != ARRIVED:
            cancel(shared, leaf)
            shared.full |= ended == NO_ROOM
            in_vain += 1
        drop_lock(&shared.lock)
        if ended == ARRIVED:
            leaf.rollout = rolled_out(w) if shared.options.rollout_share > 0 else 0
            write_features(w, w.leaf_count)
            w.leaf_count += 1
        unwind(w, leaf)
        if ended == NO_ROOM:
            break
    return w.leaf_count


cdef int collect_requests(WorkerState* w, int wanted, int simulations) noexcept nogil:
    """Simulations with shape priors and rollouts until `wanted` nodes that matter wait for the network, or all are
    done. Returns the number of requests, their features written."""
    cdef int left = simulations, now, done
    w.request_room = wanted
    while w.request_count < wanted and left > 0:
        now = min(left, wanted)
        done = run_alone(w, now)
        left -= done
        if done < now:
            break
    w.request_room = 0
    return w.request_count


cdef void apply_request(WorkerState* w, const Request* request, const float* logits, const float* wdl) noexcept nogil:
    cdef Shared* shared = w.shared
    cdef Node* node = &shared.tree.nodes[request.node]
    take_lock(&shared.lock)
    shared.full |= not refine_by_logits(&shared.tree, node, w.board.width, w.board.height, logits, &request.allowed,
                                        shared.options.prior_cut)
    node.network_value = wdl[0] + <float>0.5 * wdl[1]
    node.network_weight = shared.options.network_weight
    shared.in_flight -= 1
    drop_lock(&shared.lock)


cdef void apply_leaf(WorkerState* w, const Leaf* leaf, const float* logits, const float* wdl) noexcept nogil:
    cdef Shared* shared = w.shared
    cdef Node* node = &shared.tree.nodes[leaf.nodes[leaf.depth]]
    cdef double share = shared.options.rollout_share
    cdef double value = wdl[0] + 0.5 * wdl[1]
    value += share * (leaf.rollout - value)
    take_lock(&shared.lock)
    if expand_by_logits(&shared.tree, node, w.board.width, w.board.height, logits, &leaf.allowed,
                        shared.options.prior_cut):
        disturb(w, leaf, node)
        back_up(shared, leaf, value, wdl[1] * (1 - share))
    else:
        node.state = FRESH
        cancel(shared, leaf)
        shared.full = True
    drop_lock(&shared.lock)


cdef class Searcher:
    """The tree and the root position of a search.

    memory: bytes for the pools; seed: of rollouts and noise; other keywords: see DEFAULTS.
    """
    cdef Shared shared
    cdef Rng rng
    cdef dict values
    cdef const int16_t[:, ::1] black_table
    cdef const int16_t[:, ::1] white_table
    cdef const float[::1] scales

    def __cinit__(self, Py_ssize_t memory, *, seed=1, **tunables):
        memset(&self.shared, 0, sizeof(self.shared))
        if not tree_create(&self.shared.tree, memory):
            raise MemoryError(f"no memory for a search tree of {memory} bytes")
        self.shared.root_board = <BoardState*>malloc(sizeof(BoardState))
        if self.shared.root_board is NULL:
            raise MemoryError("no memory for a board")
        self.rng.state = seed
        self.values = DEFAULTS
        self.tune(**tunables)

    def __dealloc__(self):
        tree_free(&self.shared.tree)
        free(self.shared.root_board)

    def tune(self, **tunables):
        """Changes tunables (see DEFAULTS); ValueError names an unknown one."""
        unknown = tunables.keys() - DEFAULTS.keys()
        if unknown:
            raise ValueError(f"no such tunable: {', '.join(sorted(unknown))}")
        if not 0 <= tunables.get("policy", 0) < POLICIES:
            raise ValueError(f"no such selection policy: {tunables['policy']}")
        if not 0 <= tunables.get("rollout_style", 0) < STYLES:
            raise ValueError(f"no such rollout style: {tunables['rollout_style']}")
        self.values = values = {**self.values, **tunables}
        cdef SelectionOptions selection = {name: values[name] for name in SELECTION_TUNABLES}
        cdef SolverBudget budget = {name: values[name] for name in BUDGET_TUNABLES}
        rest = {name: value for name, value in values.items() if name not in SELECTION_TUNABLES + BUDGET_TUNABLES}
        self.shared.options = {"selection": selection, "budget": budget, **rest}

    @property
    def tunables(self):
        """Name -> value of every tunable."""
        return dict(self.values)

    def set_network(self, const int16_t[:, ::1] black_table, const int16_t[:, ::1] white_table,
                    const float[::1] scales):
        """The tabulated line part of a network for either side to move, for `Worker.select`."""
        cdef Py_ssize_t channels = scales.shape[0]
        if (channels == 0 or black_table.shape[0] != WINDOW_ROWS or black_table.shape[1] != channels
                or white_table.shape[0] != WINDOW_ROWS or white_table.shape[1] != channels):
            raise ValueError(f"a line table needs {WINDOW_ROWS} rows and a scale for each of its channels")
        self.black_table, self.white_table, self.scales = black_table, white_table, scales

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
        shared.simulations = 0
        shared.solver_nodes = 0
        shared.max_depth = 0
        shared.stop = False

    def forget(self):
        """Empties the tree. The root must be set again before the next run."""
        tree_clear(&self.shared.tree)

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
    def draw_rate(self):
        cdef Node* root = self.root()
        return root.draw_sum / root.visits if root.visits else 0.0

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
        """((cell, lead in visits) of the most visited open move, (cell, value) of the best-valued of those with at
        least a tenth of its visits); cells are NO_CELL when nothing was visited."""
        cdef Node* root = self.root()
        cdef Edge* edge = edges_of(&self.shared.tree, root)
        cdef int most = NO_CELL, best = NO_CELL
        cdef uint32_t first = 0, second = 0
        cdef float value = -1
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
        return (most, first - second), (best, value)

    def claim(self, int plies, int move):
        """Tells the tree what a deeper solver has proven of the root: won (plies > 0, by `move`) or lost."""
        cdef Node* root = self.root()
        root.proof = PROOF_WIN - plies if plies > 0 else -plies - PROOF_WIN
        root.proof_move = move

    def children(self):
        """The root's moves, likeliest prior first: (cell, visits, value, deviation, prior, plies to the proven end).

        value: mean win rate of the side to move; deviation: standard deviation of one result.
        """
        cdef Node* root = self.root()
        cdef Edge* edge = edges_of(&self.shared.tree, root)
        cdef Node* child
        cdef double mean, spread
        result = []
        for i in range(root.edge_count):
            spread = 0.5
            if edge[i].child != NO_NODE and self.shared.tree.nodes[edge[i].child].visits > 1:
                child = &self.shared.tree.nodes[edge[i].child]
                mean = child.value_sum / child.visits
                spread = sqrt(max(0.0, child.square_sum / child.visits - mean * mean))
            result.append((edge[i].cell, edge[i].visits, edge[i].value, spread, edge[i].prior / 65535.0,
                           plies_of(edge[i].proof)))
        return result

    def line(self, int first=NO_CELL):
        """The expected continuation, cells; begins with `first` when given."""
        cdef Tree* tree = &self.shared.tree
        cdef Node* node = self.root()
        cdef Edge* edge
        cdef Edge* best
        result = []
        while node.edge_count and len(result) < MAX_DEPTH:
            edge = edges_of(tree, node)
            best = NULL
            for i in range(node.edge_count):
                if first != NO_CELL:
                    if edge[i].cell == first:
                        best = &edge[i]
                elif edge[i].visits and (best is NULL or better_edge(&edge[i], best)):
                    best = &edge[i]
            first = NO_CELL
            if best is NULL:
                break
            result.append(best.cell)
            if best.child == NO_NODE:
                break
            node = &tree.nodes[best.child]
        if node.proof > PROOF_DRAW and node.edge_count == 0 and node.proof_move != NO_CELL:
            result.append(node.proof_move)
        return result

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


cdef object plies_of(int proof):
    if proof == PROOF_UNKNOWN:
        return None
    if proof == PROOF_DRAW:
        return 0
    return PROOF_WIN - proof if proof > 0 else -(proof + PROOF_WIN)


cdef class Worker:
    """Runs simulations of a searcher; one per thread. The GIL is free meanwhile."""
    cdef WorkerState* state
    cdef Searcher searcher

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
        self.state.board = <BoardState*>malloc(sizeof(BoardState))
        if self.state.vcf_table is NULL or self.state.vct_table is NULL or self.state.board is NULL:
            raise MemoryError("no memory for a worker")

    def __dealloc__(self):
        if self.state is not NULL:
            if self.state.vcf_table is not NULL:
                vcf_table_free(self.state.vcf_table)
            if self.state.vct_table is not NULL:
                vct_table_free(self.state.vct_table)
            free(self.state.board)
            free(self.state)

    cdef int follow_root(self) except -1:
        """Takes over the searcher's root position if it has changed."""
        self.searcher.root()
        if self.state.leaf_count or self.state.request_count:
            raise ValueError("leaves are waiting for their evaluation")
        if self.state.serial != self.state.shared.serial:
            memcpy(self.state.board, self.state.shared.root_board, sizeof(BoardState))
            self.state.serial = self.state.shared.serial
        return 0

    def run(self, int simulations):
        """Simulations with shape priors and rollouts. Returns how many were finished: fewer when the root is
        proven or the search was stopped."""
        cdef int done
        self.follow_root()
        with nogil:
            done = run_alone(self.state, simulations)
        return done

    def select(self, float[:, :, :, ::1] features, int wanted, int simulations=1 << 30):
        """Finds up to `wanted` positions for the network (leaves, or nodes visited often: see `network_visits`) and
        writes their line features into `features` [wanted or more, channels, height, width]. Returns how many, none
        perhaps when `simulations` were done first; each must be answered by `apply`."""
        cdef Searcher searcher = self.searcher
        cdef WorkerState* w = self.state
        cdef int count
        self.follow_root()
        if searcher.scales is None:
            raise ValueError("no network set")
        w.line_channels = searcher.scales.shape[0]
        if (features.shape[0] < wanted or features.shape[1] != w.line_channels or not 0 < wanted <= MAX_BATCH
                or features.shape[2] != w.board.height or features.shape[3] != w.board.width):
            raise ValueError("the feature buffer does not fit the batch, the network or the board")
        w.line_tables[0] = &searcher.black_table[0, 0]
        w.line_tables[1] = &searcher.white_table[0, 0]
        w.line_scales = &searcher.scales[0]
        w.features = &features[0, 0, 0, 0]
        with nogil:
            if w.shared.options.network_visits:
                count = collect_requests(w, wanted, simulations)
            else:
                count = collect_leaves(w, min(wanted, simulations))
        return count

    def apply(self, const float[:, ::1] logits, const float[:, ::1] wdl):
        """Takes the evaluations of the selected positions in order: policy logits [n, height * width] and win, draw,
        loss shares of the side to move [n, 3]."""
        cdef WorkerState* w = self.state
        cdef int i, leaves = w.leaf_count, requests = w.request_count
        if (logits.shape[0] < max(leaves, requests) or wdl.shape[0] < max(leaves, requests) or wdl.shape[1] != 3
                or logits.shape[1] != w.board.width * w.board.height):
            raise ValueError("the evaluations do not fit the leaves")
        w.leaf_count = w.request_count = 0
        with nogil:
            for i in range(leaves):
                apply_leaf(w, &w.leaves[i], &logits[i, 0], &wdl[i, 0])
            for i in range(requests):
                apply_request(w, &w.requests[i], &logits[i, 0], &wdl[i, 0])

    def drop(self):
        """Forgets leaves and requests that will not be evaluated."""
        cdef WorkerState* w = self.state
        cdef int i
        take_lock(&w.shared.lock)
        for i in range(w.leaf_count):
            w.shared.tree.nodes[w.leaves[i].nodes[w.leaves[i].depth]].state = FRESH
            cancel(w.shared, &w.leaves[i])
        for i in range(w.request_count):
            w.shared.tree.nodes[w.requests[i].node].asked = False
        w.shared.in_flight -= w.request_count
        drop_lock(&w.shared.lock)
        w.leaf_count = w.request_count = 0
