# The layers of integers.pyx for AVX2. They give the same integers as the plain ones there, which define them.

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>

    enum { AHEAD = 8 };     /* cells whose table rows are being fetched: the table is larger than the caches */

    static inline void fetch_cell(const int16_t* table, const uint32_t* rows, int channels) {
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < channels; c += 32) RENGA_FETCH(table + (size_t)rows[k] * channels + c);
    }

    #if RENGA_AVX2
    #define LOADED(p) _mm256_loadu_si256((const __m256i*)(p))
    #define STORED(p, v) _mm256_storeu_si256((__m256i*)(p), v)
    #define RENGA_PART static inline RENGA_WIDE __attribute__((always_inline))

    static RENGA_WIDE void sum_lines_avx2(const int16_t* table, const uint32_t* rows, const int* at, int cells,
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

    /* Sixteen channels. A column of three cells is loaded once and belongs to three results: the last, the middle and
       the first of them is begun with it, gone on with, ended. */
    RENGA_PART void convolve_sixteen(const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                                     const int16_t* bias, int16_t* out) {
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

    static RENGA_WIDE void convolve_avx2(const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                                         const int16_t* bias, int16_t* out) {
        for (int c = 0; c < channels; c += 16)
            convolve_sixteen(x + c, cells, channels, step, weight + c, bias + c, out + c);
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

    static RENGA_WIDE void mix_avx2(const int16_t* some, int cells, int channels, const int16_t* weight,
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

    static RENGA_WIDE void pool_avx2(const int16_t* x, const int* at, int cells, int channels, int32_t* total,
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

    static RENGA_WIDE void add_everywhere_avx2(int16_t* x, const int16_t* more, const int* at, int cells,
                                               int channels) {
        for (int i = 0; i < cells; i++)
            for (int c = 0; c < channels; c += 16) {
                int16_t* to = x + (size_t)at[i] * channels + c;
                STORED(to, _mm256_adds_epi16(LOADED(to), LOADED(more + c)));
            }
    }

    static RENGA_WIDE void weigh_avx2(const int16_t* x, const int16_t* weight, float scale, float bias, const int* at,
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
    #endif
    """
    int AHEAD
