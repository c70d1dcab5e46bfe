"""What all evaluators have in common: being prepared for a rule, and answering a single question from Python."""

from libc.math cimport isfinite
from libc.string cimport memset

from cython_core.rules.position cimport Board


cdef bint sound(const float* logits, int cells, const float* wdl) noexcept nogil:
    # A sum of finite numbers as small as logits is finite; NaN and infinity never leave it.
    cdef double total = wdl[0] + wdl[1] + wdl[2]
    cdef int i
    for i in range(cells):
        total += logits[i]
    return isfinite(total)


cdef class Evaluator:
    """Something that evaluates positions; see evaluator.pxd. One object serves any number of searches and threads."""

    def __cinit__(self):
        self.rule = NO_RULE

    cdef int take_seat(self, Seat* seat) except -1:
        raise TypeError(f"{type(self).__name__} evaluates nothing")

    cdef void leave_seat(self, Seat* seat) noexcept:
        pass

    cdef int claim(self) except -1:
        if self.searches:
            raise ValueError("a search is running with this evaluator")
        self.rule = NO_RULE
        return 0

    @property
    def prepared_rule(self):
        """The rule whose positions it evaluates, None before `prepare`."""
        return None if self.rule == NO_RULE else self.rule

    @property
    def bytes(self):
        """Memory it holds."""
        return 0

    def evaluate(self, Board board not None):
        """(policy logits, row by row; win, draw, loss shares) of the side to move; the board must be of the rule."""
        cdef Seat seat
        cdef float logits[CELLS]
        cdef float wdl[3]
        cdef BoardState* b = board.state
        if self.rule != b.rule.number:
            raise ValueError(f"the evaluator is prepared for rule {self.prepared_rule}, not {b.rule.number}")
        memset(&seat, 0, sizeof(seat))
        self.take_seat(&seat)
        try:
            if seat.evaluate is NULL:
                raise TypeError(f"{type(self).__name__} has its answers from outside the core")
            if seat.begin is not NULL:
                seat.begin(seat.own, b)
            seat.evaluate(seat.own, b, logits, wdl)
        finally:
            self.leave_seat(&seat)
        return [logits[i] for i in range(b.width * b.height)], (wdl[0], wdl[1], wdl[2])
