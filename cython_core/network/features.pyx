"""Network inputs: line features, summed up from a table.

A leaf's line features are four look-ups and additions per cell. The table (38 MB with 48 channels) does not fit the
cache, so all windows of a board are listed first and their rows fetched ahead of use.
"""

from cython_core.network.encoding cimport WINDOW_ROWS, list_rows
from cython_core.rules.machine cimport wide_works
from cython_core.rules.position cimport Board

cdef extern from *:
    """
    #include <stdint.h>

    enum { FETCH_AHEAD = 6, ROWS_PER_CELL = 4 };     /* cells; six cells are 24 rows under way */

    static void fetch_rows(const int16_t* table, int channels, const uint32_t* rows) {
        for (int i = 0; i < ROWS_PER_CELL; i++) {
            const int16_t* row = table + (size_t)rows[i] * channels;
            for (int c = 0; c < channels; c += 32) RENGA_FETCH(row + c);
            RENGA_FETCH(row + channels - 1);
        }
    }

    /* rows: four table rows per cell; out[c * cells + i]. */
    static void sum_rows_plain(const int16_t* table, int channels, const float* scales,
                               const uint32_t* rows, int first, int cells, float* out) {
        for (int i = first; i < cells; i++) {
            const uint32_t* r = rows + ROWS_PER_CELL * i;
            const int16_t* t0 = table + (size_t)r[0] * channels;
            const int16_t* t1 = table + (size_t)r[1] * channels;
            const int16_t* t2 = table + (size_t)r[2] * channels;
            const int16_t* t3 = table + (size_t)r[3] * channels;
            if (i + FETCH_AHEAD < cells) fetch_rows(table, channels, r + ROWS_PER_CELL * FETCH_AHEAD);
            for (int c = 0; c < channels; c++)
                out[(size_t)c * cells + i] = (float)((int32_t)t0[c] + t1[c] + t2[c] + t3[c]) * scales[c];
        }
    }

    #if RENGA_AVX2
    static inline RENGA_WIDE __m256i widened(const int16_t* p) {
        return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)p));
    }

    /* Eight channels of one cell, scaled. */
    static inline RENGA_WIDE __m256 summed(const int16_t* table, int channels, const uint32_t* r, int c, __m256 scale) {
        __m256i low = _mm256_add_epi32(widened(table + (size_t)r[0] * channels + c),
                                       widened(table + (size_t)r[1] * channels + c));
        __m256i high = _mm256_add_epi32(widened(table + (size_t)r[2] * channels + c),
                                        widened(table + (size_t)r[3] * channels + c));
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_add_epi32(low, high)), scale);
    }

    /* Eight cells by eight channels at a time, turned in registers: channels must be a multiple of eight.
       Returns how many cells were done; the rest is less than eight. */
    static RENGA_WIDE int sum_rows_wide(const int16_t* table, int channels, const float* scales,
                                        const uint32_t* rows, int cells, float* out) {
        int i = 0;
        for (; i + 8 <= cells; i += 8) {
            const uint32_t* r = rows + ROWS_PER_CELL * i;
            for (int ahead = 8; ahead < 16 && i + ahead < cells; ahead++)
                fetch_rows(table, channels, r + ROWS_PER_CELL * ahead);
            for (int c = 0; c < channels; c += 8) {
                __m256 scale = _mm256_loadu_ps(scales + c);
                __m256 v[8], t[8];
                for (int k = 0; k < 8; k++) v[k] = summed(table, channels, r + ROWS_PER_CELL * k, c, scale);
                for (int k = 0; k < 8; k += 2) {
                    t[k] = _mm256_unpacklo_ps(v[k], v[k + 1]);
                    t[k + 1] = _mm256_unpackhi_ps(v[k], v[k + 1]);
                }
                for (int k = 0; k < 8; k += 4) {
                    v[k] = _mm256_shuffle_ps(t[k], t[k + 2], 0x44);
                    v[k + 1] = _mm256_shuffle_ps(t[k], t[k + 2], 0xEE);
                    v[k + 2] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0x44);
                    v[k + 3] = _mm256_shuffle_ps(t[k + 1], t[k + 3], 0xEE);
                }
                for (int k = 0; k < 4; k++) {
                    float* low = out + (size_t)(c + k) * cells + i;
                    _mm256_storeu_ps(low, _mm256_permute2f128_ps(v[k], v[k + 4], 0x20));
                    _mm256_storeu_ps(low + (size_t)4 * cells, _mm256_permute2f128_ps(v[k], v[k + 4], 0x31));
                }
            }
        }
        return i;
    }

    #else
    static int sum_rows_wide(const int16_t* table, int channels, const float* scales,
                             const uint32_t* rows, int cells, float* out) { return 0; }
    #endif
    """
    void sum_rows_plain(const int16_t* table, int channels, const float* scales, const uint32_t* rows, int first,
                        int cells, float* out) noexcept nogil
    int sum_rows_wide(const int16_t* table, int channels, const float* scales, const uint32_t* rows, int cells,
                      float* out) noexcept nogil

cdef bint has_wide = wide_works()


cdef void sum_rows(const BoardState* b, int side, const int16_t* table, int channels, const float* scales, float* out,
                   bint wide) noexcept nogil:
    cdef uint32_t rows[4 * CELLS]
    cdef int cells = list_rows(b, side, rows), done = 0
    if wide and channels % 8 == 0:
        done = sum_rows_wide(table, channels, scales, rows, cells, out)
    sum_rows_plain(table, channels, scales, rows, done, cells, out)


cdef void line_features(const BoardState* b, int side, const int16_t* table, int channels, const float* scales,
                        float* out) noexcept nogil:
    sum_rows(b, side, table, channels, scales, out, has_wide)


def write_line_features(Board board, const int16_t[:, ::1] table, const float[::1] scales, float[:, :, ::1] out,
                        *, bint wide=True):
    """Line features of the side to move into `out` [channels, height, width]; `table` is [WINDOW_ROWS, channels].

    `wide=False` keeps to the code that runs on every machine.
    """
    cdef int channels = table.shape[1]
    if table.shape[0] != WINDOW_ROWS or channels == 0 or scales.shape[0] != channels:
        raise ValueError(f"a line table needs {WINDOW_ROWS} rows and a scale for each of its channels")
    check_shape(board, out, channels)
    sum_rows(board.state, board.state.side, &table[0, 0], channels, &scales[0], &out[0, 0, 0], wide and has_wide)


cdef int check_shape(Board board, float[:, :, ::1] out, int channels) except -1:
    if out.shape[0] != channels or out.shape[1] != board.state.height or out.shape[2] != board.state.width:
        raise ValueError(f"the buffer must be {channels} x {board.state.height} x {board.state.width}")
    return 0
