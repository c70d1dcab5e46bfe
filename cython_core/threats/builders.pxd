# Where a quiet move may build something: cells with stones of its colour near them on enough lines.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *

# Per row of the board the cells, empty or not, from which stones of a colour stand four cells away or nearer: on any line,
# and on two lines or more. Where there is none on a line, a move makes a ONE of it at best.
cdef void find_near(const BoardState* b, int colour, uint32_t* on_one_line, uint32_t* on_two_lines) noexcept nogil
