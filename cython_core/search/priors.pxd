# Which cells are worth a look, and how likely a strong player is to choose each: knowledge by shape, no search.
#
# The weight of a move is a product of look-ups: one by the four shapes it makes for its own side, one by the four
# it takes from the other side, and one by its place relative to each of the last two stones.

from cython_core.rules.board cimport BoardState
from cython_core.rules.patterns cimport CLASS_DOUBLE_FOUR, CLASS_OPEN_FOUR
from cython_core.rules.typedefs cimport *

cdef enum:                  # what the side to move has to reckon with
    AT_EASE = 0
    UNDER_THREAT = 1        # the other side has an open or double four to make
    CONTEXTS = 2

cdef float shape_weight[CONTEXTS][2][2][65536]  # [context][fouls][0 own, 1 taken from the other side][packed shapes]
cdef float place_weight[2][MAX_SIZE][MAX_SIZE]  # [0 last stone, 1 the one before][|dx|][|dy|]

# Writes the empty cells near a stone (within two cells, or on a line with one within three) in ascending order;
# the middle of a board without stones, and every empty cell when none is near. Returns how many. Fouls are not left out.
cdef int candidates(const BoardState* b, int16_t* cells) noexcept nogil

cdef inline int context_of(const BoardState* b, int side) noexcept nogil:
    return (b.class_count[1 - side][CLASS_OPEN_FOUR] | b.class_count[1 - side][CLASS_DOUBLE_FOUR]) != 0

# Unnormalised prior of a stone of `side` on an empty cell; zero where the shapes alone show a foul.
cdef inline float prior_weight(const BoardState* b, int cell, int side) noexcept nogil:
    cdef int context = context_of(b, side)
    cdef bint fouls = b.rule == RENJU
    cdef float weight = (shape_weight[context][fouls and side == BLACK][0][b.cells[cell].shapes[side]]
                         * shape_weight[context][fouls and side == WHITE][1][b.cells[cell].shapes[1 - side]])
    cdef int age, last
    for age in range(min(b.ply, 2)):
        last = b.moves[b.ply - 1 - age].cell
        weight *= place_weight[age][distance(cell & 31, last & 31)][distance(cell >> 5, last >> 5)]
    return weight

cdef inline int distance(int a, int b) noexcept nogil:
    return a - b if a > b else b - a
