"""The search tree as bytes, and back: nodes in the order of a walk, each with its edges.

No key and no number of a node is stored: the walk plays every move on a board and finds the node by what it sees there. So
whatever the bytes are, the tree is sound and has no move that the rules do not allow; only opinions can be wrong.
"""

from libc.math cimport isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cython_core.rules.board cimport EMPTY, on_board, play, undo
from cython_core.rules.forbidden cimport is_foul
from cython_core.rules.typedefs cimport *
from cython_core.search.tree cimport *

cdef enum:
    CHUNK = 1 << 20

ctypedef packed struct PackedNode:
    double value_sum
    float square_sum
    float draw_sum
    uint32_t visits
    int16_t proof
    int16_t proof_move
    uint16_t edge_count
    uint8_t expanded
    uint8_t complete
    uint8_t widened
    uint8_t solved
    uint8_t calm

ctypedef packed struct PackedEdge:
    int16_t cell
    uint16_t prior
    int16_t proof
    uint32_t visits
    float value
    uint8_t has_child

ctypedef struct Walk:
    int32_t nodes[CELLS + 1]    # from the root to where we are
    int edges[CELLS + 1]        # of each: the next edge to look at
    int depth


cdef object pack_tree(Tree* tree, BoardState* b, object write):
    cdef Walk walk
    cdef int32_t number
    cdef Node* node
    cdef Edge* edge
    cdef int64_t count = 0, used = 0
    cdef char* chunk = <char*>malloc(CHUNK + sizeof(PackedNode) + CELLS * sizeof(PackedEdge))
    if chunk is NULL:
        raise MemoryError("no memory to write the tree")
    try:
        for number in range(tree.node_top):
            tree.nodes[number].mark = 0
        number = find(tree, b.key)
        if number == NO_NODE:
            return 0
        begin_walk(tree, &walk, number)
        used = pack_node(tree, number, chunk)
        count = 1
        while walk.depth >= 0:
            node = &tree.nodes[walk.nodes[walk.depth]]
            if walk.edges[walk.depth] == node.edge_count:
                walk.depth -= 1
                continue
            edge = edges_of(tree, node) + walk.edges[walk.depth]
            walk.edges[walk.depth] += 1
            if edge.child == NO_NODE or tree.nodes[edge.child].mark:
                continue
            step_down(tree, &walk, edge.child)
            used += pack_node(tree, edge.child, chunk + used)
            count += 1
            if used >= CHUNK:
                write(chunk[:used])
                used = 0
        write(chunk[:used])
        return count
    finally:
        free(chunk)


cdef void begin_walk(Tree* tree, Walk* walk, int32_t root) noexcept nogil:
    walk.depth = -1
    step_down(tree, walk, root)


cdef void step_down(Tree* tree, Walk* walk, int32_t number) noexcept nogil:
    walk.depth += 1
    walk.nodes[walk.depth] = number
    walk.edges[walk.depth] = 0
    tree.nodes[number].mark = 1


cdef int64_t pack_node(const Tree* tree, int32_t number, char* out) noexcept nogil:
    """Writes a node and its edges; returns how many bytes."""
    cdef const Node* node = &tree.nodes[number]
    cdef const Edge* edge = tree.edges + node.edges
    cdef PackedNode packed
    cdef PackedEdge thin
    cdef int64_t used = sizeof(PackedNode)
    cdef int i
    packed.value_sum = node.value_sum
    packed.square_sum = node.square_sum
    packed.draw_sum = node.draw_sum
    packed.visits = node.visits
    packed.proof = node.proof
    packed.proof_move = node.proof_move
    packed.edge_count = node.edge_count
    packed.expanded = node.state == EXPANDED
    packed.complete = node.complete
    packed.widened = node.widened
    packed.solved = node.solved
    packed.calm = node.calm
    memcpy(out, &packed, sizeof(PackedNode))
    for i in range(node.edge_count):
        thin.cell = edge[i].cell
        thin.prior = edge[i].prior
        thin.proof = edge[i].proof
        thin.visits = edge[i].visits
        thin.value = edge[i].value
        thin.has_child = edge[i].child != NO_NODE
        memcpy(out + used, &thin, sizeof(PackedEdge))
        used += sizeof(PackedEdge)
    return used


cdef object unpack_tree(Tree* tree, BoardState* b, object read):
    cdef int64_t count
    try:
        count = unpack_walk(tree, b, read)
    except BaseException:
        tree_clear(tree)
        raise
    return count


cdef int64_t unpack_walk(Tree* tree, BoardState* b, object read) except -1:
    cdef Walk walk
    cdef int32_t number
    cdef Node* node
    cdef Edge* edge
    cdef int64_t count = 1
    tree_clear(tree)
    tree.root = find_or_make(tree, b.key)
    begin_walk(tree, &walk, tree.root)
    unpack_node(tree, tree.root, b, read)
    while True:
        node = &tree.nodes[walk.nodes[walk.depth]]
        if walk.edges[walk.depth] == node.edge_count:
            walk.depth -= 1
            if walk.depth < 0:
                return count
            undo(b)
            continue
        edge = edges_of(tree, node) + walk.edges[walk.depth]
        walk.edges[walk.depth] += 1
        if edge.child == NO_NODE:
            continue
        play(b, edge.cell)
        number = find_or_make(tree, b.key)
        if number == NO_NODE:
            raise ValueError("it has more positions than there is memory for")
        edge.child = number
        if tree.nodes[number].mark:
            undo(b)
            continue
        step_down(tree, &walk, number)
        unpack_node(tree, number, b, read)
        count += 1


cdef int unpack_node(Tree* tree, int32_t number, BoardState* b, object read) except -1:
    """Reads one node and its edges; `child` says of an edge no more than whether there is one."""
    cdef PackedNode packed
    cdef PackedEdge thin
    cdef Node* node = &tree.nodes[number]
    cdef Edge* edge
    cdef uint8_t seen[CELLS]
    cdef bytes data = wanted(read, sizeof(PackedNode))
    cdef int i
    memcpy(&packed, <const char*>data, sizeof(PackedNode))
    if not (is_share(packed.value_sum, packed.visits) and is_share(packed.square_sum, packed.visits)
            and is_share(packed.draw_sum, packed.visits) and is_proof(packed.proof)
            and packed.edge_count <= (b.empties if b.winner == EMPTY else 0)
            # Else it would be expanded once more, and have more edges than `pack_tree` has room for.
            and (packed.expanded or packed.edge_count == 0)
            and (packed.proof_move == NO_CELL or is_move(b, packed.proof_move))):
        raise ValueError("it is damaged, or of another position")
    node.value_sum = packed.value_sum
    node.square_sum = packed.square_sum
    node.draw_sum = packed.draw_sum
    node.visits = packed.visits
    node.proof = packed.proof
    node.proof_move = packed.proof_move
    node.complete = packed.complete
    node.widened = packed.widened != 0
    node.solved = packed.solved
    node.calm = packed.calm != 0
    node.state = EXPANDED if packed.expanded and (packed.edge_count or packed.proof != PROOF_UNKNOWN) else FRESH
    if packed.edge_count == 0:
        return 0
    if not reserve_edges(tree, node, packed.edge_count):
        raise ValueError("it has more moves than there is memory for")
    memset(seen, 0, sizeof(seen))
    data = wanted(read, packed.edge_count * sizeof(PackedEdge))
    edge = edges_of(tree, node)
    for i in range(packed.edge_count):
        memcpy(&thin, <const char*>data + i * sizeof(PackedEdge), sizeof(PackedEdge))
        if not (is_move(b, thin.cell) and not seen[thin.cell] and is_proof(thin.proof) and is_share(thin.value, 1)):
            raise ValueError("it is damaged, or of another position")
        seen[thin.cell] = 1
        edge[i].cell = thin.cell
        edge[i].prior = thin.prior
        edge[i].proof = thin.proof
        edge[i].inflight = 0
        edge[i].visits = thin.visits
        edge[i].child = 0 if thin.has_child else NO_NODE
        edge[i].value = thin.value
    node.edge_count = packed.edge_count
    return 0


cdef bytes wanted(object read, Py_ssize_t size):
    cdef bytes data = read(size)
    if len(data) != size:
        raise ValueError("it ends too early")
    return data


cdef bint is_share(double sum, double of) noexcept nogil:
    """Is this a sum of `of` numbers within 0..1, as far as rounding tells?"""
    return isfinite(sum) and -1e-3 * (of + 1) <= sum <= of + 1e-3 * (of + 1)


cdef bint is_proof(int proof) noexcept nogil:
    return -PROOF_WIN <= proof <= PROOF_WIN


cdef bint is_move(BoardState* b, int cell) noexcept nogil:
    return on_board(b, cell) and b.cells[cell].stone == EMPTY and not (b.side == BLACK and is_foul(b, cell))
