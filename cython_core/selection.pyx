"""Selection policies. Each scores one edge; adding another is one function and one branch in `select_edge`.

Values are win rates in 0..1. The systems of bench/seeds.py count wins (S3) or +1, 0 and -1 (S0, S4); their
formulas are scaled accordingly.
Simulations in flight below an edge count as visits that lost.
"""

from libc.math cimport log, sqrt

from cython_core.tree cimport PROOF_DRAW, PROOF_UNKNOWN, Edge, edges_of, mean_value


cdef inline double value_with_losses(const Edge* edge) noexcept nogil:
    return edge.value * edge.visits / (edge.visits + edge.inflight)


cdef double ucb1_score(const Edge* edge, double parent_visits, double explore) noexcept nogil:
    cdef double visits = edge.visits + edge.inflight
    return value_with_losses(edge) + explore * sqrt(log(parent_visits + 1) / visits)


cdef double five_best_score(const Edge* edge) noexcept nogil:
    cdef double visits = edge.visits + edge.inflight
    return 2 * value_with_losses(edge) - 1 + (2 + 2 * (edge.prior / 65535.0)) / sqrt(1 + visits)


cdef double thresholds_score(const Edge* edge) noexcept nogil:
    cdef double visits = edge.visits + edge.inflight
    cdef double result = (2 * value_with_losses(edge) - 1) * visits if visits else 0
    return ((result > 0.85 * visits) + (result > 0.25 * visits)
            + (result + 10 * (edge.prior / 65535.0)) / (1 + visits))


cdef int select_puct(const Tree* tree, const Node* node, const SelectionOptions* options) noexcept nogil:
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


cdef int select_edge(const Tree* tree, const Node* node, const SelectionOptions* options) noexcept nogil:
    cdef const Edge* edge = edges_of(tree, node)
    cdef double score, best = -1e9
    cdef int i, chosen = -1, count = node.edge_count
    if options.policy == PUCT:
        return select_puct(tree, node, options)
    if options.policy == FIVE_BEST:
        count = min(count, 5)
    for i in range(count):
        if edge[i].proof != PROOF_UNKNOWN:
            if edge[i].proof > PROOF_DRAW:
                return i
            if edge[i].proof < PROOF_UNKNOWN:
                continue
        if options.policy == THRESHOLDS:
            score = thresholds_score(&edge[i])
        elif edge[i].visits + edge[i].inflight == 0:
            return i
        elif options.policy == UCB1:
            score = ucb1_score(&edge[i], node.visits, options.explore)
        else:
            score = five_best_score(&edge[i])
        if score > best:
            best = score
            chosen = i
    if chosen < 0 and count < node.edge_count:
        # S0 looks at five moves only; when all five lose, any other is better.
        for i in range(count, node.edge_count):
            if edge[i].proof == PROOF_UNKNOWN or edge[i].proof == PROOF_DRAW:
                return i
    return chosen
