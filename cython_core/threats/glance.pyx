"""Static answers about a position: fives now, fives to stop, open and double fours, with their cells.

Everything here is exact: a verdict is a proof of at most three plies. Longer proofs belong to `vcf` and `vct`.
"""

from cython_core.rules.board cimport (
    BoardState, STEP, cells_of_class, first_of_class, on_board, place, shape_in, undo,
)
from cython_core.rules.forbidden cimport is_foul
from cython_core.rules.patterns cimport *


cdef bint may_play(BoardState* b, int cell, int colour) noexcept nogil:
    return colour != BLACK or not b.rule.fouls or not is_foul(b, cell)


cdef int stoppers_by_trial(BoardState* b, int attacker, int16_t* out) noexcept nogil:
    """Caro: a five dies also when the defender closes its second end, so both ends of its row are tried too."""
    cdef int five = first_of_class(b, attacker, CLASS_FIVE)
    cdef int direction, step, behind, ahead, i, cell, count = 0
    # Every stopper must stop this one five, so it stands on the five or at an end of one of its rows.
    for direction in range(DIRECTIONS):
        if shape_in(b, five, attacker, direction) != FIVE:
            continue
        step = STEP[direction]
        behind = 1
        while behind <= b.cells[five].behind[direction] and b.cells[five - behind * step].stone == attacker:
            behind += 1
        ahead = 1
        while ahead <= b.cells[five].ahead[direction] and b.cells[five + ahead * step].stone == attacker:
            ahead += 1
        for i in range(3):
            if i == 0 and behind > b.cells[five].behind[direction]:
                continue
            if i == 2 and ahead > b.cells[five].ahead[direction]:
                continue
            cell = five + (-behind if i == 0 else 0 if i == 1 else ahead) * step
            if b.cells[cell].stone != EMPTY or (i == 1 and contains(out, count, cell)):
                continue
            place(b, cell, 1 - attacker)
            if b.class_count[attacker][CLASS_FIVE] == 0:
                out[count] = cell
                count += 1
            undo(b)
    return count


cdef bint contains(const int16_t* cells, int count, int cell) noexcept nogil:
    cdef int i
    for i in range(count):
        if cells[i] == cell:
            return True
    return False


cdef int five_stoppers(BoardState* b, int attacker, int16_t* out) noexcept nogil:
    if b.rule.blocked_ends:
        return stoppers_by_trial(b, attacker, out)
    # Without the caro rule two fives are two separate cells, and only a stone on a five's own cell stops it.
    if b.class_count[attacker][CLASS_FIVE] != 1:
        return 0
    out[0] = first_of_class(b, attacker, CLASS_FIVE)
    return may_play(b, out[0], 1 - attacker)


cdef void glance(BoardState* b, Glance* out) noexcept nogil:
    cdef const int16_t* own = b.class_count[b.side]
    # Most positions are undecided, which one branch tells; the rest is apart, as it has to save registers.
    if (b.class_count[BLACK][CLASS_FIVE] | b.class_count[WHITE][CLASS_FIVE]
            | own[CLASS_OPEN_FOUR] | own[CLASS_DOUBLE_FOUR]):
        urgent_glance(b, out)
    else:
        out.verdict = UNDECIDED
        out.count = 0


cdef void urgent_glance(BoardState* b, Glance* out) noexcept nogil:
    cdef int side = b.side
    if b.class_count[side][CLASS_FIVE]:
        out.verdict = WIN_IN_ONE
        out.count = cells_of_class(b, side, CLASS_FIVE, out.cells)
    elif b.class_count[1 - side][CLASS_FIVE]:
        out.count = five_stoppers(b, 1 - side, out.cells)
        out.verdict = MUST_ANSWER if out.count else LOSS_IN_TWO
    else:
        out.verdict = WIN_IN_THREE
        out.count = cells_of_class(b, side, CLASS_OPEN_FOUR, out.cells)
        out.count += cells_of_class(b, side, CLASS_DOUBLE_FOUR, out.cells + out.count)
