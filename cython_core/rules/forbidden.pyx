"""Renju fouls: overline, double four, double three, with full recursion.

The first two follow from the shapes alone. A three counts only if black can really make a straight four of it:
on a cell that is no foul itself, decided by the same definition with the first stone standing.
"""

from cython_core.rules.board cimport BoardState, place, shape_in, undo, STEP
from cython_core.rules.patterns cimport CLASS_FIVE, CLASS_FOUL, CLASS_MAYBE_FOUL, OPEN_FOUR, OPEN_THREE
from cython_core.rules.typedefs cimport BLACK, DIRECTIONS, EMPTY


cdef bint is_foul(BoardState* b, int cell) noexcept nogil:
    cdef int klass = b.cells[cell].class_of[BLACK]
    cdef int direction, threes, candidates, real
    if klass == CLASS_FOUL:
        return True
    if klass != CLASS_MAYBE_FOUL:
        return False
    # Two or more threes by shape: count the real ones, and stop as soon as the answer is sure.
    cdef int shapes = b.cells[cell].shapes[BLACK]
    candidates = 0
    for direction in range(DIRECTIONS):
        candidates += ((shapes >> (4 * direction)) & 15) == OPEN_THREE
    place(b, cell, BLACK)
    real = 0
    for direction in range(DIRECTIONS):
        if ((shapes >> (4 * direction)) & 15) != OPEN_THREE:
            continue
        if real + candidates < 2:
            break
        candidates -= 1
        real += is_real_three(b, cell, direction)
        if real >= 2:
            break
    undo(b)
    return real >= 2


cdef bint is_real_three(BoardState* b, int cell, int direction) noexcept nogil:
    """Black has just made an open three by shape through `cell`: can he turn it into a straight four legally?"""
    cdef int step = STEP[direction]
    cdef int way, index, distance, visible
    for way in range(2):
        index = cell
        visible = b.cells[cell].behind[direction] if way else b.cells[cell].ahead[direction]
        # The four stones stand without a gap, so only the first cell after the unbroken row can belong to them:
        # beyond it a straight four would be made of other stones.
        for distance in range(1, min(visible, 3) + 1):
            index += -step if way else step
            if b.cells[index].stone == BLACK:
                continue
            if (b.cells[index].stone == EMPTY and shape_in(b, index, BLACK, direction) == OPEN_FOUR
                    and b.cells[index].class_of[BLACK] != CLASS_FIVE and not is_foul(b, index)):
                return True
            break
    return False
