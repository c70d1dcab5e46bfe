"""Threat-sequence rollouts: quick games by shape knowledge, resolved as soon as a side has a static win.

A stone is chosen from a small pool: the cells where something is threatened or to be stopped, and the surroundings
of the newest stones. Seeded, no allocation, no scan of the board.
"""

from cython_core.rules.board cimport BoardState, empty_row, play, undo
from cython_core.rules.cellset cimport column_of, list_row, lowest_bit, row_of
from cython_core.rules.patterns cimport *
from cython_core.search.estimate cimport estimate
from cython_core.search.priors cimport UNDER_THREAT, Weigher, candidates, context_of, prior_weight, weigher_of
from cython_core.threats.glance cimport five_stoppers, may_play

cdef enum:
    RECENT = 3          # newest stones whose surroundings are looked at
    NEAR = 2            # how far around them

cdef float OPEN_RESULT = -1


cdef float static_result(BoardState* b) noexcept nogil:
    """Result for the side to move if the counters show a win, else OPEN_RESULT."""
    if b.class_count[b.side][CLASS_FIVE]:
        return 1
    if b.class_count[1 - b.side][CLASS_FIVE]:
        return OPEN_RESULT
    if b.class_count[b.side][CLASS_OPEN_FOUR] or b.class_count[b.side][CLASS_DOUBLE_FOUR]:
        return 1
    return OPEN_RESULT


cdef inline uint32_t add_class(const BoardState* b, int colour, int klass, uint32_t* pool) noexcept nogil:
    """Adds the cells of a class to the pool, returns the rows it touched."""
    cdef uint32_t rows = b.class_row_mask[colour][klass], left = rows
    cdef int row
    while left:
        row = lowest_bit(left)
        pool[row] |= b.class_rows[colour][klass][row]
        left &= left - 1
    return rows


cdef uint32_t add_surroundings(const BoardState* b, uint32_t* pool) noexcept nogil:
    """Adds the empty cells around the newest stones to the pool, returns the rows it touched."""
    cdef uint32_t rows = 0, span
    cdef int age, cell, row
    for age in range(min(<int>b.ply, RECENT)):
        cell = b.moves[b.ply - 1 - age].cell
        span = <uint32_t>((<uint64_t>31 << column_of(cell)) >> NEAR)
        for row in range(max(row_of(cell) - NEAR, 0), min(row_of(cell) + NEAR, b.height - 1) + 1):
            pool[row] |= span & empty_row(b, row)
            rows |= <uint32_t>1 << row
    return rows


cdef int sampled(BoardState* b, Rng* rng, const uint32_t* pool, uint32_t rows) noexcept nogil:
    """A legal cell of the pool, drawn by shape weight; NO_CELL if there is none."""
    cdef int16_t cells[CELLS]
    cdef float weights[CELLS]
    cdef int count = 0, row, i
    cdef Weigher weigher = weigher_of(b, b.side)
    while rows:
        row = lowest_bit(rows)
        rows &= rows - 1
        count = list_row(row, pool[row], cells, count)
    for i in range(count):
        weights[i] = prior_weight(&weigher, cells[i])
    return drawn_cell(b, rng, cells, weights, count)


cdef int drawn_cell(BoardState* b, Rng* rng, int16_t* cells, float* weights, int count) noexcept nogil:
    cdef float total = 0, draw
    cdef int i
    for i in range(count):
        total += weights[i]
    while count:
        draw = next_uniform(rng) * total
        i = 0
        while i < count - 1 and draw >= weights[i]:
            draw -= weights[i]
            i += 1
        if weights[i] > 0 and may_play(b, cells[i], b.side):
            return cells[i]
        # A foul, or rounding ran past the end: forget this cell and draw again.
        total -= weights[i]
        count -= 1
        cells[i] = cells[count]
        weights[i] = weights[count]
    return NO_CELL


cdef int any_candidate(BoardState* b, Rng* rng) noexcept nogil:
    """A legal candidate, each as likely as the others; NO_CELL if there is none, which ends the game."""
    cdef int16_t cells[CELLS]
    cdef int count, first, i
    if b.empties == 0:
        return NO_CELL
    count = candidates(b, cells)
    first = next_random(rng) % <uint64_t>count
    for i in range(count):
        if may_play(b, cells[(first + i) % count], b.side):
            return cells[(first + i) % count]
    return NO_CELL


cdef int chosen_cell(BoardState* b, Rng* rng) noexcept nogil:
    """The next stone of a position without a five to make or to stop; NO_CELL when no legal cell is left."""
    cdef uint32_t pool[MAX_SIZE]
    cdef uint32_t rows = 0
    cdef int row, cell, klass, colour, own = b.side, other = 1 - b.side
    for row in range(b.height):
        pool[row] = 0
    if context_of(b, own) == UNDER_THREAT:
        # Stop the open four before it is made, or keep the initiative with a four.
        for klass in range(CLASS_FOUR, CLASS_OPEN_FOUR + 1):
            rows |= add_class(b, other, klass, pool)
        rows |= add_class(b, own, CLASS_FOUR, pool)
        rows |= add_class(b, own, CLASS_FOUR_THREE, pool)
    else:
        for colour in range(2):
            for klass in range(CLASS_THREE, CLASS_FOUR_THREE + 1):
                rows |= add_class(b, colour, klass, pool)
        rows |= add_surroundings(b, pool)
    cell = sampled(b, rng, pool, rows)
    return cell if cell != NO_CELL else any_candidate(b, rng)


cdef float play_out(BoardState* b, Rng* rng, int max_plies) noexcept nogil:
    """Plays the game and leaves its stones on the board; the result is for the side to move at the start."""
    cdef int16_t stoppers[CELLS]
    cdef int first_ply = b.ply, first_side = b.side, count, cell
    cdef float result
    while True:
        result = static_result(b)
        if result >= 0:
            break
        count = 0
        if b.class_count[1 - b.side][CLASS_FIVE]:
            count = five_stoppers(b, 1 - b.side, stoppers)
            if count == 0:
                result = 0
                break
        if b.ply - first_ply >= max_plies:
            result = estimate(b)
            break
        if count:
            cell = stoppers[0] if count == 1 else stoppers[next_random(rng) % <uint64_t>count]
        else:
            cell = chosen_cell(b, rng)
        if cell == NO_CELL:
            result = 0.5
            break
        play(b, cell)
    return result if b.side == first_side else 1 - result


cdef void take_back(BoardState* b, int ply) noexcept nogil:
    while b.ply > ply:
        undo(b)


cdef float rollout(BoardState* b, Rng* rng, int max_plies) noexcept nogil:
    cdef int first_ply = b.ply
    cdef float result = play_out(b, rng, max_plies)
    take_back(b, first_ply)
    return result
