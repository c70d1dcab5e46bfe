# The two evaluators whose first layers are line tables: the core's own network, and the inputs of one outside.

from cython_core.network.evaluator cimport Evaluator
from cython_core.network.trunk cimport Scratch, Trunk, TrunkState
from cython_core.rules.typedefs cimport *

ctypedef struct Lines:              # the tabulated line part of a network
    const int16_t* tables[2]        # [WINDOW_ROWS, channels], for black and white to move
    const float* scales             # feature value of one table step, per channel
    int channels

cdef class LineEvaluator(Evaluator):
    cdef Lines lines
    cdef const int16_t[:, ::1] black_rows
    cdef const int16_t[:, ::1] white_rows
    cdef const float[::1] steps
    # Takes over the tables of a rule; ValueError if they do not fit.
    cdef int set_tables(self, black, white, scales) except -1
    cdef Py_ssize_t table_bytes(self)

cdef class LineNetwork(LineEvaluator):
    cdef Trunk trunk
    cdef dict tensors

cdef class LineInputs(LineEvaluator):
    pass
