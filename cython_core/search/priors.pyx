"""Candidate moves and their shape-weight priors: the policy of a search without a network, and of rollouts."""

from libc.math cimport exp

from cython_core.rules.board cimport empty_row
from cython_core.rules.cellset cimport list_row
from cython_core.rules.patterns cimport *
from cython_core.rules.position cimport Board

cdef enum:
    OWN = 0
    TAKEN = 1
    PLACES = 13

# Natural logarithms of the factors; each of the four shapes counts, and the class on top of them. Fitted by
# training/fit_priors.py on 49,631 undecided positions of teacher games (freestyle, standard, renju); on the held-out
# games the teacher's move is the first in 33 % and among the first five in 72 %. The fit never sees the classes a
# glance decides: they weigh 8, more than all others.
cdef double shape_score[CONTEXTS][2][SHAPES]
cdef double class_score[CONTEXTS][2][CLASSES]
cdef double place_score[2][PLACES]

# DEAD, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, LINE_DOUBLE_FOUR, OPEN_FOUR, FIVE, OVERLINE
shape_score[AT_EASE][OWN][:] = [0, 0.39, 0.46, 1.58, 1.82, 2.27, 2.52, 0, 0, 0, 0.41]
shape_score[AT_EASE][TAKEN][:] = [0, 0.20, 0.18, 0.82, 1.22, 1.59, 1.93, 0.79, 1.75, 0, 0.32]
shape_score[UNDER_THREAT][OWN][:] = [0, 0.20, 0.31, 0.43, 0.89, 0.57, 2.81, 0, 0, 0, 0.53]
shape_score[UNDER_THREAT][TAKEN][:] = [0, 0.02, 0.03, 0.32, 0.41, 0.59, 1.20, 2.53, 2.90, 0, 1.03]
# NOTHING, QUIET, THREE, DOUBLE_THREE, FOUR, FOUR_THREE, DOUBLE_FOUR, OPEN_FOUR, FIVE, FOUL, MAYBE_FOUL
class_score[AT_EASE][OWN][:] = [0, -0.14, 1.15, 3.04, 1.09, 6.04, 8, 8, 8, 0, -1.92]
class_score[AT_EASE][TAKEN][:] = [0, -0.20, 1.05, 1.73, 1.41, 2.94, 0, 0, 8, 0, 0.37]
class_score[UNDER_THREAT][OWN][:] = [0, -0.23, 0.17, 0.23, 2.76, 7.28, 8, 8, 8, 0, -2.59]
class_score[UNDER_THREAT][TAKEN][:] = [0, -0.24, 0.22, -0.36, 2.23, 2.62, 3.74, 3.56, 8, 0, 0.07]
# numbers of place_of: beyond reach, then outwards
place_score[0][:] = [0, 1.11, 1.15, 0.83, 0.76, 0.85, 0.49, 0.63, 0.54, 0.61, 0.37, 0.28, 0.23]
place_score[1][:] = [0, 0.43, 0.55, 0.33, 0.44, 0.24, -0.03, 0.26, -0.19, 0.03, 0.04, -0.01, 0]


cdef int place_of(int dx, int dy) noexcept nogil:
    """Number of a place relative to a stone: by distance, lines apart from the cells between them."""
    cdef int far = max(dx, dy), near = min(dx, dy)
    cdef bint on_line = near == 0 or near == far
    if far == 0 or far > 5:
        return 0
    if far == 1:
        return 1 + near
    if far == 2:
        return 3 + near
    if far == 3:
        return 6 + (near > 0) + (near == 3)
    if far == 4:
        return 9 + (not on_line)
    return 11 + (not on_line)


cdef void fill_weights() noexcept:
    cdef int context, fouls, whose, packed, direction, age, dx, dy, klass
    cdef double score
    cdef bint shapes
    for context in range(CONTEXTS):
        for fouls in range(2):
            for whose in range(2):
                for packed in range(1 << 16):
                    # Most numbers stand for no shapes, and this is done at every start of the program.
                    shapes = True
                    for direction in range(DIRECTIONS):
                        shapes &= ((packed >> (4 * direction)) & 15) <= OVERLINE
                    if not shapes:
                        continue
                    klass = class_of_shapes(packed, fouls)
                    score = class_score[context][whose][klass]
                    for direction in range(DIRECTIONS):
                        score += shape_score[context][whose][(packed >> (4 * direction)) & 15]
                    # A certain foul is no move at all, and nothing the other side can use.
                    if klass == CLASS_FOUL:
                        shape_weight[context][fouls][whose][packed] = 0 if whose == OWN else 1
                    else:
                        shape_weight[context][fouls][whose][packed] = exp(score)
    for age in range(2):
        for dx in range(MAX_SIZE):
            for dy in range(MAX_SIZE):
                place_weight[age][dx][dy] = exp(place_score[age][place_of(dx, dy)])

fill_weights()


cdef int candidates(const BoardState* b, int16_t* cells) noexcept nogil:
    cdef uint32_t near[MAX_SIZE]
    cdef uint32_t stones, line, square
    cdef int row, offset, count = 0
    for row in range(b.height):
        near[row] = 0
    for row in range(b.height):
        stones = b.stone_rows[BLACK][row] | b.stone_rows[WHITE][row]
        if stones == 0:
            continue
        square = stones | (stones << 1) | (stones >> 1)
        square |= (square << 1) | (square >> 1)
        line = stones | (stones << 3) | (stones >> 3)
        for offset in range(-3, 4):
            if 0 <= row + offset < b.height:
                near[row + offset] |= line if offset == 3 or offset == -3 else square
        near[row] |= line
    for row in range(b.height):
        count = list_row(row, near[row] & empty_row(b, row), cells, count)
    if count:
        return count
    cells[0] = (b.height // 2) * STRIDE + b.width // 2
    if b.cells[cells[0]].stone == EMPTY:
        return 1
    for row in range(b.height):
        count = list_row(row, empty_row(b, row), cells, count)
    return count


def weigh_candidates(Board board):
    """The candidates of the side to move as (cell, weight), cells ascending; weights are not normalised."""
    cdef int16_t cells[CELLS]
    cdef int count = candidates(board.state, cells), i
    cdef Weigher weigher = weigher_of(board.state, board.state.side)
    return [(cells[i], prior_weight(&weigher, cells[i])) for i in range(count)]
