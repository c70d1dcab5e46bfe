"""Simulations: the walk down, the leaf, the way back up, alone or with a network outside.

Knows no Python: `search` is the face. Everything that touches the tree holds its lock.
"""

from cython_core.network.evaluator cimport sound
from cython_core.rules.board cimport play, undo
from cython_core.rules.lock cimport drop_lock, give_way, raised, take_lock
from cython_core.search.ancestors cimport POLICY_SAMPLES, descend_in_style
from cython_core.search.estimate cimport estimate
from cython_core.search.expansion cimport choose_by_logits, choose_by_shape, expand, widen
from cython_core.search.noise cimport mix_noise
from cython_core.search.resolution cimport allow_legal, resolve
from cython_core.search.selection cimport select_edge
from cython_core.search.tree cimport *
from cython_core.threats.vct cimport VCT_WIN, plies_of_win, solve_vct

cdef enum:                      # how a descent ended
    ARRIVED = 0                 # at a leaf that must be evaluated
    PROVEN = 1                  # at a node whose result is known
    COLLIDED = 2                # at a leaf another simulation is evaluating
    NO_ROOM = 3                 # a pool is full

cdef enum:                      # a node's next VCT search needs 8 times the visits and has 4 times the nodes
    HOT_VISIT_BITS = 3
    HOT_NODE_BITS = 2

cdef enum:
    MAX_COLLISIONS = 16         # descents in vain before a batch is handed out half full
    MAX_PROVEN = 64             # simulations that need no network before it is; their results matter to the others


cdef int descend(WorkerState* w, Leaf* leaf) noexcept nogil:
    """One walk from the root to a leaf. The lock is held on entry and on return; the board stays at the leaf.

    It may start at the leaf of the walk before: stones that both walks have in common are left where they are.
    """
    cdef Shared* shared = w.shared
    cdef Tree* tree = &shared.tree
    cdef BoardState* b = w.board
    cdef Resolution found
    cdef Node* node
    cdef Edge* edge
    cdef int chosen
    cdef bint after_calm
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
            go_back(w, leaf.depth)
            after_calm = leaf.depth > 0 and tree.nodes[leaf.nodes[leaf.depth - 1]].calm
            drop_lock(&shared.lock)
            resolve(b, &shared.options, after_calm, w.vcf_table, &w.line, &found)
            take_lock(&shared.lock)
            node.calm = found.calm
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
            choose_by_shape(b, &found.allowed, 1, &w.choice)
            if not expand(tree, node, &w.choice, &found.allowed):
                node.state = FRESH
                return NO_ROOM
        if hot(shared, node):
            go_back(w, leaf.depth)
            if solve_hot(w, node):
                return PROVEN
        if not node.complete and not node.widened and node.visits >= <uint32_t>shared.options.widen_visits:
            go_back(w, leaf.depth)
            allow_legal(b, &leaf.allowed)
            if not widen(tree, node, b, &leaf.allowed, 1 - shared.options.prior_cut, False):
                return NO_ROOM
            node.widened = True
        if leaf.depth == MAX_DEPTH - 1:
            return COLLIDED
        chosen = choose_edge(shared, node, leaf.depth)
        if not node.complete and (chosen < 0 or edges_of(tree, node)[chosen].proof == PROOF_DRAW):
            # Every move that seemed worth a look loses, or the best of them draws: now all the others are looked at.
            go_back(w, leaf.depth)
            allow_legal(b, &leaf.allowed)
            if not widen(tree, node, b, &leaf.allowed, 1 if chosen < 0 else 1 - shared.options.prior_cut, True):
                return NO_ROOM
            chosen = choose_edge(shared, node, leaf.depth)
        if chosen < 0:
            prove_from_edges(tree, node)
            return PROVEN
        edge = edges_of(tree, node) + chosen
        leaf.edges[leaf.depth] = chosen
        go_on(w, leaf.depth, edge.cell)
        if edge.child == NO_NODE:
            go_back(w, leaf.depth + 1)
            edge.child = find_or_make(tree, b.key)
            if edge.child == NO_NODE:
                return NO_ROOM
        edge.inflight += 1
        number = edge.child
        leaf.depth += 1


cdef inline void go_back(WorkerState* w, int depth) noexcept nogil:
    """Takes back what lies deeper on the board than this below the root. An evaluator that keeps up with the board is
    told; solvers and rollouts leave the board as they found it and need not tell."""
    while w.board.ply > w.shared.root_board.ply + depth:
        if w.seat.undo is not NULL:
            w.seat.undo(w.seat.own, w.board, w.board.moves[w.board.ply - 1].cell)
        undo(w.board)


cdef inline void go_on(WorkerState* w, int depth, int cell) noexcept nogil:
    """Makes this the move of the board at this depth, which it may be already."""
    cdef int ply = w.shared.root_board.ply + depth
    if w.board.ply > ply and w.board.moves[ply].cell == cell:
        return
    go_back(w, depth)
    play(w.board, cell)
    if w.seat.play is not NULL:
        w.seat.play(w.seat.own, w.board, cell)


cdef inline bint hot(const Shared* shared, const Node* node) noexcept nogil:
    """Has the node earned its next VCT search?"""
    return (shared.options.hot_visits and node.solved < shared.options.hot_searches
            and node.visits >= <uint64_t>shared.options.hot_visits << HOT_VISIT_BITS * node.solved)


cdef bint solve_hot(WorkerState* w, Node* node) noexcept nogil:
    """Looks for a win by threats at a node that matters. True if it is proven now."""
    cdef Shared* shared = w.shared
    cdef int nodes = 0, answer
    cdef int budget = shared.options.hot_vct_nodes << HOT_NODE_BITS * node.solved
    node.solved += 1
    drop_lock(&shared.lock)
    answer = solve_vct(w.board, w.board.side, budget, w.vct_table, &w.line, &nodes)
    take_lock(&shared.lock)
    shared.solver_nodes += nodes
    if answer == VCT_WIN and node.proof == PROOF_UNKNOWN:
        node.proof = PROOF_WIN - plies_of_win(w.vct_table)
        node.proof_move = w.line.cells[0]
    return node.proof != PROOF_UNKNOWN


cdef int choose_edge(Shared* shared, const Node* node, int depth) noexcept nogil:
    cdef const Edge* edge = edges_of(&shared.tree, node)
    cdef int i
    if depth == 0 and shared.first_move != NO_CELL:
        for i in range(node.edge_count):
            if edge[i].cell == shared.first_move and edge[i].proof == PROOF_UNKNOWN:
                return i
    if depth == 0 and shared.options.min_root_visits:
        for i in range(node.edge_count):
            if (edge[i].proof == PROOF_UNKNOWN
                    and edge[i].visits + edge[i].inflight < <uint32_t>shared.options.min_root_visits):
                return i
    return select_edge(&shared.tree, node, &shared.options)


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


cdef double rolled_out(WorkerState* w, const Leaf* leaf) noexcept nogil:
    """Mean result of the leaf's rollouts for the side to move."""
    cdef Tunables* options = &w.shared.options
    cdef double total = 0
    cdef int i, plies = options.rollout_plies
    if options.rollout_style == POLICY_SAMPLES:
        plies = max(0, plies - leaf.depth)  # S4 counts them from the root
    for i in range(options.rollouts):
        total += descend_in_style(w.board, &w.rng, plies, options.rollout_style)
    return total / options.rollouts


cdef inline void disturb(WorkerState* w, const Leaf* leaf, Node* node) noexcept nogil:
    """Noise on the fresh edges of an inner node, where it is wanted."""
    if w.shared.options.inner_noise > 0 and leaf.depth > 0:
        mix_noise(&w.shared.tree, node, w.shared.options.inner_noise, &w.rng)


cdef double evaluate_by_shape(WorkerState* w, const Leaf* leaf) noexcept nogil:
    """Chooses a leaf's moves without a network; its value by the static estimate and the rollouts."""
    cdef double share = w.shared.options.estimate_share
    choose_by_shape(w.board, &leaf.allowed, w.shared.options.prior_cut, &w.choice)
    return share * estimate(w.board) + ((1 - share) * rolled_out(w, leaf) if share < 1 else 0)


cdef double evaluate_by_answer(WorkerState* w, const Leaf* leaf, const float* logits, const float* wdl,
                               double* draw) noexcept nogil:
    """Chooses a leaf's moves by the evaluator's word; its value by that and the rollouts."""
    cdef double share = w.shared.options.rollout_share
    cdef double value = wdl[0] + 0.5 * wdl[1]
    choose_by_logits(w.board.width, w.board.height, logits, &leaf.allowed, w.shared.options.prior_cut, &w.choice)
    draw[0] = wdl[1] * (1 - share)
    return value + share * (leaf.rollout - value)


cdef double evaluate(WorkerState* w, Leaf* leaf, double* draw) noexcept nogil:
    """Chooses the moves of the leaf on the board and returns its value for the side to move. An evaluator that answers
    with NaN is noted, and shapes decide in its place."""
    cdef BoardState* b = w.board
    if w.seat.evaluate is not NULL:
        w.seat.evaluate(w.seat.own, b, w.logits, w.wdl)
        if sound(w.logits, b.width * b.height, w.wdl):
            leaf.rollout = rolled_out(w, leaf) if w.shared.options.rollout_share > 0 else 0
            return evaluate_by_answer(w, leaf, w.logits, w.wdl, draw)
        w.shared.failed = True
    draw[0] = 0
    return evaluate_by_shape(w, leaf)


cdef bint grow(WorkerState* w, const Leaf* leaf, double value, double draw) noexcept nogil:
    """Gives an evaluated leaf its edges and backs its value up, under the lock. False when there is no room for them."""
    cdef Shared* shared = w.shared
    cdef Node* node = &shared.tree.nodes[leaf.nodes[leaf.depth]]
    if not expand(&shared.tree, node, &w.choice, &leaf.allowed):
        node.state = FRESH
        return False
    disturb(w, leaf, node)
    back_up(shared, leaf, value, draw)
    return True


cdef bint enter_simulation(WorkerState* w) noexcept nogil:
    """Counts a simulation in and takes the lock. False (unlocked) when the search is over or the pools must be
    recycled first while others are still in flight."""
    cdef Shared* shared = w.shared
    if raised(&shared.stop):
        return False
    take_lock(&shared.lock)
    if shared.tree.nodes[shared.tree.root].proof != PROOF_UNKNOWN:
        drop_lock(&shared.lock)
        return False
    if shared.full:
        if shared.in_flight or raised(&shared.recycling_over):
            drop_lock(&shared.lock)
            return False
        recycle(&shared.tree)
        shared.full = False
    shared.in_flight += 1
    return True


cdef int run_alone(WorkerState* w, int simulations) noexcept nogil:
    cdef Shared* shared = w.shared
    cdef Leaf* leaf = &w.leaves[0]
    cdef int ended, done = 0, waits = 0
    cdef double value, draw
    while done < simulations and waits < 1000:
        if not enter_simulation(w):
            if raised(&shared.full) and not raised(&shared.stop) and not raised(&shared.recycling_over):
                waits += 1
                give_way()
                continue
            break
        ended = descend(w, leaf)
        if ended == ARRIVED:
            drop_lock(&shared.lock)
            value = evaluate(w, leaf, &draw)
            take_lock(&shared.lock)
            if grow(w, leaf, value, draw):
                done += 1
                waits = 0
            else:
                ended = NO_ROOM
        elif ended == PROVEN:
            back_up_proof(shared, leaf)
            done += 1
            waits = 0
        if ended == COLLIDED or ended == NO_ROOM:
            cancel(shared, leaf)
            shared.full |= ended == NO_ROOM
        drop_lock(&shared.lock)
        if ended == COLLIDED:
            waits += 1
            give_way()
        elif ended == NO_ROOM:
            waits += 100        # a pool too small for a single node must not keep us here
    return done


cdef int collect_leaves(WorkerState* w, int wanted) noexcept nogil:
    """Simulations until `wanted` leaves wait for an evaluator; proven ones are backed up on the way.

    Returns the number of leaves, their inputs written; fewer when the search is over, the pools are full or the
    remaining tree is already being evaluated.
    """
    cdef Shared* shared = w.shared
    cdef int ended, in_vain = 0, proven = 0
    cdef Leaf* leaf
    while w.leaf_count < wanted and in_vain < MAX_COLLISIONS and proven < MAX_PROVEN:
        if not enter_simulation(w):
            break
        leaf = &w.leaves[w.leaf_count]
        ended = descend(w, leaf)
        if ended == PROVEN:
            back_up_proof(shared, leaf)
            proven += 1
        elif ended != ARRIVED:
            cancel(shared, leaf)
            shared.full |= ended == NO_ROOM
            in_vain += 1
        drop_lock(&shared.lock)
        if ended == ARRIVED:
            leaf.rollout = rolled_out(w, leaf) if shared.options.rollout_share > 0 else 0
            w.seat.describe(w.seat.own, w.board,
                            w.inputs + w.leaf_count * w.seat.inputs * w.board.width * w.board.height)
            w.leaf_count += 1
        if ended == NO_ROOM:
            break
    return w.leaf_count


cdef void apply_leaf(WorkerState* w, const Leaf* leaf, const float* logits, const float* wdl) noexcept nogil:
    cdef Shared* shared = w.shared
    cdef double value, draw
    if not sound(logits, w.board.width * w.board.height, wdl):
        shared.failed = True
        take_lock(&shared.lock)
        drop(shared, leaf)
    else:
        value = evaluate_by_answer(w, leaf, logits, wdl, &draw)
        take_lock(&shared.lock)
        if not grow(w, leaf, value, draw):
            cancel(shared, leaf)
            shared.full = True
    drop_lock(&shared.lock)


cdef void drop(Shared* shared, const Leaf* leaf) noexcept nogil:
    """Makes a leaf what it was before, under the lock."""
    shared.tree.nodes[leaf.nodes[leaf.depth]].state = FRESH
    cancel(shared, leaf)


cdef void drop_all(WorkerState* w) noexcept nogil:
    cdef int i
    take_lock(&w.shared.lock)
    for i in range(w.leaf_count):
        drop(w.shared, &w.leaves[i])
    drop_lock(&w.shared.lock)
    w.leaf_count = 0
