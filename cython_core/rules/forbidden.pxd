# Says whether a renju move is a foul.

from cython_core.rules.board cimport BoardState

# Would a black stone on this cell be a foul? False under other rules, on occupied cells, and for a five.
# The board is changed during the call and restored before it returns.
cdef bint is_foul(BoardState* b, int cell) noexcept nogil
