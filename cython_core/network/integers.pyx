"""The network's layers in 16-bit integers, each written twice: plainly, which defines what it computes and runs on
every machine, and for AVX2. Both give the same integers."""

from cython_core.rules.machine cimport renga_wide, wide_works

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>

    enum { AHEAD = 8 };     /* cells whose table rows are being fetched: the table is larger than the caches */

    static inline int16_t cut(int32_t v) { return v > INT16_MAX ? INT16_MAX : v < INT16_MIN ? INT16_MIN : v; }
    static inline int16_t positive(int16_t v) { return v > 0 ? v : 0; }

    static inline void fetch_cell(const int16_t* table, const uint32_t* rows, int channels) {
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < channels; c += 32) RENGA_FETCH(table + (size_t)rows[k] * channels + c);
    }

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

    #if RENGA_AVX2
    #define LOADED(p) _mm256_loadu_si256((const __m256i*)(p))
    #define STORED(p, v) _mm256_storeu_si256((__m256i*)(p), v)
    #define RENGA_PART static inline RENGA_WIDE __attribute__((always_inline))

    static RENGA_WIDE void sum_lines_wide(const int16_t* table, const uint32_t* rows, const int* at, int cells,
                                          int channels, const int16_t* bias, int16_t* out) {
        for (int i = 0; i < cells; i++, rows += 4) {
            const int16_t* r[4];
            int16_t* to = out + (size_t)at[i] * channels;
            for (int k = 0; k < 4; k++) r[k] = table + (size_t)rows[k] * channels;
            if (i + AHEAD < cells) fetch_cell(table, rows + 4 * AHEAD, channels);
            for (int c = 0; c < channels; c += 16) {
                const __m256i one = _mm256_adds_epi16(LOADED(r[0] + c), LOADED(r[1] + c));
                const __m256i two = _mm256_adds_epi16(LOADED(r[2] + c), LOADED(r[3] + c));
                const __m256i sum = _mm256_adds_epi16(one, _mm256_adds_epi16(two, LOADED(bias + c)));
                STORED(to + c, _mm256_max_epi16(sum, _mm256_setzero_si256()));
            }
        }
    }

    #define TAP(sum, weight, v) sum = _mm256_adds_epi16(sum, _mm256_mulhrs_epi16(weight, v)); __asm__("" : "+x"(sum))

    /* A column of three cells is loaded once and belongs to three results: the last, the middle and the first of them
       is begun with it, gone on with, ended. */
    static RENGA_WIDE void convolve_wide(const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                                         const int16_t* bias, int16_t* out) {
        for (int c = 0; c < channels; c += 16, x += 16, weight += 16, bias += 16, out += 16) {
            const __m256i b = LOADED(bias);
            const __m256i w0 = LOADED(weight), w1 = LOADED(weight + channels), w2 = LOADED(weight + 2 * channels);
            const __m256i w3 = LOADED(weight + 3 * channels), w4 = LOADED(weight + 4 * channels);
            const __m256i w5 = LOADED(weight + 5 * channels), w6 = LOADED(weight + 6 * channels);
            const __m256i w7 = LOADED(weight + 7 * channels), w8 = LOADED(weight + 8 * channels);
            const int16_t* p = x - channels;
            int16_t* to = out;
            __m256i sum = b, next = b, v;
            v = LOADED(p - step); TAP(sum, w0, v);
            v = LOADED(p); TAP(sum, w3, v);
            v = LOADED(p + step); TAP(sum, w6, v);
            p += channels;
            v = LOADED(p - step); TAP(sum, w1, v); TAP(next, w0, v);
            v = LOADED(p); TAP(sum, w4, v); TAP(next, w3, v);
            v = LOADED(p + step); TAP(sum, w7, v); TAP(next, w6, v);
            for (int i = 0; i < cells; i++, to += channels) {
                __m256i new = b;
                p += channels;
                v = LOADED(p - step); TAP(sum, w2, v); TAP(next, w1, v); TAP(new, w0, v);
                v = LOADED(p); TAP(sum, w5, v); TAP(next, w4, v); TAP(new, w3, v);
                v = LOADED(p + step); TAP(sum, w8, v); TAP(next, w7, v); TAP(new, w6, v);
                STORED(to, _mm256_max_epi16(sum, _mm256_setzero_si256()));
                sum = next;
                next = new;
            }
        }
    }

    RENGA_PART __m256i both_of(const int16_t* pair) {
        int32_t both;
        __builtin_memcpy(&both, pair, 4);
        return _mm256_set1_epi32(both);
    }
    /* The empty instruction keeps compilers from holding a sum in two registers, and others then in memory. */
    #define WITH(sum, pair, weights) \\
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pair, weights)); __asm__("" : "+x"(sum))

    RENGA_PART void mix_end(__m256i low, __m256i high, __m128i shift, int16_t* to) {
        const __m256i new = _mm256_packs_epi32(_mm256_sra_epi32(low, shift), _mm256_sra_epi32(high, shift));
        STORED(to, _mm256_adds_epi16(LOADED(to), _mm256_max_epi16(new, _mm256_setzero_si256())));
    }

    /* Five cells by sixteen outputs: ten sums that stay in registers. */
    RENGA_PART void mix_five(const int16_t* in, int channels, const int16_t* weight, const int32_t* bias,
                             __m128i shift, int16_t* x) {
        __m256i l0 = LOADED(bias), l1 = l0, l2 = l0, l3 = l0, l4 = l0;
        __m256i h0 = LOADED(bias + 8), h1 = h0, h2 = h0, h3 = h0, h4 = h0;
        const int16_t* const end = in + channels;
        const size_t next = channels;
        do {
            const __m256i w0 = LOADED(weight), w1 = LOADED(weight + 16);
            const __m256i p0 = both_of(in), p1 = both_of(in + next), p2 = both_of(in + 2 * next);
            WITH(l0, p0, w0); WITH(h0, p0, w1);
            WITH(l1, p1, w0); WITH(h1, p1, w1);
            WITH(l2, p2, w0); WITH(h2, p2, w1);
            const __m256i p3 = both_of(in + 3 * next), p4 = both_of(in + 4 * next);
            WITH(l3, p3, w0); WITH(h3, p3, w1);
            WITH(l4, p4, w0); WITH(h4, p4, w1);
            in += 2, weight += 32;
        } while (in != end);
        mix_end(l0, h0, shift, x);
        mix_end(l1, h1, shift, x + next);
        mix_end(l2, h2, shift, x + 2 * next);
        mix_end(l3, h3, shift, x + 3 * next);
        mix_end(l4, h4, shift, x + 4 * next);
    }

    RENGA_PART void mix_one(const int16_t* in, int channels, const int16_t* weight, const int32_t* bias,
                            __m128i shift, int16_t* x) {
        __m256i low = LOADED(bias), high = LOADED(bias + 8);
        for (int c = 0; c < channels; c += 2, weight += 32) {
            const __m256i pair = both_of(in + c);
            WITH(low, pair, LOADED(weight));
            WITH(high, pair, LOADED(weight + 16));
        }
        mix_end(low, high, shift, x);
    }

    static RENGA_WIDE void mix_wide(const int16_t* some, int cells, int channels, const int16_t* weight,
                                    const int32_t* bias, int shift, int16_t* x) {
        const __m128i count = _mm_cvtsi32_si128(shift);
        for (int o = 0; o < channels; o += 16, weight += 16 * channels, bias += 16, x += 16) {
            int i = 0;
            for (; i + 5 <= cells; i += 5)
                mix_five(some + i * channels, channels, weight, bias, count, x + i * channels);
            for (; i < cells; i++)
                mix_one(some + i * channels, channels, weight, bias, count, x + i * channels);
        }
    }

    static RENGA_WIDE void pool_wide(const int16_t* x, const int* at, int cells, int channels, int32_t* total,
                                     int16_t* most) {
        for (int c = 0; c < channels; c += 16) {
            __m256i low = _mm256_setzero_si256(), high = low, top = _mm256_set1_epi16(INT16_MIN);
            for (int i = 0; i < cells; i++) {
                const __m256i v = LOADED(x + (size_t)at[i] * channels + c);
                low = _mm256_add_epi32(low, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(v)));
                high = _mm256_add_epi32(high, _mm256_cvtepi16_epi32(_mm256_extracti128_si256(v, 1)));
                top = _mm256_max_epi16(top, v);
            }
            STORED(total + c, low);
            STORED(total + c + 8, high);
            STORED(most + c, top);
        }
    }

    static RENGA_WIDE void add_everywhere_wide(int16_t* x, const int16_t* more, const int* at, int cells,
                                               int channels) {
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c += 16) {
                int16_t* to = x + (size_t)at[i] * channels + c;
                STORED(to, _mm256_adds_epi16(LOADED(to), LOADED(more + c)));
            }
    }

    static RENGA_WIDE void weigh_wide(const int16_t* x, const int16_t* weight, float scale, float bias, const int* at,
                                      int cells, int channels, float* out) {
        for (int i = 0; i < cells; i++) {
            __m256i sum = _mm256_setzero_si256();
            for (int c = 0; c < channels; c += 16)
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(LOADED(x + (size_t)at[i] * channels + c),
                                                              LOADED(weight + c)));
            __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
            half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
            half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1));
            out[i] = (float)_mm_cvtsi128_si32(half) * scale + bias;
        }
    }
    #define RENGA_EITHER(name, parameters, arguments) \\
        static void name##_here parameters { if (renga_wide) name##_wide arguments; else name##_plain arguments; }
    #else
    #define RENGA_EITHER(name, parameters, arguments) static void name##_here parameters { name##_plain arguments; }
    #endif

    RENGA_EITHER(sum_lines, (const int16_t* table, const uint32_t* rows, const int* at, int cells, int channels,
                             const int16_t* bias, int16_t* out), (table, rows, at, cells, channels, bias, out))
    RENGA_EITHER(convolve, (const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                            const int16_t* bias, int16_t* out), (x, cells, channels, step, weight, bias, out))
    RENGA_EITHER(mix, (const int16_t* some, int cells, int channels, const int16_t* weight, const int32_t* bias,
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
