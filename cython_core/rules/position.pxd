# The Python face of a position; compiled callers reach the state through it.

from cython_core.rules.board cimport BoardState

cdef class Board:
    cdef BoardState* state
    cdef int checked(self, int cell) except -1      # the cell, or ValueError when off the board
    cdef int vacant(self, int cell) except -1       # the cell, or ValueError when not empty
    cdef int check_class(self, int colour, int klass) except -1
