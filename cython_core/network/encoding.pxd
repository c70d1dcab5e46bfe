# How a position is written down for a network: windows, variants and planes. The one definition of all three.
#
# A window is a cell with the five cells on each side of it along a line, as far as the board reaches, as one side sees
# them. Its number is that of patterns.pxd times three plus the centre: 0 empty, 1 own, 2 anything else.

from cython_core.rules.board cimport BoardState, Cell
from cython_core.rules.rulebook cimport *
from cython_core.rules.typedefs cimport *

cpdef enum:
    WINDOW_ROWS = 397488    # rows of a line table: every window with its centre, index window * 3 + centre
    WINDOW_REACH = 5        # cells a window shows on each side of its centre
    VARIANTS = 6            # freestyle, standard, renju black, renju white, caro 8, caro 9
    PLANES = 9              # own, other, empty, then one plane per variant; ones for the variant of the position

# Line features are cut off here, by the network's definition: windows beyond it hardly occur, and the smaller range
# makes the steps of a 16-bit table six times finer. Measured: no held-out accuracy lost down to 16.
cdef float LIMIT_OF_LINES

# Which line table and which variant plane a position uses: one per rule, or two by the side to move where the colours
# play by different rules (renju). ValueError if there is no such rule or side.
cdef int variant_of(int rule, int side) except -1

# Table rows of every cell, four each, rows of the board in order; returns the number of cells.
cdef int list_rows(const BoardState* b, int side, uint32_t* rows) noexcept nogil
