# Writes a position into the network's input buffers, as the side to move sees it. Every buffer is float32
# [channels, height, width], rows from y = 0; the caller owns it.

from cython_core.board cimport BoardState, Cell
from cython_core.typedefs cimport *

cdef enum:
    WINDOW_ROWS = 397488    # rows of a line table: every window with its centre, index window * 3 + centre
    PLANES = 9              # own, other, empty, then one plane per variant: freestyle, standard, renju black, renju white,
                            # caro 8, caro 9; ones for the variant of the position

# Which line table and which variant plane the position uses: one per rule, two for renju by the side to move.
cdef int variant_of(int rule, int side) noexcept nogil

# Table rows of every cell, four each, rows of the board in order; returns the number of cells.
cdef int list_rows(const BoardState* b, int side, uint32_t* rows) noexcept nogil

# out[channel][cell] = scales[channel] * sum over the four directions of table[window * 3 + centre][channel].
# `table` is [WINDOW_ROWS, channels] int16. The sums are exact 32-bit integers, so that every machine gives the
# same numbers; on AVX2 they come faster.
cdef void line_features(const BoardState* b, int side, const int16_t* table, int channels, const float* scales,
                        float* out) noexcept nogil
