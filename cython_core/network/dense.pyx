"""Matrix products, six rows by sixteen outputs at a time: twelve sums that stay in registers."""

from cython_core.rules.machine cimport renga_wide, wide_works

cdef extern from *:
    """
    RENGA_KERNEL multiply_tiles_kernel(const float* x, int rows, int inputs, const float* weight, int outputs,
                                 const float* bias, float* out) {
        for (int o = 0; o < outputs; o += 16) {
            const v8 b0 = *(const v8*)(bias + o), b1 = *(const v8*)(bias + o + 8);
            for (int row = 0; row < rows; row += 6) {
                const float* in = x + (size_t)row * inputs;
                const float* w = weight + o;
                v8 s00 = b0, s10 = b0, s20 = b0, s30 = b0, s40 = b0, s50 = b0;
                v8 s01 = b1, s11 = b1, s21 = b1, s31 = b1, s41 = b1, s51 = b1;
                for (int i = 0; i < inputs; i++, w += outputs) {
                    const v8 w0 = *(const v8*)w, w1 = *(const v8*)(w + 8);
                    s00 += in[i] * w0;
                    s01 += in[i] * w1;
                    s10 += in[i + inputs] * w0;
                    s11 += in[i + inputs] * w1;
                    s20 += in[i + 2 * inputs] * w0;
                    s21 += in[i + 2 * inputs] * w1;
                    s30 += in[i + 3 * inputs] * w0;
                    s31 += in[i + 3 * inputs] * w1;
                    s40 += in[i + 4 * inputs] * w0;
                    s41 += in[i + 4 * inputs] * w1;
                    s50 += in[i + 5 * inputs] * w0;
                    s51 += in[i + 5 * inputs] * w1;
                }
                float* to = out + (size_t)row * outputs + o;
                *(v8*)to = s00;
                *(v8*)(to + 8) = s01;
                *(v8*)(to + outputs) = s10;
                *(v8*)(to + outputs + 8) = s11;
                *(v8*)(to + 2 * outputs) = s20;
                *(v8*)(to + 2 * outputs + 8) = s21;
                *(v8*)(to + 3 * outputs) = s30;
                *(v8*)(to + 3 * outputs + 8) = s31;
                *(v8*)(to + 4 * outputs) = s40;
                *(v8*)(to + 4 * outputs + 8) = s41;
                *(v8*)(to + 5 * outputs) = s50;
                *(v8*)(to + 5 * outputs + 8) = s51;
            }
        }
    }
    RENGA_BOTH(multiply_tiles,
               (const float* x, int rows, int inputs, const float* weight, int outputs, const float* bias, float* out),
               (x, rows, inputs, weight, outputs, bias, out))

    #if RENGA_AVX2
    /* The same sums in the same order, sixteen outputs in one register. */
    static RENGA_WIDEST void multiply_tiles_widest(const float* x, int rows, int inputs, const float* weight,
                                                   int outputs, const float* bias, float* out) {
        for (int o = 0; o < outputs; o += 16) {
            const __m512 b = _mm512_loadu_ps(bias + o);
            for (int row = 0; row < rows; row += 6) {
                const float* in = x + (size_t)row * inputs;
                const float* w = weight + o;
                float* to = out + (size_t)row * outputs + o;
                __m512 s[6] = {b, b, b, b, b, b};
                for (int i = 0; i < inputs; i++, w += outputs)
                    for (int k = 0; k < 6; k++)
                        s[k] = _mm512_add_ps(s[k], _mm512_mul_ps(_mm512_set1_ps(in[i + k * inputs]), _mm512_loadu_ps(w)));
                for (int k = 0; k < 6; k++) _mm512_storeu_ps(to + k * outputs, s[k]);
            }
        }
    }
    #else
    #define multiply_tiles_widest multiply_tiles
    #endif
    """
    int AVX512
    void multiply_tiles_widest(const float* x, int rows, int inputs, const float* weight, int outputs,
                               const float* bias, float* out) noexcept nogil
    void multiply_tiles(const float* x, int rows, int inputs, const float* weight, int outputs, const float* bias,
                        float* out) noexcept nogil

renga_wide = wide_works()


cdef void multiply(const float* x, int rows, int inputs, const float* weight, int outputs, const float* bias,
                   float* out) noexcept nogil:
    if renga_wide == AVX512:
        multiply_tiles_widest(x, rows, inputs, weight, outputs, bias, out)
    else:
        multiply_tiles(x, rows, inputs, weight, outputs, bias, out)
