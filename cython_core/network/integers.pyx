"""The network's layers in 16-bit integers, written plainly: this defines what they compute, and runs on every machine.

integers_avx2.pxd and integers_avx512.pxd have them for wide registers, with the same integers as their result.
"""

# In this order: the C of each builds on the one before.
from cython_core.rules.machine cimport renga_wide, wide_works
from cython_core.network.integers_avx2 cimport AHEAD
from cython_core.network.integers_avx512 cimport TILE

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>

    static inline int16_t cut(int32_t v) { return v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v; }
    static inline int16_t positive(int16_t v) { return v > 0 ? v : 0; }

    static void sum_lines_plain(const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                                const int16_t* bias, int16_t* out) {
        for (int i = 0; i < cells; i++, rows += 4) {
            const int16_t* r[4];
            int16_t* to = out + (size_t)at[i] * channels;
            for (int k = 0; k < 4; k++) r[k] = table + (size_t)rows[k] * channels;
            if (i + AHEAD < cells) fetch_cell(table, rows + 4 * AHEAD, channels);
            for (int c = 0; c < channels; c++)
                to[c] = positive(cut(cut(r[0][c] + r[1][c]) + cut(cut(r[2][c] + r[3][c]) + bias[c])));
        }
    }

    static void convolve_plain(const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                               const int16_t* bias, int16_t* out) {
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c++) {
                const int16_t* p = x + (ptrdiff_t)i * channels + c;
                int16_t sum = bias[c];
                for (int k = 0; k < 9; k++) {       /* column by column */
                    const int32_t product = p[(k % 3 - 1) * (ptrdiff_t)step + (k / 3 - 1) * channels]
                                          * weight[(k % 3 * 3 + k / 3) * channels + c];
                    sum = cut(sum + ((product + 0x4000) >> 15));
                }
                out[(size_t)i * channels + c] = positive(sum);
            }
    }

    /* Sixteen outputs of two inputs lie together, as AVX2 packs their sums: 0-3, 8-11, 4-7, 12-15. */
    static inline int place_of(int output) { return (output & 3) | (output & 4) << 1 | (output & 8) >> 1; }

    static void mix_plain(const int16_t* some, int cells, int channels, const int16_t* weight, const int32_t* bias,
                          int shift, int16_t* x) {
        for (int o = 0; o < channels; o += 16, weight += 16 * channels, bias += 16)
            for (int i = 0; i < cells; i++) {
                const int16_t* in = some + (size_t)i * channels;
                int16_t* to = x + (size_t)i * channels + o;
                int32_t sums[16];
                for (int k = 0; k < 16; k++) sums[k] = bias[k];
                for (int c = 0; c < channels; c += 2)
                    for (int k = 0; k < 16; k++)
                        sums[k] += in[c] * weight[16 * c + 2 * k] + in[c + 1] * weight[16 * c + 2 * k + 1];
                for (int k = 0; k < 16; k++) to[k] = cut(to[k] + positive(cut(sums[place_of(k)] >> shift)));
            }
    }

    static void pool_plain(const int16_t* x, const int* at, int cells, int channels, int32_t* total, int16_t* most) {
        for (int c = 0; c < channels; c++) total[c] = 0, most[c] = INT16_MIN;
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c++) {
                const int16_t v = x[(size_t)at[i] * channels + c];
                total[c] += v;
                most[c] = v > most[c] ? v : most[c];
            }
    }

    static void add_everywhere_plain(int16_t* x, const int16_t* more, const int* at, int cells, int channels) {
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c++)
                x[(size_t)at[i] * channels + c] = cut(x[(size_t)at[i] * channels + c] + more[c]);
    }

    static void weigh_plain(const int16_t* x, const int16_t* weight, float scale, float bias, const int* at, int cells,
                            int channels, float* out) {
        for (int i = 0; i < cells; i++) {
            int32_t sum = 0;
            for (int c = 0; c < channels; c++) sum += x[(size_t)at[i] * channels + c] * weight[c];
            out[i] = (float)sum * scale + bias;
        }
    }

    /* The widest form of a layer that the machine can run. */
    #if RENGA_AVX2
    #define RENGA_EITHER(name, parameters, arguments) \\
        static void name##_here parameters { if (renga_wide) name##_avx2 arguments; else name##_plain arguments; }
    #define RENGA_WIDEST_OF(name, parameters, arguments)                \\
        static void name##_here parameters {                            \\
            if (renga_wide == AVX512) name##_avx512 arguments;          \\
            else if (renga_wide) name##_avx2 arguments;                 \\
            else name##_plain arguments;                                \\
        }
    #else
    #define RENGA_EITHER(name, parameters, arguments) static void name##_here parameters { name##_plain arguments; }
    #define RENGA_WIDEST_OF RENGA_EITHER
    #endif

    RENGA_EITHER(sum_lines, (const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                             const int16_t* bias, int16_t* out), (table, rows, at, cells, channels, bias, out))
    RENGA_WIDEST_OF(convolve, (const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                               const int16_t* bias, int16_t* out), (x, cells, channels, step, weight, bias, out))
    RENGA_WIDEST_OF(mix, (const int16_t* some, int cells, int channels, const int16_t* weight, const int32_t* bias,
                          int shift, int16_t* x), (some, cells, channels, weight, bias, shift, x))
    RENGA_EITHER(pool, (const int16_t* x, const int* at, int cells, int channels, int32_t* total, int16_t* most),
                 (x, at, cells, channels, total, most))
    RENGA_EITHER(add_everywhere, (int16_t* x, const int16_t* more, const int* at, int cells, int channels),
                 (x, more, at, cells, channels))
    RENGA_EITHER(weigh, (const int16_t* x, const int16_t* weight, float scale, float bias, const int* at, int cells,
                         int channels, float* out), (x, weight, scale, bias, at, cells, channels, out))
    """
    void sum_lines_here(const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                        const int16_t* bias, int16_t* out) noexcept nogil
    void convolve_here(const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                       const int16_t* bias, int16_t* out) noexcept nogil
    void mix_here(const int16_t* some, int cells, int channels, const int16_t* weight, const int32_t* bias, int shift,
                  int16_t* x) noexcept nogil
    void pool_here(const int16_t* x, const int* at, int cells, int channels, int32_t* total,
                   int16_t* most) noexcept nogil
    void add_everywhere_here(int16_t* x, const int16_t* more, const int* at, int cells, int channels) noexcept nogil
    void weigh_here(const int16_t* x, const int16_t* weight, float scale, float bias, const int* at, int cells,
                    int channels, float* out) noexcept nogil
    int place_of(int output) noexcept nogil

renga_wide = wide_works()


cdef void sum_lines(const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                    const int16_t* bias, int16_t* out) noexcept nogil:
    sum_lines_here(table, rows, at, cells, channels, bias, out)


cdef void convolve(const int16_t* x, int cells, int channels, int step, const int16_t* weight, const int16_t* bias,
                   int16_t* out) noexcept nogil:
    convolve_here(x, cells, channels, step, weight, bias, out)


cdef void mix(const int16_t* some, int cells, int channels, const int16_t* weight, const int32_t* bias, int shift,
              int16_t* x) noexcept nogil:
    mix_here(some, cells, channels, weight, bias, shift, x)


cdef int packed_weight(int channels, int output, int input) noexcept nogil:
    return (output // LANES * channels + input // 2 * 2) * LANES + 2 * place_of(output % LANES) + input % 2


cdef int packed_bias(int output) noexcept nogil:
    return output // LANES * LANES + place_of(output % LANES)


cdef void pool(const int16_t* x, const int* at, int cells, int channels, int32_t* total, int16_t* most) noexcept nogil:
    pool_here(x, at, cells, channels, total, most)


cdef void add_everywhere(int16_t* x, const int16_t* more, const int* at, int cells, int channels) noexcept nogil:
    add_everywhere_here(x, more, at, cells, channels)


cdef void weigh(const int16_t* x, const int16_t* weight, float scale, float bias, const int* at, int cells,
                int channels, float* out) noexcept nogil:
    weigh_here(x, weight, scale, bias, at, cells, channels, out)
