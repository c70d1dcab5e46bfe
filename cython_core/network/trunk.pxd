# The network's trunk on one position: summed line features to policy and value, without a library.
#
# The board lies in a frame of zeros, a cell's channels side by side:
#
#     0 0 0 0 0        at(x, y) = (y + 1) * (width + 2) + x + 1
#     0 x x x 0        so that the nine cells of a convolution are nine constant steps
#     0 x x x 0
#     0 0 0 0 0

from cython_core.rules.typedefs cimport *

cdef enum:
    MAX_BLOCKS = 16
    SEPARABLE = 0           # x + relu(point(relu(depth(x)))): a 3x3 convolution per channel, then one over channels
    POOL = 1                # x + dense(mean and maximum over the board), the same for every cell

ctypedef struct Block:
    int kind
    const float* depth          # [9][channels]
    const float* depth_bias
    const float* mix            # point: [channels][channels], dense: [2 * channels][channels]; inputs first
    const float* mix_bias

ctypedef struct TrunkState:
    int channels
    int head                    # width of the value head
    int block_count
    Block blocks[MAX_BLOCKS]
    const float* bias           # [channels], added to the line features
    const float* policy         # [channels]
    const float* policy_bias    # [1]
    const float* hidden         # [2 * channels][head]
    const float* hidden_bias
    const float* outcome        # [head][3]
    const float* outcome_bias

ctypedef struct Scratch:        # work space of one thread
    int channels                # what it was made for
    int width                   # the board its frames of zeros fit
    int height
    int at[CELLS]               # where each cell is in a frame
    float* memory
    float* now                  # framed board: a block reads it ...
    float* after                # ... and writes this one
    float* some                 # CHUNK cells between the two halves of a block
    float* more

# Work space for boards of every size. False when there is no memory.
cdef bint scratch_create(Scratch* scratch, int channels) noexcept nogil
cdef void scratch_free(Scratch* scratch) noexcept nogil

# Policy logits [height * width] and win, draw, loss shares [3] of the position whose line table rows (encoding.pxd:
# list_rows) are given.
cdef void run_trunk(const TrunkState* trunk, Scratch* scratch, int width, int height, const uint32_t* rows,
                    const int16_t* table, const float* scales, float* logits, float* wdl) noexcept nogil

cdef class Trunk:
    cdef TrunkState state
    cdef float* numbers         # all weights, in the order `run_trunk` reads them
    cdef int used               # of them, so far
    cdef const float* place(self, dict tensors, str name, int outputs, int inputs) except NULL
