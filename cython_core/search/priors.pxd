# Which cells are worth a look, and how likely a strong player is to choose each: knowledge by shape, no search.
#
# The weight of a move is a product of look-ups: one by the four shapes it makes for its own side, one by the four
# it takes from the other side, and one by its place relative to each of the last two stones.

from cython_core.rules.board cimport BoardState
from cython_core.rules.cellset cimport column_of, row_of
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

# Number of the kind of place at this distance from a stone: what the fit of the weights counts by.
cdef int place_of(int dx, int dy) noexcept nogil

cdef inline int context_of(const BoardState* b, int side) noexcept nogil:
    return (b.class_count[1 - side][CLASS_OPEN_FOUR] | b.class_count[1 - side][CLASS_DOUBLE_FOUR]) != 0

ctypedef struct Weigher:    # what the moves of one position have in common: looked up once, not for every cell
    const BoardState* board
    int side
    const float* own        # by the shapes that a move makes
    const float* taken      # by those it takes
    int ages                # last stones there are, at most two
    int[2] last             # their cells, the newest first

cdef inline Weigher weigher_of(const BoardState* b, int side) noexcept nogil:
    cdef Weigher weigher
    cdef int context = context_of(b, side), age
    cdef bint fouls = b.rule.fouls
    weigher.board = b
    weigher.side = side
    weigher.own = shape_weight[context][fouls and side == BLACK][0]
    weigher.taken = shape_weight[context][fouls and side == WHITE][1]
    weigher.ages = min(b.ply, 2)
    for age in range(weigher.ages):
        weigher.last[age] = b.moves[b.ply - 1 - age].cell
    return weigher

# Unnormalised prior of a stone on an empty cell; zero where the shapes alone show a foul.
cdef inline float prior_weight(const Weigher* weigher, int cell) noexcept nogil:
    cdef float weight = (weigher.own[weigher.board.cells[cell].shapes[weigher.side]]
                         * weigher.taken[weigher.board.cells[cell].shapes[1 - weigher.side]])
    cdef int age, last
    for age in range(weigher.ages):
        last = weigher.last[age]
        weight *= place_weight[age][distance(column_of(cell), column_of(last))][distance(row_of(cell), row_of(last))]
    return weight

cdef inline int distance(int a, int b) noexcept nogil:
    return a - b if a > b else b - a
