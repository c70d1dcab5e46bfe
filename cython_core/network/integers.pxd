# The network's layers in 16-bit integers: the same numbers on every machine, faster where AVX2 or AVX-512 is.
#
# A cell's channels lie side by side, `channels` is a multiple of LANES. `at` names cells of a framed board (trunk.pxd).
# Sums that could leave 16 bits are cut there (they saturate); 32-bit sums cannot overflow by the choice of weights.

from cython_core.rules.typedefs cimport *

cdef enum:
    LANES = 16              # channels that are worked on together

# out = the positive part of bias + four table rows; `rows` has four numbers per cell.
cdef void sum_lines(const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                    const int16_t* bias, int16_t* out) noexcept nogil

# out[cells][channels] = the positive part of a 3x3 convolution of every channel with itself, for the cells that begin
# at x; a row of the framed board is `step` numbers long. Weights are [9][channels] in 1/32768.
cdef void convolve(const int16_t* x, int cells, int channels, int step, const int16_t* weight, const int16_t* bias,
                   int16_t* out) noexcept nogil

# x[cells][channels] += the positive part of (bias + some . weight) / 2^shift. Weights lie where `packed_weight` says.
cdef void mix(const int16_t* some, int cells, int channels, const int16_t* weight, const int32_t* bias, int shift,
              int16_t* x) noexcept nogil

# Where `mix` looks for the weight of an input for an output, and for an output's bias.
cdef int packed_weight(int channels, int output, int input) noexcept nogil
cdef int packed_bias(int output) noexcept nogil

# The sum and the maximum of every channel over the board.
cdef void pool(const int16_t* x, const int* at, int cells, int channels, int32_t* total, int16_t* most) noexcept nogil

# Adds the same numbers to every cell.
cdef void add_everywhere(int16_t* x, const int16_t* more, const int* at, int cells, int channels) noexcept nogil

# out[cell] = scale * (one weighted sum of its channels) + bias.
cdef void weigh(const int16_t* x, const int16_t* weight, float scale, float bias, const int* at, int cells,
                int channels, float* out) noexcept nogil
