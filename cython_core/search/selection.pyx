"""Renga's selection policy, PUCT; those of the systems before it are in `ancestors`.

Simulations in flight below an edge count as visits that lost.
"""

from libc.math cimport log, sqrt

from cython_core.search.ancestors cimport select_as_ancestor
from cython_core.search.tree cimport PROOF_DRAW, PROOF_UNKNOWN, Edge, edges_of, mean_value, value_with_losses


cdef int select_puct(const Tree* tree, const Node* node, const Tunables* options) noexcept nogil:
    cdef const Edge* edge = edges_of(tree, node)
    cdef double parent = mean_value(node)
    cdef double visited_prior = 0, in_flight = 0, score, best = -1e9, visits, value
    cdef int i, chosen = -1, unvisited = -1
    cdef double scale = options.explore + options.explore_log * log(1 + node.visits / options.explore_base)
    for i in range(node.edge_count):
        in_flight += edge[i].inflight
    scale *= sqrt(node.visits + in_flight + 1)
    for i in range(node.edge_count):
        if edge[i].proof != PROOF_UNKNOWN:
            if edge[i].proof > PROOF_DRAW:
                return i
            if edge[i].proof < PROOF_UNKNOWN:
                continue
        visits = edge[i].visits + edge[i].inflight
        if visits == 0:
            # All unvisited moves are thought equal, so only the one with the largest prior can be chosen.
            if unvisited < 0 or edge[i].prior > edge[unvisited].prior:
                unvisited = i
            continue
        visited_prior += edge[i].prior
        value = value_with_losses(&edge[i])
        score = value + scale * (edge[i].prior / 65535.0) / (1 + visits)
        if score > best:
            best = score
            chosen = i
    if unvisited >= 0:
        value = max(0.0, parent - options.fpu_reduction * sqrt(visited_prior / 65535.0))
        if value + scale * (edge[unvisited].prior / 65535.0) > best:
            chosen = unvisited
    return chosen


cdef int select_edge(const Tree* tree, const Node* node, const Tunables* options) noexcept nogil:
    if options.policy == PUCT:
        return select_puct(tree, node, options)
    return select_as_ancestor(tree, node, options.policy, options.explore)
