"""How the systems before Renga chose: their selection policies, and their rollouts.

S0's fast descent, S3's biased simulations, S4's samples of a policy. Values are win rates in 0..1 here; those systems
count wins (S3) or +1, 0 and -1 (S0, S4): their formulas are scaled accordingly.
"""

from libc.math cimport log, sqrt

from cython_core.rules.board cimport STEP, cells_of_class, play, undo
from cython_core.rules.patterns cimport *
from cython_core.search.priors cimport Weigher, candidates, prior_weight, weigher_of
from cython_core.search.rollouts cimport drawn_cell, rollout
from cython_core.search.tree cimport PROOF_DRAW, PROOF_UNKNOWN, Edge, edges_of, value_with_losses


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


cdef int select_as_ancestor(const Tree* tree, const Node* node, int policy, double explore) noexcept nogil:
    cdef const Edge* edge = edges_of(tree, node)
    cdef double score, best = -1e9
    cdef int i, chosen = -1, count = node.edge_count
    if policy == FIVE_BEST:
        count = min(count, 5)
    for i in range(count):
        if edge[i].proof != PROOF_UNKNOWN:
            if edge[i].proof > PROOF_DRAW:
                return i
            if edge[i].proof < PROOF_UNKNOWN:
                continue
        if policy == THRESHOLDS:
            score = thresholds_score(&edge[i])
        elif edge[i].visits + edge[i].inflight == 0:
            return i
        elif policy == UCB1:
            score = ucb1_score(&edge[i], node.visits, explore)
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


cdef int equal_chances(BoardState* b, Rng* rng, int16_t* cells, int count) noexcept nogil:
    cdef float weights[CELLS]
    cdef int i
    for i in range(count):
        weights[i] = 1
    return drawn_cell(b, rng, cells, weights, count)


cdef int five_to_make_or_stop(BoardState* b, Rng* rng, bint stops) noexcept nogil:
    cdef int16_t cells[CELLS]
    cdef int cell = equal_chances(b, rng, cells, cells_of_class(b, b.side, CLASS_FIVE, cells))
    if cell == NO_CELL and stops:
        cell = equal_chances(b, rng, cells, cells_of_class(b, 1 - b.side, CLASS_FIVE, cells))
    return cell


cdef bint has_neighbour(const BoardState* b, int cell) noexcept nogil:
    cdef int direction
    for direction in range(DIRECTIONS):
        # Cells off the board count as BLOCKED: only real colours are neighbours.
        if b.cells[cell].ahead[direction] and b.cells[cell + STEP[direction]].stone < BLOCKED:
            return True
        if b.cells[cell].behind[direction] and b.cells[cell - STEP[direction]].stone < BLOCKED:
            return True
    return False


cdef int fast_descent_cell(BoardState* b, Rng* rng) noexcept nogil:
    cdef int16_t cells[CELLS]
    cdef int16_t near[CELLS]
    cdef int colour, klass, i, count = 0, total
    cdef int cell = five_to_make_or_stop(b, rng, True)
    if cell != NO_CELL:
        return cell
    # To touch a three is to make a four of it, or to keep the other side from doing so.
    for colour in range(2):
        for klass in range(CLASS_FOUR, CLASS_OPEN_FOUR + 1):
            count += cells_of_class(b, colour, klass, cells + count)
    cell = equal_chances(b, rng, cells, count)
    if cell != NO_CELL:
        return cell
    total = candidates(b, cells)
    count = 0
    for i in range(total):
        if has_neighbour(b, cells[i]):
            near[count] = cells[i]
            count += 1
    cell = equal_chances(b, rng, near, count)
    return cell if cell != NO_CELL else equal_chances(b, rng, cells, total)


cdef int threats_along_lines(int shapes) noexcept nogil:
    cdef int direction, threats = 0
    for direction in range(DIRECTIONS):
        threats += FOUR <= ((shapes >> (4 * direction)) & 15) <= FIVE
    return threats


cdef int biased_cell(BoardState* b, Rng* rng) noexcept nogil:
    cdef int16_t cells[CELLS]
    cdef float weights[CELLS]
    cdef int i, count, x, y, edge
    cdef int cell = five_to_make_or_stop(b, rng, True)
    if cell != NO_CELL:
        return cell
    count = candidates(b, cells)
    for i in range(count):
        x = cells[i] % STRIDE
        y = cells[i] // STRIDE
        edge = min(min(x, b.width - 1 - x), min(y, b.height - 1 - y))
        weights[i] = (edge / <float>3 + 1 + threats_along_lines(b.cells[cells[i]].shapes[b.side])
                      + threats_along_lines(b.cells[cells[i]].shapes[1 - b.side]))
    return drawn_cell(b, rng, cells, weights, count)


cdef int policy_cell(BoardState* b, Rng* rng) noexcept nogil:
    cdef int16_t cells[CELLS]
    cdef float weights[CELLS]
    cdef int i, count
    cdef int cell = five_to_make_or_stop(b, rng, False)
    if cell != NO_CELL:
        return cell
    cdef Weigher weigher = weigher_of(b, b.side)
    count = candidates(b, cells)
    for i in range(count):
        weights[i] = prior_weight(&weigher, cells[i])
    return drawn_cell(b, rng, cells, weights, count)


cdef float descend_in_style(BoardState* b, Rng* rng, int max_plies, int style) noexcept nogil:
    cdef int first_ply = b.ply, first_side = b.side, cell
    cdef float result = 0.5
    if style == THREAT_SEQUENCES:
        return rollout(b, rng, max_plies)
    while b.empties and b.ply - first_ply < max_plies:
        if style == FAST_DESCENT:
            cell = fast_descent_cell(b, rng)
        elif style == BIASED:
            cell = biased_cell(b, rng)
        else:
            cell = policy_cell(b, rng)
        if cell == NO_CELL:
            break
        play(b, cell)
        if b.winner != EMPTY:
            result = b.winner == first_side
            break
    while b.ply > first_ply:
        undo(b)
    return result
