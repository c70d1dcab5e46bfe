# Static answers about a position in constant time: who wins now, what must be answered, where.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *

cdef enum:                  # verdict of a glance, for the side to move
    UNDECIDED = 0
    WIN_IN_ONE = 1          # cells: every five
    MUST_ANSWER = 2         # the opponent threatens five; cells: every reply that stops it
    LOSS_IN_TWO = 3         # the opponent threatens five and nothing stops it
    WIN_IN_THREE = 4        # cells: open and double fours; the opponent has no five

ctypedef struct Glance:
    int verdict
    int count               # how many cells
    int16_t cells[CELLS]    # ascending within each kind

# Looks at the position for the side to move. The board is restored before it returns.
cdef void glance(BoardState* b, Glance* out) noexcept nogil
# The part of `glance` that is seldom needed: somebody has a five, or the side to move an open or double four. It is named
# here so that the compiler leaves it a function of its own.
cdef void urgent_glance(BoardState* b, Glance* out) noexcept nogil
# Every legal cell where a stone of the other side leaves `attacker` without a five; returns how many.
# `attacker` must have at least one cell of class FIVE.
cdef int five_stoppers(BoardState* b, int attacker, int16_t* out) noexcept nogil
# May the colour play on this empty cell?
cdef bint may_play(BoardState* b, int cell, int colour) noexcept nogil
