"""Features of windows from those of their three parts, one level below, and their gradients. What is known of a window is
a row; rows are a multiple of 16 numbers wide.
"""

from libc.stdlib cimport calloc, free

from cython_core.learning.buffers cimport check_indices, check_rows, floats, integers
from cython_core.rules.machine cimport renga_wide, wide_works

cdef extern from *:
    """
    #include <string.h>
    #define MAX_WIDTH 1024
    typedef int i8 __attribute__((vector_size(32), aligned(4)));
    #define LOAD(p) (*(const v8*)(p))
    #define STORE(p, x) (*(v8*)(p) = (x))
    #define ADD(p, x) (*(v8*)(p) += (x))
    #define WHERE(flags, x) ((v8)((i8)(x) & (flags)))
    #define AHEAD 8             /* windows whose rows are fetched before they are needed */
    #define FETCH_ROW(row, size) for (int at = 0; at < (size); at += 16) RENGA_FETCH((row) + at)

    typedef struct {
        int windows, width, outside;
        const int* parts;               /* [windows][3]; `outside`: behind the edge, which adds nothing */
        const float *products;          /* [outside][3][width]: the level below with each tap */
        const float *below;             /* [outside][width]: what the centre hands on; NULL if nothing */
        const float *bias;
        float *out;
        const float *grad;
        float *grad_products, *grad_below;
        float *grad_bias;               /* is added to */
        char *seen;                     /* [outside][3]: which rows of grad_products have been written; zero at first */
    } Windows;

    #define PRODUCT(w, matrix, part, tap) ((matrix) + ((size_t)(part) * 3 + (tap)) * (w)->width)

    RENGA_KERNEL fetch_parts(const Windows* w, int i, const float* products, const float* centres) {
        const int* parts = w->parts + 3 * i;
        if (i >= w->windows) return;
        for (int tap = 0; tap < 3; tap++) FETCH_ROW(PRODUCT(w, products, parts[tap], tap), w->width);
        if (w->below) FETCH_ROW(centres + (size_t)parts[1] * w->width, w->width);
    }

    RENGA_KERNEL sum_windows_kernel(const Windows* w) {
        for (int i = 0; i < w->windows; i++) {
            const int* parts = w->parts + 3 * i;
            fetch_parts(w, i + AHEAD, w->products, w->below);
            float* out = w->out + (size_t)i * w->width;
            const int left = parts[0] != w->outside, right = parts[2] != w->outside;
            for (int c = 0; c < w->width; c += 8) {
                v8 sum = LOAD(w->bias + c) + LOAD(PRODUCT(w, w->products, parts[1], 1) + c);
                if (left) sum += LOAD(PRODUCT(w, w->products, parts[0], 0) + c);
                if (right) sum += LOAD(PRODUCT(w, w->products, parts[2], 2) + c);
                sum = WHERE(sum > 0, sum);
                STORE(out + c, w->below ? sum + LOAD(w->below + (size_t)parts[1] * w->width + c) : sum);
            }
        }
    }
    RENGA_BOTH(sum_windows, (const Windows* w), (w))

    /* The first row to come is stored, the others are added: that saves filling large matrices with zeros. */
    RENGA_KERNEL put(const float* row, int width, int first, float* to) {
        if (first) for (int c = 0; c < width; c += 8) STORE(to + c, LOAD(row + c));
        else for (int c = 0; c < width; c += 8) ADD(to + c, LOAD(row + c));
    }

    RENGA_KERNEL back_windows_kernel(const Windows* w) {
        const v8 zero = {0};
        float passed[MAX_WIDTH];
        for (int i = 0; i < w->windows; i++) {
            const int* parts = w->parts + 3 * i;
            const float* out = w->out + (size_t)i * w->width;
            const float* grad = w->grad + (size_t)i * w->width;
            const size_t centre = (size_t)parts[1] * w->width;
            fetch_parts(w, i + AHEAD, w->grad_products, w->grad_below);
            for (int c = 0; c < w->width; c += 8) {
                const v8 from = w->below ? LOAD(w->below + centre + c) : zero;
                const v8 some = WHERE(LOAD(out + c) > from, LOAD(grad + c));
                STORE(passed + c, some);
                ADD(w->grad_bias + c, some);
            }
            if (w->below) put(grad, w->width, !w->seen[3 * parts[1] + 1], w->grad_below + centre);
            for (int tap = 0; tap < 3; tap++)
                if (parts[tap] != w->outside) {
                    put(passed, w->width, !w->seen[3 * parts[tap] + tap], PRODUCT(w, w->grad_products, parts[tap], tap));
                    w->seen[3 * parts[tap] + tap] = 1;
                }
        }
        for (int part = 0; part < w->outside; part++)
            for (int tap = 0; tap < 3; tap++)
                if (!w->seen[3 * part + tap]) {
                    memset(PRODUCT(w, w->grad_products, part, tap), 0, sizeof(float) * w->width);
                    if (tap == 1 && w->below) memset(w->grad_below + (size_t)part * w->width, 0, sizeof(float) * w->width);
                }
    }
    RENGA_BOTH(back_windows, (const Windows* w), (w))
    """
    enum:
        MAX_WIDTH

    ctypedef struct Windows:
        int windows, width, outside
        int* parts
        float* products
        float* below
        float* bias
        float* out
        float* grad
        float* grad_products
        float* grad_below
        float* grad_bias
        char* seen

    void sum_windows(const Windows* w) noexcept nogil
    void back_windows(const Windows* w) noexcept nogil

renga_wide = wide_works()


def forward(int[::1] parts, float[::1] products, float[::1] below, float[::1] bias, float[::1] out):
    """out[i] = positive(sum of the products of i's parts, each with its tap, + bias) + below[centre], row by row.

    parts: [windows, 3], the number of rows below stands for a part behind the edge. products: [rows below, 3, width];
    below: [rows below, width], or None: nothing is added."""
    cdef Windows w
    w.width, w.windows = bias.shape[0], parts.shape[0] // 3
    check_rows(w.width)
    w.outside = products.shape[0] // (3 * w.width)
    w.parts, w.products = integers(parts, 3 * w.windows), floats(products, 3 * w.width * w.outside)
    check_indices(w.parts, 3 * w.windows, w.outside + 1)
    w.below = NULL if below is None else floats(below, w.outside * w.width)
    w.bias, w.out = floats(bias, w.width), floats(out, w.windows * w.width)
    with nogil:
        sum_windows(&w)


def backward(int[::1] parts, float[::1] below, float[::1] out, float[::1] grad, float[::1] grad_products,
                     float[::1] grad_below, float[::1] grad_bias):
    """Fills grad_products and grad_below, and adds to grad_bias; `grad` is that of `out`. grad_below is what comes back through
    the centre's features alone, None if below is."""
    cdef Windows w
    w.width, w.windows = grad_bias.shape[0], parts.shape[0] // 3
    check_rows(w.width)
    w.outside = grad_products.shape[0] // (3 * w.width)
    w.parts, w.out = integers(parts, 3 * w.windows), floats(out, w.windows * w.width)
    w.grad, w.grad_bias = floats(grad, w.windows * w.width), floats(grad_bias, w.width)
    w.grad_products = floats(grad_products, 3 * w.width * w.outside)
    w.below = NULL if below is None else floats(below, w.outside * w.width)
    w.grad_below = NULL if below is None else floats(grad_below, w.outside * w.width)
    check_indices(w.parts, 3 * w.windows, w.outside + 1)
    if w.width > MAX_WIDTH:
        raise ValueError(f"rows of {w.width} numbers")
    w.seen = <char*>calloc(3 * w.outside, 1)
    if w.seen is NULL:
        raise MemoryError("no memory for windows")
    with nogil:
        back_windows(&w)
    free(w.seen)
