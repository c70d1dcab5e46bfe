"""The network's trunk in the core: no library, no batch, so that every simulation knows the one before it.

A block goes over the board in place, row by row: the convolution of a row is done before the row above it is changed.
"""

from libc.math cimport expf, fabs, isfinite, rint
from libc.stdint cimport INT16_MAX
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cython_core.network.integers cimport (
    LANES, add_everywhere, convolve, mix, packed_bias, packed_weight, pool, sum_lines, weigh,
)
from cython_core.rules.machine cimport renga_wide, wide_works

cdef extern from *:
    """
    #include <stddef.h>

    /* `count` times eight outputs from o on, in registers: `count` is a constant. */
    #define RENGA_COMBINED(count)                                                                       \\
        for (; o + 8 * count <= outputs; o += 8 * count) {                                              \\
            v8 sums[count];                                                                             \\
            for (int k = 0; k < count; k++) sums[k] = *(const v8*)(bias + o + 8 * k);                   \\
            for (int i = 0; i < inputs; i++)                                                            \\
                for (int k = 0; k < count; k++)                                                         \\
                    sums[k] += x[i] * *(const v8*)(weight + (size_t)i * outputs + o + 8 * k);           \\
            for (int k = 0; k < count; k++) *(v8*)(out + o + 8 * k) = sums[k];                          \\
        }

    RENGA_KERNEL combine_kernel(const float* x, int inputs, const float* weight, int outputs, const float* bias,
                                float* out) {
        int o = 0;
        RENGA_COMBINED(4)
        RENGA_COMBINED(1)
        for (; o < outputs; o++) {
            float sum = bias[o];
            for (int i = 0; i < inputs; i++) sum += x[i] * weight[(size_t)i * outputs + o];
            out[o] = sum;
        }
    }
    RENGA_BOTH(combine, (const float* x, int inputs, const float* weight, int outputs, const float* bias, float* out),
               (x, inputs, weight, outputs, bias, out))
    """
    # A small dense layer: out = bias + x . weight, inputs first.
    void combine(const float* x, int inputs, const float* weight, int outputs, const float* bias,
                 float* out) noexcept nogil

renga_wide = wide_works()

cdef enum:
    MAX_CHANNELS = 256
    FRAMED = (MAX_SIZE + 2) * (MAX_SIZE + 2)
    ALIGNED = 64                    # bytes, a line of the caches
    # The weights of one output may sum up to this, and its bias reach as far as its products can then: so no sum of
    # 32 bits overflows, whatever the features are.
    WEIGHT_LIMIT = 32767
    PRODUCT_BITS = 15               # most bits by which products are finer than features


cdef bint scratch_create(Scratch* scratch, int channels) noexcept nogil:
    memset(scratch, 0, sizeof(Scratch))
    scratch.channels = channels
    scratch.memory = malloc(sizeof(int16_t) * channels * (FRAMED + 2 * MAX_SIZE) + ALIGNED)
    if scratch.memory is NULL:
        return False
    scratch.board = <int16_t*>((<size_t>scratch.memory + ALIGNED - 1) // ALIGNED * ALIGNED)
    scratch.inner[0] = scratch.board + channels * FRAMED
    scratch.inner[1] = scratch.inner[0] + channels * MAX_SIZE
    return True


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    free(scratch.memory)
    memset(scratch, 0, sizeof(Scratch))


cdef void fit_board(Scratch* scratch, int width, int height) noexcept nogil:
    """A frame of zeros for another board size."""
    cdef int x, y
    if scratch.width == width and scratch.height == height:
        return
    memset(scratch.board, 0, sizeof(int16_t) * scratch.channels * FRAMED)
    scratch.width, scratch.height = width, height
    for y in range(height):
        for x in range(width):
            scratch.at[y * width + x] = (y + 1) * (width + 2) + x + 1


cdef void run_separable(const Block* block, Scratch* scratch) noexcept nogil:
    cdef int y, channels = scratch.channels, width = scratch.width, step = (width + 2) * channels
    cdef int16_t* row = scratch.board + step + channels
    convolve(row, width, channels, step, block.depth, block.depth_bias, scratch.inner[0])
    for y in range(scratch.height):
        if y + 1 < scratch.height:
            convolve(row + step, width, channels, step, block.depth, block.depth_bias, scratch.inner[(y + 1) & 1])
        mix(scratch.inner[y & 1], width, channels, block.point, block.point_bias, block.shift, row)
        row += step


cdef void pool_floats(const Scratch* scratch, float* out) noexcept nogil:
    """The mean and then the maximum of every channel over the board."""
    cdef int32_t total[MAX_CHANNELS]
    cdef int16_t most[MAX_CHANNELS]
    cdef int c, channels = scratch.channels, cells = scratch.width * scratch.height
    pool(scratch.board, scratch.at, cells, channels, total, most)
    for c in range(channels):
        out[c] = <float>total[c] / <float>(UNIT * cells)
        out[channels + c] = <float>most[c] / <float>UNIT


cdef inline int16_t in_steps(double value) noexcept nogil:
    """The nearest 16-bit integer."""
    return <int16_t>rint(max(-<double>INT16_MAX, min(<double>INT16_MAX, value)))


cdef void run_pool(const Block* block, Scratch* scratch) noexcept nogil:
    cdef float pooled[2 * MAX_CHANNELS]
    cdef float inner[MAX_CHANNELS]
    cdef int16_t more[MAX_CHANNELS]
    cdef int c, channels = scratch.channels
    pool_floats(scratch, pooled)
    combine(pooled, 2 * channels, block.dense, channels, block.dense_bias, inner)
    for c in range(channels):
        more[c] = in_steps(<double>inner[c] * UNIT)
    add_everywhere(scratch.board, more, scratch.at, scratch.width * scratch.height, channels)


cdef void run_trunk(const TrunkState* trunk, Scratch* scratch, int width, int height, const uint32_t* rows,
                    const int16_t* table, float* logits, float* wdl) noexcept nogil:
    cdef int cells = width * height, channels = trunk.channels, i
    cdef float pooled[2 * MAX_CHANNELS]
    cdef float inner[MAX_CHANNELS]
    cdef float top, total
    cdef const Block* block
    fit_board(scratch, width, height)
    sum_lines(table, rows, scratch.at, cells, channels, trunk.bias, scratch.board)
    for i in range(trunk.block_count):
        block = &trunk.blocks[i]
        if block.kind == SEPARABLE:
            run_separable(block, scratch)
        else:
            run_pool(block, scratch)
    weigh(scratch.board, trunk.policy, trunk.policy_scale, trunk.policy_bias, scratch.at, cells, channels, logits)
    pool_floats(scratch, pooled)
    combine(pooled, 2 * channels, trunk.hidden, trunk.head, trunk.hidden_bias, inner)
    for i in range(trunk.head):
        inner[i] = max(inner[i], <float>0)
    combine(inner, trunk.head, trunk.outcome, 3, trunk.outcome_bias, wdl)
    top = max(wdl[0], wdl[1], wdl[2])
    total = 0
    for i in range(3):
        wdl[i] = expf(wdl[i] - top)
        total += wdl[i]
    for i in range(3):
        wdl[i] /= total


BLOCKS = ("sep", "pool")


def runs(str blocks, int channels, int head):
    """Is a trunk of this shape one for the core?"""
    names = blocks.split(",")
    return (not set(names) - set(BLOCKS) and len(names) <= MAX_BLOCKS
            and channels % LANES == 0 and 0 < channels <= MAX_CHANNELS and 0 < head <= MAX_CHANNELS)


cdef const float[::1] numbers_of(dict tensors, str name, int size):
    """A tensor as it is in the file; ValueError if it is missing, has another size or something that is no number."""
    cdef const float[::1] tensor
    cdef int i
    if name not in tensors:
        raise ValueError(f"the network has no tensor {name}")
    tensor = tensors[name]
    if tensor.shape[0] != size:
        raise ValueError(f"tensor {name} has {tensor.shape[0]} numbers instead of {size}")
    for i in range(size):
        if not isfinite(tensor[i]):
            raise ValueError(f"tensor {name} has NaN or infinity in it")
    return tensor


cdef class Trunk:
    """The trunk of one network, from the tensors of its ONNX file: name -> flat buffer of floats.

    blocks: names of the blocks from the line features up, `sep` and `pool`. ValueError: this trunk cannot be run
    here, or a tensor is missing, has another size or something that is no number.
    """

    def __cinit__(self, dict tensors, str blocks):
        names = blocks.split(",")
        cdef TrunkState* trunk = &self.state
        cdef int channels = len(tensors.get("trunk.bias", ())), head = len(tensors.get("trunk.value.0.bias", ()))
        cdef const float[::1] given
        cdef double scale
        cdef int i
        if not runs(blocks, channels, head):
            raise ValueError(f"the core does not run trunks of {blocks}, {channels} channels and a head of {head}")
        # No form of a tensor is larger than floats are.
        self.memory = <char*>malloc(sum(sizeof(float) * len(tensor) + ALIGNED for tensor in tensors.values()) + ALIGNED)
        if self.memory is NULL:
            raise MemoryError("no memory for a trunk")
        self.used = -<size_t>self.memory % ALIGNED
        trunk.channels, trunk.head, trunk.block_count = channels, head, len(names)
        trunk.bias = <int16_t*>self.room(sizeof(int16_t) * channels)
        given = numbers_of(tensors, "trunk.bias", channels)
        for i in range(channels):
            (<int16_t*>trunk.bias)[i] = in_steps(<double>given[i] * UNIT)
        for i, name in enumerate(names):
            here = f"trunk.blocks.{i}"
            if name == "sep":
                self.place_separable(&trunk.blocks[i], tensors, here)
            else:
                trunk.blocks[i].kind = POOL
                trunk.blocks[i].dense = self.place(tensors, f"{here}.dense.weight", channels, 2 * channels)
                trunk.blocks[i].dense_bias = self.place(tensors, f"{here}.dense.bias", channels, 1)
        trunk.policy = <int16_t*>self.room(sizeof(int16_t) * channels)
        given = numbers_of(tensors, "trunk.policy.weight", channels)
        scale = WEIGHT_LIMIT / max(1e-9, sum(fabs(given[i]) for i in range(channels)))
        for i in range(channels):
            (<int16_t*>trunk.policy)[i] = <int16_t>(<double>given[i] * scale)
        trunk.policy_scale = 1 / (scale * UNIT)
        trunk.policy_bias = numbers_of(tensors, "trunk.policy.bias", 1)[0]
        trunk.hidden = self.place(tensors, "trunk.value.0.weight", head, 2 * channels)
        trunk.hidden_bias = self.place(tensors, "trunk.value.0.bias", head, 1)
        trunk.outcome = self.place(tensors, "trunk.value.2.weight", 3, head)
        trunk.outcome_bias = self.place(tensors, "trunk.value.2.bias", 3, 1)

    def __dealloc__(self):
        free(self.memory)

    cdef void* room(self, Py_ssize_t bytes) except NULL:
        cdef void* found = self.memory + self.used
        self.used += (bytes + ALIGNED - 1) // ALIGNED * ALIGNED
        return found

    cdef const float* place(self, dict tensors, str name, int outputs, int inputs) except NULL:
        """Copies a tensor [outputs, inputs], inputs first."""
        cdef const float[::1] tensor = numbers_of(tensors, name, outputs * inputs)
        cdef float* target = <float*>self.room(sizeof(float) * outputs * inputs)
        cdef int i, o
        for i in range(inputs):
            for o in range(outputs):
                target[i * outputs + o] = tensor[o * inputs + i]
        return target

    cdef int place_separable(self, Block* block, dict tensors, str here) except -1:
        """Both halves of a block in integers. The features between them have steps of their own per channel: as fine as
        the largest weight of the channel's convolution allows."""
        cdef int channels = self.state.channels, i, o, k
        cdef const float[::1] depth = numbers_of(tensors, f"{here}.depth.weight", 9 * channels)
        cdef const float[::1] depth_bias = numbers_of(tensors, f"{here}.depth.bias", channels)
        cdef const float[::1] point = numbers_of(tensors, f"{here}.point.weight", channels * channels)
        cdef const float[::1] point_bias = numbers_of(tensors, f"{here}.point.bias", channels)
        cdef int16_t* weights = <int16_t*>self.room(sizeof(int16_t) * 9 * channels)
        cdef int16_t* biases = <int16_t*>self.room(sizeof(int16_t) * channels)
        cdef int16_t* products = <int16_t*>self.room(sizeof(int16_t) * channels * channels)
        cdef int32_t* product_biases = <int32_t*>self.room(sizeof(int32_t) * channels)
        cdef double finer[MAX_CHANNELS]     # inner steps in one step of 1 / UNIT
        cdef double most, total, largest = 0, limit
        for i in range(channels):
            most = fabs(depth_bias[i]) / 64     # a bias takes half of the range at most
            for k in range(9):
                most = max(most, fabs(depth[9 * i + k]))
            finer[i] = INT16_MAX / (32768 * max(most, 1e-6))
            biases[i] = in_steps(depth_bias[i] * UNIT * finer[i])
            for k in range(9):
                weights[k * channels + i] = in_steps(depth[9 * i + k] * finer[i] * 32768)
        for o in range(channels):
            total = 0
            for i in range(channels):
                total += fabs(point[o * channels + i]) / finer[i]
            largest = max(largest, total)
        block.shift = PRODUCT_BITS
        while block.shift > 0 and largest * (1 << block.shift) > WEIGHT_LIMIT - channels:
            block.shift -= 1        # rounding adds up to half for every input
        if largest > WEIGHT_LIMIT - channels:
            raise ValueError(f"tensor {here}.point.weight has numbers that are too large for the core")
        limit = (1 << 30) - (1 << PRODUCT_BITS)
        for o in range(channels):
            for i in range(channels):
                products[packed_weight(channels, o, i)] = in_steps(
                    point[o * channels + i] / finer[i] * (1 << block.shift))
            product_biases[packed_bias(o)] = <int32_t>rint(max(-limit, min(
                limit, point_bias[o] * UNIT * (1 << block.shift)))) + ((1 << block.shift) >> 1)
        block.kind, block.depth, block.depth_bias = SEPARABLE, weights, biases
        block.point, block.point_bias = products, product_biases
        return 0

    @property
    def channels(self):
        return self.state.channels
