"""The line part of a network as a table: the features of every window, built level by level.

A window of half length n is made of three windows of half length n - 1: around its left neighbour, its centre and its
right neighbour. So a level costs three products per window of the level below, and sums. A window is numbered
(left * sides + right) * 3 + centre; a side's code is (3^k - 1) / 2 + the base-3 number of its k visible cells, the
nearest first.
"""

from cython cimport view
from libc.float cimport FLT_MAX
from libc.math cimport fabs
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from cython_core.network.dense cimport PANEL, TILE, multiply
from cython_core.network.encoding cimport LIMIT_OF_LINES, PLANES, WINDOW_ROWS, variant_of
from cython_core.rules.machine cimport renga_wide, wide_works
from cython_core.rules.memory cimport aligned_free, aligned_malloc
from cython_core.rules.typedefs cimport *

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    RENGA_KERNEL add_parts_kernel(const float* bias, const float* left, const float* centre, const float* right, int width,
                                  float* out) {
        for (int i = 0; i < width; i++) {
            const float total = bias[i] + left[i] + centre[i] + right[i];
            out[i] = total > 0 ? total : 0;
        }
    }
    RENGA_BOTH(add_parts,
               (const float* bias, const float* left, const float* centre, const float* right, int width, float* out),
               (bias, left, centre, right, width, out))

    RENGA_KERNEL add_before_kernel(const float* before, int width, float* out) {
        for (int i = 0; i < width; i++) out[i] += before[i];
    }
    RENGA_BOTH(add_before, (const float* before, int width, float* out), (before, width, out))

    RENGA_KERNEL to_steps_kernel(const float* lines, float limit, const float* scales, int channels, int16_t* steps) {
        for (int i = 0; i < channels; i++) {
            float line = lines[i] < limit ? lines[i] : limit;
            line = (line > -limit ? line : -limit) / scales[i];
            line = line < INT16_MAX ? line : INT16_MAX;
            steps[i] = (int16_t)rintf(line > -INT16_MAX ? line : -INT16_MAX);
        }
    }
    RENGA_BOTH(to_steps, (const float* lines, float limit, const float* scales, int channels, int16_t* steps),
               (lines, limit, scales, channels, steps))
    """
    void add_parts(const float* bias, const float* left, const float* centre, const float* right, int width,
                   float* out) noexcept nogil
    void add_before(const float* before, int width, float* out) noexcept nogil
    void to_steps(const float* lines, float limit, const float* scales, int channels, int16_t* steps) noexcept nogil

renga_wide = wide_works()

cdef enum:
    CHUNK = 24                  # windows of the last level at a time: a multiple of TILE
    MAX_WIDTH = 256

ctypedef struct Codes:          # of one side of a window, at one level
    int sides                   # how many there are
    int below                   # and one level below
    int length[SIDE_CODES]      # visible cells
    int near[SIDE_CODES]        # the code without its farthest cell, cut to the level below
    int first[SIDE_CODES]       # the nearest cell
    int rest[SIDE_CODES]        # the code without it
    int shifted[3][SIDE_CODES]  # the code behind another nearest cell, cut to the level below


cdef int power(int exponent) noexcept nogil:
    cdef int result = 1
    for _ in range(exponent):
        result *= 3
    return result


cdef int side_codes(int level) noexcept nogil:
    return (power(level + 1) - 1) // 2


cdef void list_codes(int level, Codes* codes) noexcept nogil:
    cdef int code, number, length, cut, kept, cell
    codes.sides, codes.below = side_codes(level), side_codes(level - 1)
    for code in range(codes.sides):
        length = 0
        while length < level and code >= side_codes(length):
            length += 1
        number = code - (power(length) - 1) // 2
        codes.length[code] = length
        codes.near[code] = (code - 1) // 3 if length == level else code
        codes.first[code] = number // power(max(length - 1, 0))
        codes.rest[code] = (power(max(length - 1, 0)) - 1) // 2 + number % power(max(length - 1, 0))
        cut, kept = code, length
        while kept > max(level - 2, 0):
            cut, kept = (cut - 1) // 3, kept - 1
        for cell in range(3):
            # At the lowest level the level below shows nothing but the centre.
            codes.shifted[cell][code] = (
                0 if level == 1 else (power(kept + 1) - 1) // 2 + cell * power(kept) + cut - (power(kept) - 1) // 2
            )


cdef inline void list_parts(const Codes* codes, int window, int outside, int* parts) noexcept nogil:
    """The three windows of the level below; `outside` stands for one behind the edge."""
    cdef int centre = window % 3, left = window // 3 // codes.sides, right = window // 3 % codes.sides
    parts[0] = outside
    if codes.length[left]:
        parts[0] = (codes.rest[left] * codes.below + codes.shifted[centre][right]) * 3 + codes.first[left]
    parts[1] = (codes.near[left] * codes.below + codes.near[right]) * 3 + centre
    parts[2] = outside
    if codes.length[right]:
        parts[2] = (codes.shifted[centre][left] * codes.below + codes.rest[right]) * 3 + codes.first[right]


ctypedef struct Level:
    Codes codes
    int windows                 # of this level
    int outside                 # windows of the level below: the number of what is behind the edge
    int width                   # features of a window of this level
    const float* bias
    float* below                # features of the level below
    float* products[3]          # of the level below with each tap; one row of zeros at the end
    bint residual               # the centre's features below are added


cdef void sum_parts(const Level* level, int window, float* out) noexcept nogil:
    """The features of one window."""
    cdef int parts[3]
    list_parts(&level.codes, window, level.outside, parts)
    add_parts(level.bias, level.products[0] + <size_t>parts[0] * level.width,
              level.products[1] + <size_t>parts[1] * level.width, level.products[2] + <size_t>parts[2] * level.width,
              level.width, out)
    if level.residual:
        add_before(level.below + <size_t>parts[1] * level.width, level.width, out)


cdef void fill_table(const Level* level, const float* last, const float* zeros, const float* scales, int channels,
                     int16_t* table) noexcept nogil:
    """The topmost level: features, the last layer, and table steps."""
    cdef float features[CHUNK * MAX_WIDTH]
    cdef float lines[CHUNK * MAX_WIDTH]
    cdef int first = 0, count, i, padded = in_panels(channels)
    memset(features, 0, sizeof(features))
    while first < level.windows:
        count = min(CHUNK, level.windows - first)
        for i in range(count):
            sum_parts(level, first + i, features + i * level.width)
        multiply(features, CHUNK, level.width, last, padded, zeros, lines)
        for i in range(count):
            to_steps(lines + i * padded, LIMIT_OF_LINES, scales, channels, table + <size_t>(first + i) * channels)
        first += count


cdef int in_panels(int width) noexcept nogil:
    """Width of a matrix that holds this number of outputs."""
    return (width + PANEL - 1) // PANEL * PANEL


cdef const float[::1] tensor_of(dict tensors, str name, Py_ssize_t size):
    if name not in tensors:
        raise ValueError(f"the network has no tensor {name}")
    cdef const float[::1] tensor = tensors[name]
    if tensor.shape[0] != size:
        raise ValueError(f"tensor {name} has {tensor.shape[0]} numbers instead of {size}")
    return tensor


cdef double most_given(const float[::1] bias, const float[::1] weight, int outputs, double before):
    """The largest number that a layer can give when its inputs are `before` at most. ValueError where no float holds it:
    infinities would vanish in the table, whose steps have limits."""
    cdef Py_ssize_t inputs = weight.shape[0] // outputs, o, i
    cdef double total, most = 0
    for o in range(outputs):
        total = fabs(bias[o])
        for i in range(inputs):
            total += fabs(weight[o * inputs + i]) * before
        most = max(most, total)
    if not most < FLT_MAX:
        raise ValueError("its line part has weights so large that features are infinite")
    return most


cdef float* as_matrix(const float[::1] tensor, int outputs, int inputs, int taps, int tap, int rows) except NULL:
    """One tap of [outputs, inputs, taps] as [rows][outputs in panels]; what is beyond the tensor is zero."""
    cdef int width = in_panels(outputs), i, o
    cdef float* matrix = <float*>calloc(<size_t>rows * width, sizeof(float))
    if matrix is NULL:
        raise MemoryError("no memory for a line table")
    for o in range(outputs):
        for i in range(inputs):
            matrix[i * width + o] = tensor[(o * inputs + i) * taps + tap]
    return matrix


cdef void free_table(void* table) noexcept:
    aligned_free(table)


cdef object empty_table(int channels):
    """int16 [WINDOW_ROWS, channels], not filled, aligned so that a row of 32 channels is one line of the caches."""
    table = view.array(shape=(WINDOW_ROWS, channels), itemsize=sizeof(int16_t), format="h", allocate_buffer=False)
    cdef char* memory = <char*>aligned_malloc(sizeof(int16_t) * WINDOW_ROWS * channels)
    if memory is NULL:
        raise MemoryError("no memory for a line table")
    (<view.array>table).data = memory
    (<view.array>table).callback_free_data = free_table
    return table


cpdef object line_table(dict tensors, int rule, int side, object steps=None):
    """int16 [WINDOW_ROWS, channels]: the line features of every window for one side to move, in steps of `line.scales`
    or of `steps`, a buffer like it.

    tensors: of the network's file, name -> flat buffer of floats. ValueError: they have no such part.
    """
    cdef int hidden = len(tensors.get("line.first.bias", ())), channels = len(tensors.get("line.scales", ()))
    cdef int width = in_panels(hidden)          # of the levels, with what the products need beyond `hidden`
    if not 0 < hidden <= MAX_WIDTH or not 0 < channels <= MAX_WIDTH:
        raise ValueError(f"the core does not tabulate line parts of {hidden} features and {channels} channels")
    cdef const float[::1] scales = tensor_of(tensors, "line.scales", channels)
    if not min(scales) > 0:
        raise ValueError("tensor line.scales has steps that are not above zero")
    if steps is not None:
        scales = steps
    cdef const float[::1] weight = tensor_of(tensors, "line.last.weight", hidden * channels)
    cdef const float[::1] given
    cdef float[::1] zeros = view.array(shape=(MAX_WIDTH,), itemsize=sizeof(float), format="f")
    cdef float[::1] bias = view.array(shape=(MAX_WIDTH,), itemsize=sizeof(float), format="f")
    zeros[:] = 0
    bias[:] = 0
    table = empty_table(channels)
    cdef int16_t[:, ::1] rows = table
    cdef Level level
    cdef float* made
    cdef float* matrix = NULL
    cdef int half, i, below = PLANES, inputs = PLANES, padded, plane = 3 + variant_of(rule, side)
    cdef double most = 1        # of the planes, and so on upwards
    memset(&level, 0, sizeof(level))
    level.width, level.bias = width, &bias[0]
    # The level of single cells: empty, own, opponent; own and opponent are the first two planes.
    level.below = <float*>calloc(TILE * PLANES, sizeof(float))
    if level.below is NULL:
        raise MemoryError("no memory for a line table")
    for i in range(3):
        level.below[i * PLANES + (2, 0, 1)[i]] = level.below[i * PLANES + plane] = 1
    level.windows = 3
    try:
        for half in range(1, REACH + 1):
            name = "line.first" if half == 1 else f"line.layers.{half - 2}"
            given = tensor_of(tensors, f"{name}.bias", hidden)
            for i in range(hidden):
                bias[i] = given[i]
            given = tensor_of(tensors, f"{name}.weight", 3 * hidden * inputs)
            most = (most if half > 1 else 0) + most_given(bias, given, hidden, most)
            level.outside = level.windows
            padded = (level.windows + TILE - 1) // TILE * TILE
            for i in range(3):
                matrix = as_matrix(given, hidden, inputs, 3, i, below)
                free(level.products[i])
                level.products[i] = <float*>malloc(sizeof(float) * width * (padded + 1))
                if level.products[i] is NULL:
                    raise MemoryError("no memory for a line table")
                with nogil:
                    multiply(level.below, padded, below, matrix, width, &zeros[0], level.products[i])
                    memset(level.products[i] + <size_t>level.outside * width, 0, sizeof(float) * width)
                free(matrix)
                matrix = NULL
            level.residual = half > 1
            list_codes(half, &level.codes)
            level.windows = 3 * level.codes.sides * level.codes.sides
            if half == REACH:
                most_given(zeros, weight, channels, most)
                matrix = as_matrix(weight, channels, hidden, 1, 0, width)
                with nogil:
                    fill_table(&level, matrix, &zeros[0], &scales[0], channels, &rows[0, 0])
                break
            padded = (level.windows + TILE - 1) // TILE * TILE
            made = <float*>calloc(<size_t>padded * width, sizeof(float))
            if made is NULL:
                raise MemoryError("no memory for a line table")
            with nogil:
                for i in range(level.windows):
                    sum_parts(&level, i, made + <size_t>i * width)
            free(level.below)
            level.below, below, inputs = made, width, hidden
    finally:
        free(matrix)
        free(level.below)
        for i in range(3):
            free(level.products[i])
    return table
