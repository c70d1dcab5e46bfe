# How a position is written down for a network: windows, variants and planes. The one definition of all three.
#
# A window is a cell with the five cells on each side of it along a line, as far as the board reaches, as one side sees
# them. Its number is that of patterns.pxd times three plus the centre: 0 empty, 1 own, 2 anything else.

from cython_core.rules.board cimport BoardState, Cell
from cython_core.rules.typedefs cimport *

cdef enum:
    WINDOW_ROWS = 397488    # rows of a line table: every window with its centre, index window * 3 + centre
    PLANES = 9              # own, other, empty, then one plane per variant: freestyle, standard, renju black, renju white,
                            # caro 8, caro 9; ones for the variant of the position

# Which line table and which variant plane the position uses: one per rule, two for renju by the side to move.
cdef int variant_of(int rule, int side) noexcept nogil

# Table rows of every cell, four each, rows of the board in order; returns the number of cells.
cdef int list_rows(const BoardState* b, int side, uint32_t* rows) noexcept nogil
