"""Candidate moves and their shape-weight priors: the policy of a search without a network, and of rollouts."""

from libc.math cimport exp

from cython_core.patterns cimport *
from cython_core.position cimport Board

cdef enum:
    OWN = 0
    TAKEN = 1
    PLACES = 14

# Natural logarithms of the factors. Each of the four shapes counts, and the class on top of them.
cdef double shape_score[CONTEXTS][2][SHAPES]
cdef double class_score[CONTEXTS][2][CLASSES]
cdef double place_score[2][PLACES]

#                                 DEAD ONE  TWO  O-TWO THREE O-3  FOUR  LD4  O-4  FIVE OVERLINE
shape_score[AT_EASE][OWN][:] =      [0, 0.1, 0.3, 0.8, 0.7, 1.6, 1.6, 3.0, 3.0, 3.0, 0]
shape_score[AT_EASE][TAKEN][:] =    [0, 0.1, 0.3, 0.7, 0.6, 1.2, 1.2, 2.0, 2.0, 2.0, 0]
shape_score[UNDER_THREAT][OWN][:] = [0, 0.1, 0.2, 0.5, 0.5, 1.0, 2.0, 3.0, 3.0, 3.0, 0]
shape_score[UNDER_THREAT][TAKEN][:] = [0, 0.1, 0.2, 0.3, 0.3, 0.8, 2.0, 4.0, 4.0, 4.0, 0]
#                              NOTHING QUIET THREE D-THREE FOUR FOUR-3 D-FOUR O-FOUR FIVE FOUL MAYBE
class_score[AT_EASE][OWN][:] =      [0, 0, 0, 1, -0.5, 3, 5, 5, 9, -20, -3]
class_score[AT_EASE][TAKEN][:] =    [0, 0, 0, 1, 0, 2, 4, 4, 8, 0, 0]
class_score[UNDER_THREAT][OWN][:] = [0, 0, 0, 0, 1, 4, 6, 6, 9, -20, -3]
class_score[UNDER_THREAT][TAKEN][:] = [0, 0, 0, 0, 1, 2, 4, 4, 8, 0, 0]
place_score[0][:] = [0, 1.2, 1.2, 0.9, 0.6, 0.7, 0.6, 0.3, 0.2, 0.4, 0.2, 0.2, 0, 0]
place_score[1][:] = [0, 0.8, 0.8, 0.6, 0.4, 0.5, 0.4, 0.2, 0.1, 0.3, 0.1, 0.1, 0, 0]


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
    for context in range(CONTEXTS):
        for fouls in range(2):
            for whose in range(2):
                for packed in range(1 << 16):
                    klass = class_of_shapes(packed, fouls)
                    score = class_score[context][whose][klass]
                    for direction in range(DIRECTIONS):
                        score += shape_score[context][whose][min((packed >> (4 * direction)) & 15, OVERLINE)]
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
    cdef uint32_t board_row = <uint32_t>0xFFFFFFFF >> (MAX_SIZE - b.width)
    cdef uint32_t stones, line, square, found
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
        found = near[row] & board_row & ~occupied(b, row)
        while found:
            cells[count] = row * STRIDE + lowest_bit(found)
            count += 1
            found &= found - 1
    if count:
        return count
    cells[0] = (b.height // 2) * STRIDE + b.width // 2
    if b.cells[cells[0]].stone == EMPTY:
        return 1
    for row in range(b.height):
        found = board_row & ~occupied(b, row)
        while found:
            cells[count] = row * STRIDE + lowest_bit(found)
            count += 1
            found &= found - 1
    return count


cdef inline uint32_t occupied(const BoardState* b, int row) noexcept nogil:
    return b.stone_rows[BLACK][row] | b.stone_rows[WHITE][row] | b.stone_rows[BLOCKED][row]


def weigh_candidates(Board board):
    """The candidates of the side to move as (cell, weight), cells ascending; weights are not normalised."""
    cdef int16_t cells[CELLS]
    cdef int count = candidates(board.state, cells), i
    return [(cells[i], prior_weight(board.state, cells[i], board.state.side)) for i in range(count)]


def place_number(int dx, int dy):
    """Which of the PLACES a cell at this distance from a stone belongs to: what the fit counts by."""
    return place_of(abs(dx), abs(dy))
