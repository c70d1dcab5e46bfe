"""The network's trunk in the core: no library, no batch, so that every simulation knows the one before it.

A block's two halves are done for CHUNK cells at a time, which stay in the nearest cache between them.
"""

from libc.math cimport expf, isfinite
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from cython_core.network.dense cimport TILE, PANEL, multiply
from cython_core.rules.machine cimport renga_wide, wide_works

cdef extern from *:
    """
    #include <stdint.h>
    #include <stddef.h>

    enum { AHEAD = 6 };     /* cells whose table rows are being fetched: the table is larger than the caches */

    /* Four table rows added up, plus bias, cut at zero. */
    RENGA_KERNEL sum_lines_kernel(const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                                  const float* scales, const float* bias, float* out) {
        for (int i = 0; i < cells; i++) {
            const uint32_t* r = rows + 4 * i;
            float* to = out + (size_t)at[i] * channels;
            if (i + AHEAD < cells)
                for (int k = 0; k < 4; k++)
                    for (int c = 0; c < channels; c += 32)
                        __builtin_prefetch(table + (size_t)r[4 * AHEAD + k] * channels + c);
            for (int c = 0; c < channels; c += 8) {
                v8i sum = {0};
                for (int k = 0; k < 4; k++)
                    sum += __builtin_convertvector(*(const v8s*)(table + (size_t)r[k] * channels + c), v8i);
                const v8 x = __builtin_convertvector(sum, v8) * *(const v8*)(scales + c) + *(const v8*)(bias + c);
                *(v8*)(to + c) = RENGA_POSITIVE(x);
            }
        }
    }
    RENGA_BOTH(sum_lines,
               (const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                const float* scales, const float* bias, float* out),
               (table, rows, at, cells, channels, scales, bias, out))

    /* A 3x3 convolution of every channel with itself, cut at zero, for the cells named in `at`. */
    RENGA_KERNEL depth_kernel(const float* x, const int* at, int cells, int channels, int frame,
                              const float* weight, const float* bias, float* out) {
        for (int c = 0; c < channels; c += 8) {
            v8 w[9];
            const v8 b = *(const v8*)(bias + c);
            for (int k = 0; k < 9; k++) w[k] = *(const v8*)(weight + (size_t)k * channels + c);
            for (int i = 0; i < cells; i++) {
                const float* p = x + (size_t)at[i] * channels + c;
                const ptrdiff_t row = (ptrdiff_t)frame * channels;
                v8 above = b + w[0] * *(const v8*)(p - row - channels) + w[1] * *(const v8*)(p - row)
                         + w[2] * *(const v8*)(p - row + channels);
                v8 here = w[3] * *(const v8*)(p - channels) + w[4] * *(const v8*)p + w[5] * *(const v8*)(p + channels);
                v8 below = w[6] * *(const v8*)(p + row - channels) + w[7] * *(const v8*)(p + row)
                         + w[8] * *(const v8*)(p + row + channels);
                const v8 sum = above + here + below;
                *(v8*)(out + (size_t)i * channels + c) = RENGA_POSITIVE(sum);
            }
        }
    }
    RENGA_BOTH(depth,
               (const float* x, const int* at, int cells, int channels, int frame,
                const float* weight, const float* bias, float* out),
               (x, at, cells, channels, frame, weight, bias, out))

    /* out = x + the positive part of `more`, for the cells named in `at`. */
    RENGA_KERNEL add_positive_kernel(const float* x, const float* more, const int* at, int cells, int channels,
                                     float* out) {
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c += 8) {
                const size_t there = (size_t)at[i] * channels + c;
                const v8 new = *(const v8*)(more + (size_t)i * channels + c);
                *(v8*)(out + there) = *(const v8*)(x + there) + RENGA_POSITIVE(new);
            }
    }
    RENGA_BOTH(add_positive,
               (const float* x, const float* more, const int* at, int cells, int channels, float* out),
               (x, more, at, cells, channels, out))

    /* The mean and then the maximum of every channel over the board. */
    RENGA_KERNEL pool_kernel(const float* x, const int* at, int cells, int channels, float* out) {
        for (int c = 0; c < channels; c += 8) {
            v8 total = {0}, most = *(const v8*)(x + (size_t)at[0] * channels + c);
            for (int i = 0; i < cells; i++) {
                const v8 v = *(const v8*)(x + (size_t)at[i] * channels + c);
                const v8i larger = v > most;
                total += v;
                most = (v8)((larger & (v8i)v) | (~larger & (v8i)most));
            }
            *(v8*)(out + c) = total / (float)cells;
            *(v8*)(out + channels + c) = most;
        }
    }
    RENGA_BOTH(pool, (const float* x, const int* at, int cells, int channels, float* out),
               (x, at, cells, channels, out))

    /* Adds the same numbers to every cell. */
    RENGA_KERNEL add_everywhere_kernel(float* x, const float* more, const int* at, int cells, int channels) {
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c += 8)
                *(v8*)(x + (size_t)at[i] * channels + c) += *(const v8*)(more + c);
    }
    RENGA_BOTH(add_everywhere, (float* x, const float* more, const int* at, int cells, int channels),
               (x, more, at, cells, channels))

    /* One weighted sum of the channels per cell. */
    RENGA_KERNEL weigh_kernel(const float* x, const float* weight, float bias, const int* at, int cells, int channels,
                              float* out) {
        for (int i = 0; i < cells; i++) {
            v8 sum = {0};
            float total = bias;
            for (int c = 0; c < channels; c += 8)
                sum += *(const v8*)(x + (size_t)at[i] * channels + c) * *(const v8*)(weight + c);
            for (int k = 0; k < 8; k++) total += sum[k];
            out[i] = total;
        }
    }
    RENGA_BOTH(weigh,
               (const float* x, const float* weight, float bias, const int* at, int cells, int channels, float* out),
               (x, weight, bias, at, cells, channels, out))

    /* A small dense layer: out = bias + x . weight, inputs first. */
    RENGA_KERNEL combine_kernel(const float* x, int inputs, const float* weight, int outputs, const float* bias,
                                float* out) {
        for (int o = 0; o < outputs; o++) out[o] = bias[o];
        for (int i = 0; i < inputs; i++)
            for (int o = 0; o < outputs; o++) out[o] += x[i] * weight[(size_t)i * outputs + o];
    }
    RENGA_BOTH(combine,
               (const float* x, int inputs, const float* weight, int outputs, const float* bias, float* out),
               (x, inputs, weight, outputs, bias, out))
    """
    void sum_lines(const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                   const float* scales, const float* bias, float* out) noexcept nogil
    void depth(const float* x, const int* at, int cells, int channels, int frame, const float* weight,
               const float* bias, float* out) noexcept nogil
    void add_positive(const float* x, const float* more, const int* at, int cells, int channels,
                      float* out) noexcept nogil
    void pool(const float* x, const int* at, int cells, int channels, float* out) noexcept nogil
    void add_everywhere(float* x, const float* more, const int* at, int cells, int channels) noexcept nogil
    void weigh(const float* x, const float* weight, float bias, const int* at, int cells, int channels,
               float* out) noexcept nogil
    void combine(const float* x, int inputs, const float* weight, int outputs, const float* bias,
                 float* out) noexcept nogil

renga_wide = wide_works()

cdef enum:
    CHUNK = 24                  # cells, a multiple of TILE: their channels and the weights fit the nearest cache together
    MAX_CHANNELS = 256
    FRAMED = (MAX_SIZE + 2) * (MAX_SIZE + 2)


cdef bint scratch_create(Scratch* scratch, int channels) noexcept nogil:
    memset(scratch, 0, sizeof(Scratch))
    scratch.channels = channels
    scratch.now = <float*>malloc(sizeof(float) * channels * (2 * FRAMED + 2 * CHUNK))
    if scratch.now is NULL:
        return False
    scratch.after = scratch.now + channels * FRAMED
    scratch.some = scratch.after + channels * FRAMED
    scratch.more = scratch.some + channels * CHUNK
    # A chunk that is not full is multiplied all the same.
    memset(scratch.some, 0, sizeof(float) * channels * 2 * CHUNK)
    scratch.memory = scratch.now
    return True


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    free(scratch.memory)
    memset(scratch, 0, sizeof(Scratch))


cdef void fit_board(Scratch* scratch, int width, int height) noexcept nogil:
    """Frames of zeros for another board size."""
    cdef int x, y
    if scratch.width == width and scratch.height == height:
        return
    memset(scratch.memory, 0, sizeof(float) * scratch.channels * 2 * FRAMED)
    scratch.width, scratch.height = width, height
    for y in range(height):
        for x in range(width):
            scratch.at[y * width + x] = (y + 1) * (width + 2) + x + 1


cdef void run_separable(const TrunkState* trunk, const Block* block, Scratch* scratch) noexcept nogil:
    cdef int cells = scratch.width * scratch.height, first = 0, count
    while first < cells:
        count = min(CHUNK, cells - first)
        depth(scratch.now, scratch.at + first, count, trunk.channels, scratch.width + 2, block.depth,
              block.depth_bias, scratch.some)
        multiply(scratch.some, (count + TILE - 1) // TILE * TILE, trunk.channels, block.mix, trunk.channels,
                 block.mix_bias, scratch.more)
        add_positive(scratch.now, scratch.more, scratch.at + first, count, trunk.channels, scratch.after)
        first += count
    scratch.now, scratch.after = scratch.after, scratch.now


cdef void run_trunk(const TrunkState* trunk, Scratch* scratch, int width, int height, const uint32_t* rows,
                    const int16_t* table, const float* scales, float* logits, float* wdl) noexcept nogil:
    cdef int cells = width * height, channels = trunk.channels, i
    cdef float pooled[2 * MAX_CHANNELS]
    cdef float inner[MAX_CHANNELS]
    cdef float top, total
    cdef const Block* block
    fit_board(scratch, width, height)
    sum_lines(table, rows, scratch.at, cells, channels, scales, trunk.bias, scratch.now)
    for i in range(trunk.block_count):
        block = &trunk.blocks[i]
        if block.kind == SEPARABLE:
            run_separable(trunk, block, scratch)
        else:
            pool(scratch.now, scratch.at, cells, channels, pooled)
            combine(pooled, 2 * channels, block.mix, channels, block.mix_bias, inner)
            add_everywhere(scratch.now, inner, scratch.at, cells, channels)
    weigh(scratch.now, trunk.policy, trunk.policy_bias[0], scratch.at, cells, channels, logits)
    pool(scratch.now, scratch.at, cells, channels, pooled)
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
            and channels % PANEL == 0 and 0 < channels <= MAX_CHANNELS and 0 < head <= MAX_CHANNELS)


cdef class Trunk:
    """The trunk of one network, from the tensors of its ONNX file: name -> flat buffer of floats.

    blocks: names of the blocks from the line features up, `sep` and `pool`. ValueError: this trunk cannot be run
    here, or a tensor is missing, has another size or something that is no number.
    """

    def __cinit__(self, dict tensors, str blocks):
        names = blocks.split(",")
        self.numbers = <float*>malloc(sizeof(float) * (1 + sum(len(tensor) for tensor in tensors.values())))
        if self.numbers is NULL:
            raise MemoryError("no memory for a trunk")
        self.used = 0
        cdef TrunkState* trunk = &self.state
        cdef int channels = len(tensors.get("trunk.bias", ())), head = len(tensors.get("trunk.value.0.bias", ()))
        cdef int i
        if not runs(blocks, channels, head):
            raise ValueError(f"the core does not run trunks of {blocks}, {channels} channels and a head of {head}")
        trunk.channels, trunk.head, trunk.block_count = channels, head, len(names)
        trunk.bias = self.place(tensors, "trunk.bias", channels, 1)
        for i, name in enumerate(names):
            here = f"trunk.blocks.{i}"
            if name == "sep":
                trunk.blocks[i].kind = SEPARABLE
                trunk.blocks[i].depth = self.place(tensors, f"{here}.depth.weight", channels, 9)
                trunk.blocks[i].depth_bias = self.place(tensors, f"{here}.depth.bias", channels, 1)
                trunk.blocks[i].mix = self.place(tensors, f"{here}.point.weight", channels, channels)
                trunk.blocks[i].mix_bias = self.place(tensors, f"{here}.point.bias", channels, 1)
            else:
                trunk.blocks[i].kind = POOL
                trunk.blocks[i].mix = self.place(tensors, f"{here}.dense.weight", channels, 2 * channels)
                trunk.blocks[i].mix_bias = self.place(tensors, f"{here}.dense.bias", channels, 1)
        trunk.policy = self.place(tensors, "trunk.policy.weight", 1, channels)
        trunk.policy_bias = self.place(tensors, "trunk.policy.bias", 1, 1)
        trunk.hidden = self.place(tensors, "trunk.value.0.weight", head, 2 * channels)
        trunk.hidden_bias = self.place(tensors, "trunk.value.0.bias", head, 1)
        trunk.outcome = self.place(tensors, "trunk.value.2.weight", 3, head)
        trunk.outcome_bias = self.place(tensors, "trunk.value.2.bias", 3, 1)

    def __dealloc__(self):
        free(self.numbers)

    cdef const float* place(self, dict tensors, str name, int outputs, int inputs) except NULL:
        """Copies a tensor [outputs, inputs] into `numbers`, inputs first."""
        cdef const float[::1] tensor
        cdef float* target = self.numbers + self.used
        cdef int i, o
        if name not in tensors:
            raise ValueError(f"the network has no tensor {name}")
        tensor = tensors[name]
        if tensor.shape[0] != outputs * inputs:
            raise ValueError(f"tensor {name} has {tensor.shape[0]} numbers instead of {outputs * inputs}")
        for i in range(inputs):
            for o in range(outputs):
                if not isfinite(tensor[o * inputs + i]):
                    raise ValueError(f"tensor {name} has NaN or infinity in it")
                target[i * outputs + o] = tensor[o * inputs + i]
        self.used += outputs * inputs
        return target

    @property
    def channels(self):
        return self.state.channels
