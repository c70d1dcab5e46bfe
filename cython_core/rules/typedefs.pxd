# The scalar types and limits everybody shares.
#
# A cell is y * STRIDE + x on every board, whatever its size, so that a step in a direction is one constant.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    MIN_SIZE = 5        # smallest width or height of a board
    MAX_SIZE = 32       # largest width or height of a board
    STRIDE = 32         # cells from one row to the next
    CELLS = 1024        # cells of the largest board
    NO_CELL = -1
    DIRECTIONS = 4      # east, south, south-east, north-east
    REACH = 5           # cells a window sees on each side of its centre
    SIDE_CODES = 364    # 1 + 3 + 9 + 27 + 81 + 243: everything one side of a window can look like
    WINDOWS = 132496    # SIDE_CODES squared: every window without its centre

cdef enum:              # what stands on a cell
    BLACK = 0
    WHITE = 1
    BLOCKED = 2         # a stone of nobody, as continuous games leave them
    EMPTY = 3
