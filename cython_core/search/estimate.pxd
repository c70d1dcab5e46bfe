# Values a position at a glance from its shapes: the value of a search without a network.

from cython_core.rules.board cimport BoardState, Cell, shape_in
from cython_core.rules.typedefs cimport *

# Expected result for the side to move, between 0 (lost) and 1 (won). Exact results are not looked for: a caller that
# wants them asks `threats` first. Costs about as much as a stone played.
cdef float estimate(const BoardState* b) noexcept nogil
