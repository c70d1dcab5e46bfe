/* A trunk over a batch of boards, forward and backward, for every kind of registers: see trunk.pyx. */

#include <stddef.h>
#include <string.h>

#define AHEAD 8             /* cells whose table rows are fetched before they are needed */

typedef struct {
    float *depth, *depth_bias;      /* [9][channels], [channels] */
    float *point, *point_bias;      /* [inputs][outputs], [outputs] */
    float *outputs_first;           /* the same as `point`, [outputs][inputs]; the gradient has this form only */
} Separable;

typedef struct {
    float *dense, *bias;            /* [2 * channels][channels]: of means and maxima; [channels] */
} Pool;

typedef union {
    Separable separable;
    Pool pool;
} Block;

typedef struct {
    int n, height, width, cells, channels, blocks, windows;
    const int *rows;                /* [n][cells][4]: rows of the table */
    const float *table;             /* [windows][channels] */
    float limit;                    /* at which line features are cut off */
    const float *bias;
    const int *is_pool;             /* [blocks], else it is separable */
    const Block *weights;
    const float *policy, *policy_bias;      /* [channels], [1] */
    float *x;                       /* [blocks + 1][n][cells][channels]: before every block, and after the last */
    float *logits;                  /* [n][cells]; backward their gradient, which is only read */
    float *means;                   /* [n][2 * channels]: of means and maxima, likewise */
    float *grad_table, *grad_bias, *grad_policy;    /* are added to, as are those of the blocks */
    Block *grads;
    /* Room for one board: with a border of zeros; between the layers of a block, forward and backward; gradients. */
    float *frame, *inner, *passed, *grad, *next;
    float *pooled, *room;           /* 2 * channels, 3 * channels */
    int *best;                      /* channels */
} Trunk;

static inline void copy_into_frame(const Trunk* t, const float* board) {
    const size_t row = (size_t)t->width * t->channels, framed = row + 2 * t->channels;
    for (int y = 0; y < t->height; y++)
        memcpy(t->frame + (y + 1) * framed + t->channels, board + y * row, sizeof(float) * row);
}

#if RENGA_AVX2
#define LANES 16
#define TILE_ROWS 8
#define TILE_PANEL 3
#define TARGET RENGA_WIDEST
#define FOR_MACHINE(name) name##_avx512
#include "trunk_kernels.h"

#define LANES 8
#define TILE_ROWS 6
#define TILE_PANEL 2
#define TARGET RENGA_WIDE
#define FOR_MACHINE(name) name##_avx2
#include "trunk_kernels.h"
#endif

#define LANES 4
#define TILE_ROWS 4
#define TILE_PANEL 2
#define TARGET
#define FOR_MACHINE(name) name##_narrow
#include "trunk_kernels.h"

#if RENGA_AVX2
#define FOR_MACHINE(name) (renga_wide == AVX512 ? name##_avx512 : renga_wide ? name##_avx2 : name##_narrow)
#else
#define FOR_MACHINE(name) name##_narrow
#endif
static void run_forward(const Trunk* t) { FOR_MACHINE(forward)(t); }
static void run_backward(const Trunk* t) { FOR_MACHINE(backward)(t); }
