# The layers of integers.pyx that take the time, for AVX-512 with VNNI: registers twice as wide, and a product of pairs
# that is added in the same instruction. They give the same integers as the plain ones, which define them.

cdef extern from *:
    """
    enum { TILE = 5 };      /* cells whose sums are in registers together: three per cell, fifteen in all */

    #if RENGA_AVX2
    #define RENGA_PART512 static inline RENGA_WIDEST __attribute__((always_inline))
    #define LOADED512(p) _mm512_loadu_si512((const void*)(p))
    #define TAP512(sum, weight, v) \\
        sum = _mm512_adds_epi16(sum, _mm512_mulhrs_epi16(weight, v)); __asm__("" : "+v"(sum))

    /* Thirty-two channels, in the way of convolve_sixteen. */
    RENGA_PART512 void convolve_thirty_two(const int16_t* x, int cells, int channels, int step, const int16_t* weight,
                                           const int16_t* bias, int16_t* out) {
        __m512i w[9], v;
        for (int k = 0; k < 9; k++) w[k] = LOADED512(weight + k * channels);
        const __m512i b = LOADED512(bias);
        const int16_t* p = x - channels;
        __m512i sum = b, next = b;
        v = LOADED512(p - step); TAP512(sum, w[0], v);
        v = LOADED512(p); TAP512(sum, w[3], v);
        v = LOADED512(p + step); TAP512(sum, w[6], v);
        p += channels;
        v = LOADED512(p - step); TAP512(sum, w[1], v); TAP512(next, w[0], v);
        v = LOADED512(p); TAP512(sum, w[4], v); TAP512(next, w[3], v);
        v = LOADED512(p + step); TAP512(sum, w[7], v); TAP512(next, w[6], v);
        for (int i = 0; i < cells; i++, out += channels) {
            __m512i new = b;
            p += channels;
            v = LOADED512(p - step); TAP512(sum, w[2], v); TAP512(next, w[1], v); TAP512(new, w[0], v);
            v = LOADED512(p); TAP512(sum, w[5], v); TAP512(next, w[4], v); TAP512(new, w[3], v);
            v = LOADED512(p + step); TAP512(sum, w[8], v); TAP512(next, w[7], v); TAP512(new, w[6], v);
            _mm512_storeu_si512(out, _mm512_max_epi16(sum, _mm512_setzero_si512()));
            sum = next;
            next = new;
        }
    }

    static RENGA_WIDEST void convolve_avx512(const int16_t* x, int cells, int channels, int step,
                                             const int16_t* weight, const int16_t* bias, int16_t* out) {
        int c = 0;
        for (; c + 32 <= channels; c += 32)
            convolve_thirty_two(x + c, cells, channels, step, weight + c, bias + c, out + c);
        if (c < channels)
            convolve_sixteen(x + c, cells, channels, step, weight + c, bias + c, out + c);
    }

    /* `count` cells by `groups` times sixteen outputs; both are constants, so that all sums stay in registers. The sums
       lie as AVX2 packs them, so their quarters are put in order at the end. */
    RENGA_PART512 void mix_tile(const int count, const int groups, const int16_t* in, int channels,
                                const int16_t* weight, const int32_t* bias, __m128i shift, int16_t* x) {
        __m512i sums[TILE][3], w[3];
        for (int g = 0; g < groups; g++)
            for (int i = 0; i < count; i++) sums[i][g] = LOADED512(bias + 16 * g);
        for (int c = 0; c < channels; c += 2, weight += 32) {
            for (int g = 0; g < groups; g++) w[g] = LOADED512(weight + (size_t)16 * g * channels);
            for (int i = 0; i < count; i++) {
                int32_t pair;
                __builtin_memcpy(&pair, in + (size_t)i * channels + c, 4);
                const __m512i both = _mm512_set1_epi32(pair);
                for (int g = 0; g < groups; g++) {
                    sums[i][g] = _mm512_dpwssd_epi32(sums[i][g], both, w[g]);
                    __asm__("" : "+v"(sums[i][g]));     /* a sum in one register, as in integers_avx2.pxd */
                }
            }
        }
        for (int i = 0; i < count; i++)
            for (int g = 0; g < groups; g++) {
                int16_t* to = x + (size_t)i * channels + 16 * g;
                const __m256i new = _mm512_cvtsepi32_epi16(_mm512_sra_epi32(sums[i][g], shift));
                const __m256i more = _mm256_max_epi16(_mm256_permute4x64_epi64(new, 0xD8), _mm256_setzero_si256());
                STORED(to, _mm256_adds_epi16(LOADED(to), more));
            }
    }

    RENGA_PART512 void mix_groups(const int groups, const int16_t* some, int cells, int channels,
                                  const int16_t* weight, const int32_t* bias, __m128i shift, int16_t* x) {
        int i = 0;
        for (; i + TILE <= cells; i += TILE)
            mix_tile(TILE, groups, some + i * channels, channels, weight, bias, shift, x + i * channels);
        for (; i < cells; i++)
            mix_tile(1, groups, some + i * channels, channels, weight, bias, shift, x + i * channels);
    }

    static RENGA_WIDEST void mix_avx512(const int16_t* some, int cells, int channels, const int16_t* weight,
                                        const int32_t* bias, int shift, int16_t* x) {
        const __m128i count = _mm_cvtsi32_si128(shift);
        int o = 0;
        for (; o + 48 <= channels; o += 48)
            mix_groups(3, some, cells, channels, weight + (size_t)o * channels, bias + o, count, x + o);
        for (; o < channels; o += 16)
            mix_groups(1, some, cells, channels, weight + (size_t)o * channels, bias + o, count, x + o);
    }
    #endif
    """
    int TILE
