"""Which move to try first where a similar position is proven already.

Most replies to a threat change nothing about how it goes on, counter-fours least of all: what wins after one reply
is the best guess after the next. Only the order of the search depends on it, never a proof.
"""

from cython_core.threats.vct_graph cimport NO_NODE, VctEdge


cdef inline bint is_proven(const VctTable* table, const VctEdge* edge) noexcept nogil:
    return edge.child != NO_NODE and table.nodes[edge.child].proof == 0


cdef int winning_move(const VctTable* table, int won, int* child) noexcept nogil:
    cdef const VctNode* node = &table.nodes[won]
    cdef const VctEdge* edge
    cdef int i
    child[0] = NO_NODE
    if node.line_length:
        return table.lines[node.line]
    for i in range(node.edges, node.edges + node.edge_count):
        edge = &table.edges[i]
        if is_proven(table, edge):
            child[0] = edge.child
            return edge.cell
    return NO_CELL


cdef void prefer(VctTable* table, const VctNode* node, int cell, int proof) noexcept nogil:
    cdef int i
    for i in range(node.edges, node.edges + node.edge_count):
        if table.edges[i].cell == cell:
            table.edges[i].first_proof = proof
            return


cdef int similar_win(const VctTable* table, const VctNode* node, int model, int reply) noexcept nogil:
    cdef const VctNode* like
    cdef const VctEdge* edge
    cdef int i, found = NO_NODE
    if model != NO_NODE:
        like = &table.nodes[model]
        for i in range(like.edges, like.edges + like.edge_count):
            edge = &table.edges[i]
            if is_proven(table, edge):
                found = edge.child
                if edge.cell == reply:
                    return found
    for i in range(node.edges, node.edges + node.edge_count):
        edge = &table.edges[i]
        if is_proven(table, edge):
            return edge.child
    return found
