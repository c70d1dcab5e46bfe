# The network's trunk on one position: summed line features to policy and value, without a library.
#
# The board lies in a frame of zeros, a cell's channels side by side:
#
#     0 0 0 0 0        at(x, y) = (y + 1) * (width + 2) + x + 1
#     0 x x x 0        so that the nine cells of a convolution are nine constant steps
#     0 x x x 0
#     0 0 0 0 0
#
# The features of a cell are 16-bit integers in steps of 1/UNIT from the line table to the heads; what is beyond 16 bits
# is cut there. Numbers that are one for the whole board (pools, value) are floats.

from cython_core.rules.typedefs cimport *

cdef enum:
    MAX_BLOCKS = 16
    UNIT = 256              # steps of a feature of one: up to 128 can be told, and trained networks stay below 50
    SEPARABLE = 0           # x + relu(point(relu(depth(x)))): a 3x3 convolution per channel, then one over channels
    POOL = 1                # x + dense(mean and maximum over the board), the same for every cell

ctypedef struct Block:
    int kind
    const int16_t* depth        # [9][channels], in 1/32768 of a step of the channel's inner feature
    const int16_t* depth_bias
    const int16_t* point        # [channels][channels] as integers.pxd packs them
    const int32_t* point_bias
    int shift                   # bits by which the products are finer than features
    const float* dense          # [2 * channels][channels], inputs first
    const float* dense_bias

ctypedef struct TrunkState:
    int channels
    int head                    # width of the value head
    int block_count
    Block blocks[MAX_BLOCKS]
    const int16_t* bias         # [channels], added to the line features
    const int16_t* policy       # [channels]
    float policy_scale          # of a product with them
    float policy_bias
    const float* hidden         # [2 * channels][head]
    const float* hidden_bias
    const float* outcome        # [head][3]
    const float* outcome_bias

ctypedef struct Scratch:        # work space of one thread
    int channels                # what it was made for
    int width                   # the board its frame of zeros fits
    int height
    int at[CELLS]               # where each cell is in the frame
    void* memory
    int16_t* board              # framed
    int16_t* inner[2]           # two rows of cells between the two halves of a block

# Work space for boards of every size. False when there is no memory.
cdef bint scratch_create(Scratch* scratch, int channels) noexcept nogil
cdef void scratch_free(Scratch* scratch) noexcept nogil

# Policy logits [height * width] and win, draw, loss shares [3] of the position whose line table rows (encoding.pxd:
# list_rows) are given; the table is in steps of 1/UNIT.
cdef void run_trunk(const TrunkState* trunk, Scratch* scratch, int width, int height, const uint32_t* rows,
                    const int16_t* table, float* logits, float* wdl) noexcept nogil

cdef class Trunk:
    cdef TrunkState state
    cdef char* memory           # all weights
    cdef Py_ssize_t used        # bytes of it, so far
    cdef void* room(self, Py_ssize_t bytes) except NULL
    cdef const float* place(self, dict tensors, str name, int outputs, int inputs) except NULL
    cdef int place_separable(self, Block* block, dict tensors, str here) except -1
