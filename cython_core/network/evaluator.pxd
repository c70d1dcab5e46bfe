# The seam between the search and whatever evaluates positions for it.
#
# An evaluator is a class; at each search thread it takes a seat, which holds its work space there and the verbs the
# search calls without the GIL. A verb it does not need stays NULL. A new evaluator is a new class in this room:
#
#     cdef class Mine(Evaluator):
#         cdef int take_seat(self, Seat* seat) except -1:     # allocate seat.own, fill in seat.evaluate
#         cdef void leave_seat(self, Seat* seat) noexcept:    # free it
#         def prepare(self, int rule):                        # self.claim(), make what the rule needs, self.rule = rule
#
# The search knows nothing else of it: `Searcher.set_evaluator(mine)`.

from cython_core.rules.board cimport BoardState
from cython_core.rules.typedefs cimport *

# One word of the search to an evaluator about the board of its seat.
ctypedef void (*Told)(void* own, const BoardState* b, int cell) noexcept nogil

ctypedef struct Seat:
    void* own           # the evaluator's own work space at this thread
    # The board is another one than before, or was changed behind the evaluator's back.
    void (*begin)(void* own, const BoardState* b) noexcept nogil
    Told play           # the stone on `cell` has just been played
    Told undo           # the stone on `cell` is about to be taken back
    # Policy logits [height * width], row by row, and win, draw, loss shares [3] of the side to move. NULL where the
    # answers come from outside the core.
    void (*evaluate)(void* own, const BoardState* b, float* logits, float* wdl) noexcept nogil
    # Where they do: the inputs of the position, [inputs, height, width].
    void (*describe)(void* own, const BoardState* b, float* out) noexcept nogil
    int inputs

cdef class Evaluator:
    cdef int rule               # the rule it is prepared for, NO_RULE if none
    cdef int searches           # running with it at this moment
    # Fills in the verbs and allocates the work space of one thread; MemoryError leaves nothing behind.
    cdef int take_seat(self, Seat* seat) except -1
    # Frees what `take_seat` has allocated.
    cdef void leave_seat(self, Seat* seat) noexcept
    # Before anything that seats may be reading is changed: ValueError while a search is running with it.
    cdef int claim(self) except -1

cdef enum:
    NO_RULE = -1

# Is every number of an answer finite?
cdef bint sound(const float* logits, int cells, const float* wdl) noexcept nogil
