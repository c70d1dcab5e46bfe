"""Evaluators whose first layers are tabulated: `LineNetwork` runs the rest here, `LineInputs` leaves it to others."""

from cython cimport view
from libc.stdlib cimport free, malloc

from cython_core.network.encoding cimport WINDOW_ROWS, list_rows, variant_of
from cython_core.network.evaluator cimport NO_RULE, Seat
from cython_core.network.features cimport line_features
from cython_core.network.line_table cimport line_table
from cython_core.network.trunk cimport UNIT, run_trunk, scratch_create, scratch_free
from cython_core.rules.board cimport BoardState

ctypedef struct Work:           # at one search thread
    const Lines* lines
    const TrunkState* trunk
    Scratch scratch


cdef void evaluate(void* own, const BoardState* b, float* logits, float* wdl) noexcept nogil:
    cdef Work* work = <Work*>own
    cdef uint32_t rows[4 * CELLS]
    list_rows(b, b.side, rows)
    run_trunk(work.trunk, &work.scratch, b.width, b.height, rows, work.lines.tables[b.side], logits, wdl)


cdef void describe(void* own, const BoardState* b, float* out) noexcept nogil:
    cdef const Lines* lines = <const Lines*>own
    line_features(b, b.side, lines.tables[b.side], lines.channels, lines.scales, out)


cdef class LineEvaluator(Evaluator):
    """What both have in common: the tables of one rule."""

    cdef int set_tables(self, black, white, scales) except -1:
        cdef Py_ssize_t channels
        self.black_rows, self.white_rows, self.steps = black, white, scales
        channels = self.steps.shape[0]
        if (channels == 0 or self.black_rows.shape[0] != WINDOW_ROWS or self.black_rows.shape[1] != channels
                or self.white_rows.shape[0] != WINDOW_ROWS or self.white_rows.shape[1] != channels):
            raise ValueError(f"a line table needs {WINDOW_ROWS} rows and a scale for each of its channels")
        self.lines.tables[0], self.lines.tables[1] = &self.black_rows[0, 0], &self.white_rows[0, 0]
        self.lines.scales, self.lines.channels = &self.steps[0], channels
        return 0

    cdef Py_ssize_t table_bytes(self):
        if self.rule == NO_RULE:
            return 0
        return (1 if self.lines.tables[0] == self.lines.tables[1] else 2) * self.black_rows.nbytes

    @property
    def bytes(self):
        return self.table_bytes()

    @property
    def black_table(self):
        """int16 [WINDOW_ROWS, channels], the line part for black to move; None before `prepare`."""
        return None if self.rule == NO_RULE else self.black_rows.base

    @property
    def white_table(self):
        """The same one as for black except where the rule tells the sides apart."""
        return None if self.rule == NO_RULE else self.white_rows.base

    @property
    def scales(self):
        """Feature value of one table step, per channel."""
        return None if self.rule == NO_RULE else self.steps.base


cdef class LineNetwork(LineEvaluator):
    """A network the core runs alone: a table per rule, then the trunk.

    tensors: of its file, name -> flat buffer of floats; blocks: of the trunk, from the line features up.
    ValueError says why this is no network for the core.
    """

    def __init__(self, dict tensors not None, str blocks not None):
        self.trunk = Trunk(tensors, blocks)
        self.tensors = tensors

    def prepare(self, int rule):
        """Makes the tables of a rule; those of the rule before are dropped first. No search may be running with it."""
        if self.rule == rule:
            return
        self.claim()
        self.black_rows = self.white_rows = None
        if len(self.tensors.get("line.scales", ())) != self.trunk.state.channels:
            raise ValueError("the line part has another number of channels than the trunk")
        steps = view.array(shape=(self.trunk.state.channels,), itemsize=sizeof(float), format="f")
        cdef float[::1] step = steps
        step[:] = 1.0 / UNIT
        black = line_table(self.tensors, rule, 0, steps)
        same = variant_of(rule, 0) == variant_of(rule, 1)
        self.set_tables(black, black if same else line_table(self.tensors, rule, 1, steps), steps)
        self.rule = rule

    @property
    def bytes(self):
        return self.table_bytes() + self.trunk.used

    cdef int take_seat(self, Seat* seat) except -1:
        cdef Work* work = <Work*>malloc(sizeof(Work))
        if work is NULL or not scratch_create(&work.scratch, self.trunk.state.channels):
            free(work)
            raise MemoryError("no memory for a trunk")
        work.lines, work.trunk = &self.lines, &self.trunk.state
        seat.own, seat.evaluate = work, evaluate
        return 0

    cdef void leave_seat(self, Seat* seat) noexcept:
        scratch_free(&(<Work*>seat.own).scratch)
        free(seat.own)


cdef class LineInputs(LineEvaluator):
    """The tabulated line part of a network that runs outside: `Worker.select` writes the features of leaves, their
    answers come by `Worker.apply`."""

    def __init__(self, int rule, black_table not None, white_table not None, scales not None):
        self.set_tables(black_table, white_table, scales)
        self.rule = rule

    cdef int take_seat(self, Seat* seat) except -1:
        seat.own, seat.describe, seat.inputs = &self.lines, describe, self.lines.channels
        return 0
