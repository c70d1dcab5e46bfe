# Stones, side to move, hash key, window codes, shapes, classes and counters of one position.
#
# Each cell keeps, for each of its four lines, the code of the window around it (patterns.pxd) as both colours
# see it. A new stone changes the codes of at most 40 cells by one addition each; a shape is then one look-up,
# and only cells whose shape really changed touch their class and the class sets. Undo replays a log of the old
# values, so every field returns bit for bit.

from cython_core.rules.cellset cimport column_of, lowest_bit, row_of, whole_row
from cython_core.rules.patterns cimport *
from cython_core.rules.typedefs cimport *

cdef enum:
    LOG_SIZE = 1024 * 41    # one stone changes its own cell and at most 40 others

ctypedef struct Cell:
    uint64_t code[4]        # per direction: window seen by black in the low, by white in the high 32 bits
    uint16_t shapes[2]      # per colour: one shape of four bits per direction, direction 0 lowest; 0 if occupied
    uint8_t class_of[2]     # per colour: class of the four shapes; NOTHING if occupied
    uint8_t stone           # BLACK, WHITE, BLOCKED or EMPTY; BLOCKED off the board
    uint8_t padding
    uint8_t behind[4]       # per direction: cells visible against the direction, at most REACH
    uint8_t ahead[4]        # per direction: cells visible along the direction, at most REACH
    uint8_t line_up[16]     # 64 bytes: a cell is one cache line and its address a shift

ctypedef struct Change:     # old values of a cell, for undo
    uint16_t cell
    uint16_t shapes[2]
    uint8_t class_of[2]

ctypedef struct Move:
    int16_t cell
    uint8_t colour
    uint8_t side_before     # side to move before this stone
    uint8_t winner_before
    int32_t log_before      # length of the change log before this stone

ctypedef struct BoardState:     # from `aligned_malloc`
    Cell cells[CELLS]
    Move moves[CELLS]
    uint32_t stone_rows[3][MAX_SIZE]                # per colour and row: bit x set where a stone stands
    uint32_t class_rows[2][CLASSES][MAX_SIZE]       # per colour, class and row: bit x set on cells of that class (from CLASS_THREE up)
    uint32_t class_row_mask[2][CLASSES]             # rows of class_rows that are not zero
    int16_t class_count[2][CLASSES]                 # cells of that class (from CLASS_THREE up)
    int32_t log_length
    int16_t ply             # stones on the board
    int16_t empties
    uint8_t width
    uint8_t height
    RuleTraits rule
    uint8_t side            # whose turn it is
    uint8_t winner          # who made a five, EMPTY if nobody
    uint8_t shape_reach     # how far a stone can change a shape: 4 where five in a row always win, 5 where their ends matter
    const Tables* tables
    uint64_t key            # Zobrist: stones, side to move, rule, size
    Change log[LOG_SIZE]    # last: what is beyond `log_length` is never looked at, nor cleared

cdef int[4] STEP            # cell distance of one step in each direction

# Prepares an empty board. Sizes and rule must be valid and the rule's tables prepared.
cdef void clear(BoardState* b, int width, int height, int rule) noexcept nogil
# Puts a stone on an empty cell; side to move stays. A stone of class FIVE for its colour makes it the winner.
cdef void place(BoardState* b, int cell, int colour) noexcept nogil
# Puts a stone of the side to move on an empty cell and passes the turn.
cdef void play(BoardState* b, int cell) noexcept nogil
# Takes back the newest stone, however it was put; every field is as before.
cdef void undo(BoardState* b) noexcept nogil
# Decides anew who has won, by the stones as they lie: for a position that was put together in no order of play.
cdef void settle(BoardState* b) noexcept nogil
# Makes `side` the side to move (a null move when it is not already).
cdef void set_side(BoardState* b, int side) noexcept nogil
# Writes the cells of a class in ascending order to `out` (room for CELLS), returns how many.
cdef int cells_of_class(const BoardState* b, int colour, int klass, int16_t* out) noexcept nogil

cdef inline bint on_board(const BoardState* b, int cell) noexcept nogil:
    return 0 <= cell < CELLS and column_of(cell) < b.width and row_of(cell) < b.height

# The empty cells of a row of the board.
cdef inline uint32_t empty_row(const BoardState* b, int row) noexcept nogil:
    return whole_row(b.width) & ~(b.stone_rows[BLACK][row] | b.stone_rows[WHITE][row] | b.stone_rows[BLOCKED][row])

cdef inline int shape_in(const BoardState* b, int cell, int colour, int direction) noexcept nogil:
    return (b.cells[cell].shapes[colour] >> (4 * direction)) & 15

# The lowest cell of a class, NO_CELL if none.
cdef inline int first_of_class(const BoardState* b, int colour, int klass) noexcept nogil:
    cdef uint32_t rows = b.class_row_mask[colour][klass]
    if rows == 0:
        return NO_CELL
    cdef int row = lowest_bit(rows)
    return row * STRIDE + lowest_bit(b.class_rows[colour][klass][row])
