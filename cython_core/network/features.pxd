# Writes a position into the network's input buffers, as the side to move sees it. Every buffer is float32
# [channels, height, width], rows from y = 0; the caller owns it.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *

# out[channel][cell] = scales[channel] * sum over the four directions of table[window * 3 + centre][channel].
# `table` is [WINDOW_ROWS, channels] int16. The sums are exact 32-bit integers, so that every machine gives the
# same numbers; on AVX2 they come faster.
cdef void line_features(const BoardState* b, int side, const int16_t* table, int channels, const float* scales,
                        float* out) noexcept nogil
