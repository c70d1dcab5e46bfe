"""Edges from priors. A complete node (every move that can matter is allowed) keeps all its moves; any other keeps
the likeliest until their priors sum up to `prior_cut`, and gets the rest when it is visited often or all seem lost.
"""

from libc.math cimport expf
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from cython_core.priors cimport candidates, prior_weight
from cython_core.tree cimport EXPANDED, NO_NODE, PROOF_UNKNOWN, Edge, edges_of, reserve_edges

ctypedef struct Weighted:
    float weight
    int16_t cell


cdef int heavier_first(const void* a, const void* b) noexcept nogil:
    cdef const Weighted* left = <const Weighted*>a
    cdef const Weighted* right = <const Weighted*>b
    if left.weight != right.weight:
        return 1 if left.weight < right.weight else -1
    return left.cell - right.cell


cdef inline bint is_in(const uint32_t* rows, int cell) noexcept nogil:
    return rows[cell >> 5] >> (cell & 31) & 1


cdef int drop_negligible(Weighted* moves, int count, double rest) noexcept nogil:
    """Removes moves so light that all of them together stay below `rest`: sorting them would be wasted."""
    cdef int i, kept = 0
    cdef float least = rest / count
    for i in range(count):
        if moves[i].weight >= least:
            moves[kept] = moves[i]
            kept += 1
    return kept


cdef bint append_edges(
    Tree* tree, Node* node, Weighted* moves, int count, double total, float mass, float cut
) noexcept nogil:
    """Adds edges for the moves in order of weight until `cut` of the total; priors are shares of `mass`."""
    cdef Edge* edge
    cdef double seen = 0
    cdef int i, kept = 0
    count = drop_negligible(moves, count, (1 - cut) * total)
    qsort(moves, count, sizeof(Weighted), heavier_first)
    while kept < count and (kept == 0 or seen < cut * total):
        seen += moves[kept].weight
        kept += 1
    if not reserve_edges(tree, node, node.edge_count + kept):
        return False
    edge = edges_of(tree, node) + node.edge_count
    for i in range(kept):
        memset(&edge[i], 0, sizeof(Edge))
        edge[i].cell = moves[i].cell
        edge[i].child = NO_NODE
        edge[i].prior = <uint16_t>min(65535.0, 65535.0 * mass * moves[i].weight / total + 0.5)
    node.edge_count += kept
    node.state = EXPANDED
    return True


cdef bint make_edges(
    Tree* tree, Node* node, Weighted* moves, int count, double total, const Allowed* allowed, float prior_cut
) noexcept nogil:
    """The first edges of a node, all of them when it is complete."""
    if not append_edges(tree, node, moves, count, total, 1, 2 if allowed.complete else prior_cut):
        return False
    node.complete = allowed.complete or node.edge_count == allowed.count
    return True


cdef bint expand_by_shape(
    Tree* tree, Node* node, const BoardState* b, const Allowed* allowed, float prior_cut
) noexcept nogil:
    cdef Weighted moves[CELLS]
    cdef int16_t cells[CELLS]
    cdef int i, cell, count = 0, near
    cdef double total = 0
    if allowed.complete:
        near = rows_to_cells(allowed.rows, cells)
    else:
        near = candidates(b, cells)
    for i in range(near):
        cell = cells[i]
        if is_in(allowed.rows, cell):
            moves[count].cell = cell
            moves[count].weight = prior_weight(b, cell, b.side) + <float>1e-6
            total += moves[count].weight
            count += 1
    if count == 0:      # nothing near a stone is allowed
        count = rows_to_cells(allowed.rows, cells)
        for i in range(count):
            moves[i].cell = cells[i]
            moves[i].weight = 1
        total = count
    return make_edges(tree, node, moves, count, total, allowed, prior_cut)


cdef int weigh_logits(
    int width, int height, const float* logits, const Allowed* allowed, Weighted* moves, double* total
) noexcept nogil:
    """The allowed moves with their share of the policy, unnormalised; their sum in `total`."""
    cdef int x, y, count = 0
    cdef float highest = -1e30
    total[0] = 0
    for y in range(height):
        for x in range(width):
            if allowed.rows[y] >> x & 1 and logits[y * width + x] > highest:
                highest = logits[y * width + x]
    for y in range(height):
        for x in range(width):
            if allowed.rows[y] >> x & 1:
                moves[count].weight = expf(logits[y * width + x] - highest)
                if moves[count].weight < 1e-5 and not allowed.complete:
                    continue        # never reached before the cut; saves sorting it
                moves[count].cell = y * STRIDE + x
                total[0] += moves[count].weight
                count += 1
    return count


cdef bint expand_by_logits(
    Tree* tree, Node* node, int width, int height, const float* logits, const Allowed* allowed, float prior_cut
) noexcept nogil:
    cdef Weighted moves[CELLS]
    cdef double total
    cdef int count = weigh_logits(width, height, logits, allowed, moves, &total)
    return make_edges(tree, node, moves, count, total, allowed, prior_cut)


cdef int rows_to_cells(const uint32_t* rows, int16_t* cells) noexcept nogil:
    cdef int y, x, count = 0
    for y in range(MAX_SIZE):
        if rows[y]:
            for x in range(MAX_SIZE):
                if rows[y] >> x & 1:
                    cells[count] = y * STRIDE + x
                    count += 1
    return count


cdef bint widen(
    Tree* tree, Node* node, const BoardState* b, const Allowed* allowed, float mass, bint all
) noexcept nogil:
    cdef uint32_t rest[MAX_SIZE]
    cdef Weighted moves[CELLS]
    cdef int16_t cells[CELLS]
    cdef Edge* edge = edges_of(tree, node)
    cdef int i, near, count = 0
    cdef double total = 0
    memcpy(rest, allowed.rows, sizeof(rest))
    for i in range(node.edge_count):
        rest[edge[i].cell >> 5] &= ~(<uint32_t>1 << (edge[i].cell & 31))
    near = rows_to_cells(rest, cells) if all else candidates(b, cells)
    for i in range(near):
        if is_in(rest, cells[i]):
            moves[count].cell = cells[i]
            moves[count].weight = prior_weight(b, cells[i], b.side) + <float>1e-6
            total += moves[count].weight
            count += 1
    if count and not append_edges(tree, node, moves, count, total, mass, 2):
        return False
    if all:
        node.complete = True
    return True
