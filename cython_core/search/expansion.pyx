"""Edges from priors. A complete node (every move that can matter is allowed) keeps all its moves; any other keeps
the likeliest until their priors sum up to `prior_cut`, and gets the rest when it is visited often or all seem lost.
"""

from libc.math cimport expf
from libc.string cimport memcpy, memset

from cython_core.rules.cellset cimport drop_cell, is_in, list_row
from cython_core.search.priors cimport Weigher, candidates, prior_weight, weigher_of
from cython_core.search.tree cimport EXPANDED, NO_NODE, Edge, edges_of, reserve_edges

cdef enum:
    EVERY_MOVE = 2              # a cut that no sum of priors reaches

cdef int[5] GAPS = [57, 23, 10, 4, 1]


cdef inline bint heavier(Weighted a, Weighted b) noexcept nogil:
    return a.weight > b.weight or (a.weight == b.weight and a.cell < b.cell)


cdef void heaviest_first(Weighted* moves, int count) noexcept nogil:
    """Shell sort: some dozen moves at every leaf, where a library's sort spends its time on calls and memory."""
    cdef Weighted move
    cdef int gap, i, j, step
    for step in range(5):
        gap = GAPS[step]
        for i in range(gap, count):
            move = moves[i]
            j = i
            while j >= gap and heavier(move, moves[j - gap]):
                moves[j] = moves[j - gap]
                j -= gap
            moves[j] = move


cdef void sort_moves(Choice* choice, float cut) noexcept nogil:
    """Heaviest first, as many as are needed for `cut` of the total.

    Moves so light that all of them together cannot matter are dropped before: sorting them would be wasted.
    """
    cdef Weighted* moves = choice.moves
    cdef int i, kept = 0
    cdef float least = (1 - cut) * choice.total / choice.count
    cdef double seen = 0
    for i in range(choice.count):
        if moves[i].weight >= least:
            moves[kept] = moves[i]
            kept += 1
    heaviest_first(moves, kept)
    choice.count = 0
    while choice.count < kept and (choice.count == 0 or seen < cut * choice.total):
        seen += moves[choice.count].weight
        choice.count += 1


cdef inline void add_move(Choice* choice, int cell, float weight) noexcept nogil:
    choice.moves[choice.count].cell = cell
    choice.moves[choice.count].weight = weight
    choice.total += weight
    choice.count += 1


cdef void choose_by_shape(
    const BoardState* b, const Allowed* allowed, float prior_cut, Choice* choice
) noexcept nogil:
    cdef int16_t cells[CELLS]
    cdef int i, near
    cdef Weigher weigher = weigher_of(b, b.side)
    choice.count = 0
    choice.total = 0
    near = rows_to_cells(allowed.rows, cells) if allowed.complete else candidates(b, cells)
    for i in range(near):
        if is_in(allowed.rows, cells[i]):
            add_move(choice, cells[i], prior_weight(&weigher, cells[i]) + <float>1e-6)
    if choice.count == 0:       # nothing near a stone is allowed
        near = rows_to_cells(allowed.rows, cells)
        for i in range(near):
            add_move(choice, cells[i], 1)
    sort_moves(choice, EVERY_MOVE if allowed.complete else prior_cut)


cdef void choose_by_logits(
    int width, int height, const float* logits, const Allowed* allowed, float prior_cut, Choice* choice
) noexcept nogil:
    cdef int x, y
    cdef float highest = -1e30
    choice.count = 0
    choice.total = 0
    for y in range(height):
        for x in range(width):
            if allowed.rows[y] >> x & 1 and logits[y * width + x] > highest:
                highest = logits[y * width + x]
    for y in range(height):
        for x in range(width):
            if allowed.rows[y] >> x & 1:
                add_move(choice, y * STRIDE + x, expf(logits[y * width + x] - highest))
    sort_moves(choice, EVERY_MOVE if allowed.complete else prior_cut)


cdef bint append_edges(Tree* tree, Node* node, const Choice* choice, float mass) noexcept nogil:
    """Adds an edge for each move; priors are shares of `mass`."""
    cdef Edge* edge
    cdef int i
    if not reserve_edges(tree, node, node.edge_count + choice.count):
        return False
    edge = edges_of(tree, node) + node.edge_count
    for i in range(choice.count):
        memset(&edge[i], 0, sizeof(Edge))
        edge[i].cell = choice.moves[i].cell
        edge[i].child = NO_NODE
        edge[i].prior = <uint16_t>min(65535.0, 65535.0 * mass * choice.moves[i].weight / choice.total + 0.5)
    node.edge_count += choice.count
    node.state = EXPANDED
    return True


cdef bint expand(Tree* tree, Node* node, const Choice* choice, const Allowed* allowed) noexcept nogil:
    if not append_edges(tree, node, choice, 1):
        return False
    node.complete = allowed.complete if allowed.complete else node.edge_count == allowed.count
    return True


cdef int rows_to_cells(const uint32_t* rows, int16_t* cells) noexcept nogil:
    cdef int y, x, count = 0
    for y in range(MAX_SIZE):
        count = list_row(y, rows[y], cells, count)
    return count


cdef bint widen(
    Tree* tree, Node* node, const BoardState* b, const Allowed* allowed, float mass, bint all
) noexcept nogil:
    cdef Choice choice
    cdef uint32_t rest[MAX_SIZE]
    cdef int16_t cells[CELLS]
    cdef Edge* edge = edges_of(tree, node)
    cdef Weigher weigher = weigher_of(b, b.side)
    cdef int i, near
    choice.count = 0
    choice.total = 0
    memcpy(rest, allowed.rows, sizeof(rest))
    for i in range(node.edge_count):
        drop_cell(rest, edge[i].cell)
    near = rows_to_cells(rest, cells) if all else candidates(b, cells)
    for i in range(near):
        if is_in(rest, cells[i]):
            add_move(&choice, cells[i], prior_weight(&weigher, cells[i]) + <float>1e-6)
    if choice.count:
        sort_moves(&choice, EVERY_MOVE)
        if not append_edges(tree, node, &choice, mass):
            return False
    node.complete = all or node.edge_count == allowed.count
    return True
