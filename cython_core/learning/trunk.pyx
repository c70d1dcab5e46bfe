"""The trunk of a network over a batch of boards, with its gradients: blocks of the kinds `sep` and `pool`.

    x       = positive(bias + four table rows of every cell, cut off at the limit)
    sep     x + positive(positive(3x3 convolution of every channel with itself + bias) . point + bias)
    pool    x + (means and maxima over the board) . dense + bias, the same for every cell
    heads   one weighted sum of the channels for every cell; means and maxima

One position after the other goes through all of it, so that it stays in the nearest caches; of each block only its input is
kept for the way back. The sum of a `sep` block's second layer was above zero where its output is above its input.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cython_core.learning.buffers cimport check_indices, check_rows, floats, integers
from cython_core.rules.machine cimport renga_wide, wide_works

cdef extern from "trunk.h":
    ctypedef struct Separable:
        float* depth
        float* depth_bias
        float* point
        float* point_bias
        float* outputs_first

    ctypedef struct Pool:
        float* dense
        float* bias

    ctypedef union Block:
        Separable separable
        Pool pool

    ctypedef struct Trunk:
        int n, height, width, cells, channels, blocks, windows
        int* rows
        float* table
        float limit
        float* bias
        int* is_pool
        Block* weights
        float* policy
        float* policy_bias
        float* x
        float* logits
        float* means
        float* grad_table
        float* grad_bias
        float* grad_policy
        Block* grads
        float* frame
        float* inner
        float* passed
        float* grad
        float* next
        float* pooled
        float* room
        int* best

    void run_forward(const Trunk* t) noexcept nogil
    void run_backward(const Trunk* t) noexcept nogil

renga_wide = wide_works()

cdef enum:
    MAX_BLOCKS = 64


def packed_size(int channels):
    """How many numbers the weights of one block take."""
    return (2 * channels + 11) * channels


cdef void unpack(float* numbers, int channels, bint is_pool, Block* block) noexcept:
    """Where a block's weights are, or their gradients: [9 channels: depth] [channels: its bias] [channels: bias of the
    second layer, or of a pool's] [channels * channels: point, outputs first] [the same, inputs first]; for a pool its dense
    layer, inputs first, is in the place of the last two."""
    if is_pool:
        block.pool.bias, block.pool.dense = numbers + 10 * channels, numbers + 11 * channels
    else:
        block.separable.depth, block.separable.depth_bias = numbers, numbers + 9 * channels
        block.separable.point_bias, block.separable.outputs_first = numbers + 10 * channels, numbers + 11 * channels
        block.separable.point = numbers + (11 + channels) * channels


cdef class Batch:
    """A trunk and the boards that go through it at a time."""

    cdef Trunk t
    cdef Block weights[MAX_BLOCKS]
    cdef Block grads[MAX_BLOCKS]
    cdef int is_pool[MAX_BLOCKS]
    cdef Py_ssize_t packed

    def __init__(self, int n, int height, int width, int channels, pools):
        """pools: for each block, whether it is a pool."""
        check_rows(channels)
        memset(&self.t, 0, sizeof(Trunk))
        if n <= 0 or height <= 0 or width <= 0 or len(pools) > MAX_BLOCKS:
            raise ValueError(f"{n} boards of {width}x{height}, {len(pools)} blocks")
        self.t.n, self.t.height, self.t.width, self.t.cells, self.t.channels = n, height, width, height * width, channels
        self.t.blocks, self.packed = len(pools), packed_size(channels)
        for block, is_pool in enumerate(pools):
            self.is_pool[block] = is_pool
        self.t.is_pool, self.t.weights, self.t.grads = self.is_pool, self.weights, self.grads

    cdef int describe(self, int[::1] rows, float[::1] table, float[::1] weights, float[::1] policy, float[::1] x,
                      float[::1] logits, float[::1] means) except -1:
        cdef Trunk* t = &self.t
        cdef int block
        cdef Py_ssize_t board = t.cells * t.channels
        cdef float* packed = floats(weights, t.blocks * self.packed) if t.blocks else NULL
        t.windows = table.shape[0] // t.channels
        t.rows, t.table = integers(rows, 4 * t.n * t.cells), floats(table, t.windows * t.channels)
        check_indices(t.rows, 4 * t.n * t.cells, t.windows)
        for block in range(t.blocks):
            unpack(packed + block * self.packed, t.channels, self.is_pool[block], &self.weights[block])
        t.policy, t.x = floats(policy, t.channels), floats(x, (t.blocks + 1) * t.n * board)
        t.logits, t.means = floats(logits, t.n * t.cells), floats(means, 2 * t.n * t.channels)
        return 0

    cdef int make_room(self) except -1:
        cdef Trunk* t = &self.t
        cdef size_t board = t.cells * t.channels, frame = (t.height + 2) * (t.width + 2) * t.channels
        t.frame = <float*>calloc(frame + 4 * board + 6 * t.channels, sizeof(float))
        if t.frame is NULL:
            raise MemoryError("no memory for a board")
        t.inner = t.frame + frame
        t.passed, t.grad, t.next, t.pooled = t.inner + board, t.inner + 2 * board, t.inner + 3 * board, t.inner + 4 * board
        t.room, t.best = t.pooled + 2 * t.channels, <int*>(t.pooled + 5 * t.channels)
        return 0

    def forward(self, int[::1] rows, float[::1] table, float limit, float[::1] bias, float[::1] weights,
                float[::1] policy, float[::1] policy_bias, float[::1] x, float[::1] logits, float[::1] means):
        """Fills x [blocks + 1, n, cells, channels] (before every block, and after the last), logits [n, cells] and means [n,
        2 * channels] (and maxima). rows: [n, cells, 4] of the table; weights: [blocks, packed_size]."""
        self.describe(rows, table, weights, policy, x, logits, means)
        self.t.limit, self.t.bias = limit, floats(bias, self.t.channels)
        self.t.policy_bias = floats(policy_bias, 1)
        self.make_room()
        with nogil:
            run_forward(&self.t)
        free(self.t.frame)

    def backward(self, int[::1] rows, float[::1] table, float limit, float[::1] weights, float[::1] policy, float[::1] x,
                 float[::1] grad_logits, float[::1] grad_means, float[::1] grad_table, float[::1] grad_bias,
                 float[::1] grad_weights, float[::1] grad_policy):
        """Adds to grad_table, which must have been zero, grad_bias, grad_weights and grad_policy."""
        cdef int block
        cdef Trunk* t = &self.t
        cdef float* packed = floats(grad_weights, t.blocks * self.packed) if t.blocks else NULL
        self.describe(rows, table, weights, policy, x, grad_logits, grad_means)
        for block in range(t.blocks):
            unpack(packed + block * self.packed, t.channels, self.is_pool[block], &self.grads[block])
        t.limit, t.grad_table = limit, floats(grad_table, t.windows * t.channels)
        t.grad_bias, t.grad_policy = floats(grad_bias, t.channels), floats(grad_policy, t.channels)
        self.make_room()
        with nogil:
            run_backward(&self.t)
        free(self.t.frame)
