"""Loops for `bench`: repeat one operation of the core many times with no Python in between.

Each returns what it counted; the caller holds the watch.
"""

from cython_core.board cimport BoardState, play, undo
from cython_core.position cimport Board
from cython_core.typedefs cimport CELLS, EMPTY


def play_and_undo(Board board, list cells, int repeats):
    """Plays the cells in order and takes them back, `repeats` times; returns the number of play+undo pairs."""
    cdef BoardState* b = board.state
    cdef int count = len(cells), round_, i
    cdef int moves[CELLS]
    for i in range(count):
        moves[i] = board.vacant(cells[i])
    if len(set(cells)) != count:
        raise ValueError("a cell appears twice")
    with nogil:
        for round_ in range(repeats):
            for i in range(count):
                play(b, moves[i])
            for i in range(count):
                undo(b)
    return count * repeats
