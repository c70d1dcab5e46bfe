/* The kernels of trunk.pyx for one kind of registers. Before this file is included, these are defined: LANES (floats of a
   register), TILE_ROWS and TILE_PANEL (of a product's tile, in rows and registers: all its sums are kept in registers),
   TARGET (what the compiler may use) and FOR_MACHINE(name) (the name of a function for this machine). */

#define Vector FOR_MACHINE(Vector)
#define Lanes FOR_MACHINE(Lanes)
typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int Lanes __attribute__((vector_size(4 * LANES), aligned(4)));

#define LOAD(p) (*(const Vector*)(p))
#define STORE(p, x) (*(Vector*)(p) = (x))
#define ADD(p, x) (*(Vector*)(p) += (x))
#define WHERE(flags, x) ((Vector)((Lanes)(x) & (flags)))
#define CHOOSE(flags, yes, no) (((Lanes)(yes) & (flags)) | ((Lanes)(no) & ~(flags)))
#define UNROLLED _Pragma("GCC unroll 9")
#define INLINE static inline __attribute__((always_inline)) TARGET

/* sums[r][..] += sum over k of a[k * next + r * stride] * b[k][..]; `rows` and `panel` are known to the compiler. */
INLINE void FOR_MACHINE(multiply)(const float* a, size_t stride, size_t next, const float* b, size_t width, int depth,
                                  Vector sums[TILE_ROWS][TILE_PANEL], const int rows, const int panel) {
    for (int k = 0; k < depth; k++, a += next, b += width) {
        Vector factors[TILE_PANEL];
        UNROLLED for (int j = 0; j < panel; j++) factors[j] = LOAD(b + LANES * j);
        UNROLLED for (int r = 0; r < rows; r++)
            UNROLLED for (int j = 0; j < panel; j++) sums[r][j] += a[r * stride] * factors[j];
    }
}

/* For every row r and register j of a tile. */
#define OVER_TILE UNROLLED for (int r = 0; r < rows; r++) UNROLLED for (int j = 0; j < panel; j++)

/* y = x + the positive part of inner . weight + bias. */
INLINE void FOR_MACHINE(mix)(const float* inner, int width, const float* weight, const float* bias, const float* x, float* y,
                             const int rows, const int panel) {
    Vector sums[TILE_ROWS][TILE_PANEL];
    OVER_TILE sums[r][j] = LOAD(bias + LANES * j);
    FOR_MACHINE(multiply)(inner, width, 1, weight, width, width, sums, rows, panel);
    OVER_TILE STORE(y + r * width + LANES * j, LOAD(x + r * width + LANES * j) + WHERE(sums[r][j] > 0, sums[r][j]));
}

/* out = grad . weight where inner is above zero. `soon` is fetched: the next position begins with it. */
INLINE void FOR_MACHINE(unmix)(const float* grad, int width, const float* weight, const float* inner, float* out,
                               const float* soon, const int rows, const int panel) {
    Vector sums[TILE_ROWS][TILE_PANEL];
    OVER_TILE sums[r][j] = (Vector){0};
    OVER_TILE RENGA_FETCH(soon + r * width + LANES * j);
    FOR_MACHINE(multiply)(grad, width, 1, weight, width, width, sums, rows, panel);
    OVER_TILE STORE(out + r * width + LANES * j, WHERE(LOAD(inner + r * width + LANES * j) > 0, sums[r][j]));
}

/* total[o][i] += sum over cells of grad[cell][o] * inner[cell][i]. */
INLINE void FOR_MACHINE(weigh)(const float* grad, const float* inner, int width, int cells, float* total, const int rows,
                               const int panel) {
    Vector sums[TILE_ROWS][TILE_PANEL];
    OVER_TILE sums[r][j] = (Vector){0};
    FOR_MACHINE(multiply)(grad, 1, width, inner, width, cells, sums, rows, panel);
    OVER_TILE ADD(total + r * width + LANES * j, sums[r][j]);
}

/* Does `tile(first row, first column, rows, panel)` for all of a matrix. */
#define OVER_TILES(count, width, tile)                                                                              \
    for (int column = 0; column < (width);) {                                                                       \
        const int whole = column + LANES * TILE_PANEL <= (width);                                                   \
        int row = 0;                                                                                                \
        for (; row + TILE_ROWS <= (count); row += TILE_ROWS)                                                        \
            if (whole) { tile(row, column, TILE_ROWS, TILE_PANEL); } else { tile(row, column, TILE_ROWS, 1); }      \
        for (; row < (count); row++)                                                                                \
            if (whole) { tile(row, column, 1, TILE_PANEL); } else { tile(row, column, 1, 1); }                      \
        column += whole ? LANES * TILE_PANEL : LANES;                                                               \
    }

/* inner = the positive part of the 3x3 convolutions of x, which is copied into the frame. */
INLINE void FOR_MACHINE(convolve)(const Trunk* t, const Separable* s, const float* x) {
    const int channels = t->channels, step = (t->width + 2) * channels;
    copy_into_frame(t, x);
    for (int c = 0; c < channels; c += LANES) {
        Vector taps[9];
        UNROLLED for (int tap = 0; tap < 9; tap++) taps[tap] = LOAD(s->depth + tap * channels + c);
        const Vector bias = LOAD(s->depth_bias + c);
        for (int row = 0; row < t->height; row++) {
            const float* from = t->frame + (size_t)row * step + c;
            float* to = t->inner + (size_t)row * t->width * channels + c;
            for (int column = 0; column < t->width; column++, from += channels, to += channels) {
                Vector sums[3] = {bias};
                /* Three sums side by side: one would wait for itself. */
                UNROLLED for (int tap = 0; tap < 9; tap++)
                    sums[tap % 3] += taps[tap] * LOAD(from + tap / 3 * step + tap % 3 * channels);
                const Vector sum = sums[0] + sums[1] + sums[2];
                STORE(to, WHERE(sum > 0, sum));
            }
        }
    }
}

INLINE void FOR_MACHINE(separable)(const Trunk* t, const Separable* s, const float* x, float* y) {
    const int channels = t->channels;
    FOR_MACHINE(convolve)(t, s, x);
#define MIX(row, column, rows, panel)                                                                               \
    FOR_MACHINE(mix)(t->inner + (row) * channels, channels, s->point + (column), s->point_bias + (column),          \
                     x + (row) * channels + (column), y + (row) * channels + (column), rows, panel)
    OVER_TILES(t->cells, channels, MIX)
#undef MIX
}

/* From the gradient of y to that of x, which may not lie in the same place; the weights' are added to. */
INLINE void FOR_MACHINE(back_separable)(const Trunk* t, const Separable* s, const Separable* grads, const float* x,
                                        const float* y, const float* grad_y, float* grad_x) {
    const int channels = t->channels, cells = t->cells, step = (t->width + 2) * channels;
    /* Computed once more, which is faster than to keep it. */
    FOR_MACHINE(convolve)(t, s, x);
    for (int c = 0; c < channels; c += LANES) {
        Vector total = {0};
        for (int at = c; at < cells * channels; at += channels) {
            const Vector grad = WHERE(LOAD(y + at) > LOAD(x + at), LOAD(grad_y + at));
            STORE(t->passed + at, grad);
            total += grad;
        }
        ADD(grads->point_bias + c, total);
    }
#define WEIGH(row, column, rows, panel)                                                                             \
    FOR_MACHINE(weigh)(t->passed + (row), t->inner + (column), channels, cells,                                     \
                       grads->outputs_first + (row) * channels + (column), rows, panel)
    OVER_TILES(channels, channels, WEIGH)
#undef WEIGH
    /* Through the pointwise layer; grad_x holds the result until it is framed. */
    const float* soon = x + (size_t)cells * channels;
#define UNMIX(row, column, rows, panel)                                                                             \
    FOR_MACHINE(unmix)(t->passed + (row) * channels, channels, s->outputs_first + (column),                         \
                       t->inner + (row) * channels + (column), grad_x + (row) * channels + (column),                \
                       soon + (row) * channels + (column), rows, panel)
    OVER_TILES(cells, channels, UNMIX)
#undef UNMIX
    copy_into_frame(t, grad_x);
    /* A cell reaches its neighbours through the opposite taps; what they hand back also weighs the taps. */
    for (int c = 0; c < channels; c += LANES) {
        Vector taps[9], weighed[9], total = {0};
        UNROLLED for (int tap = 0; tap < 9; tap++) {
            taps[tap] = LOAD(s->depth + (8 - tap) * channels + c);
            weighed[tap] = (Vector){0};
        }
        for (int row = 0; row < t->height; row++) {
            const float* from = t->frame + (size_t)row * step + c;
            size_t at = (size_t)row * t->width * channels + c;
            for (int column = 0; column < t->width; column++, from += channels, at += channels) {
                const Vector own = LOAD(x + at);
                Vector sums[3] = {LOAD(grad_y + at)};
                total += LOAD(from + step + channels);
                UNROLLED for (int tap = 0; tap < 9; tap++) {
                    const Vector back = LOAD(from + tap / 3 * step + tap % 3 * channels);
                    sums[tap % 3] += taps[tap] * back;
                    weighed[tap] += own * back;
                }
                STORE(grad_x + at, sums[0] + sums[1] + sums[2]);
            }
        }
        UNROLLED for (int tap = 0; tap < 9; tap++) ADD(grads->depth + (8 - tap) * channels + c, weighed[tap]);
        ADD(grads->depth_bias + c, total);
    }
}

INLINE float FOR_MACHINE(total)(Vector x) {
    float sum = 0;
    for (int lane = 0; lane < LANES; lane++) sum += x[lane];
    return sum;
}

/* pooled = the mean, then the maximum of every channel; best = the first cell that has it. */
INLINE void FOR_MACHINE(pool)(const Trunk* t, const float* x, float* pooled, int* best) {
    for (int c = 0; c < t->channels; c += LANES) {
        Vector total = LOAD(x + c), most = total;
        Lanes where = {0};
        for (int cell = 1; cell < t->cells; cell++) {
            const Vector here = LOAD(x + (size_t)cell * t->channels + c);
            const Lanes more = here > most;
            total += here;
            most = (Vector)CHOOSE(more, here, most);
            where = CHOOSE(more, (Lanes){0} + cell, where);
        }
        STORE(pooled + c, total / (float)t->cells);
        STORE(pooled + t->channels + c, most);
        *(Lanes*)(best + c) = where;
    }
}

INLINE void FOR_MACHINE(pool_layer)(const Trunk* t, const Pool* p, const float* x, float* y) {
    const int channels = t->channels;
    FOR_MACHINE(pool)(t, x, t->pooled, t->best);
    for (int c = 0; c < channels; c += LANES) {
        Vector more = LOAD(p->bias + c);
        for (int i = 0; i < 2 * channels; i++) more += t->pooled[i] * LOAD(p->dense + i * channels + c);
        for (int at = c; at < t->cells * channels; at += channels) STORE(y + at, LOAD(x + at) + more);
    }
}

INLINE void FOR_MACHINE(back_pool_layer)(const Trunk* t, const Pool* p, const Pool* grads, const float* x,
                                         const float* grad_y, float* grad_x) {
    const int channels = t->channels;
    float *total = t->room, *grad_pooled = t->room + channels;
    FOR_MACHINE(pool)(t, x, t->pooled, t->best);
    for (int c = 0; c < channels; c += LANES) {
        Vector sum = {0};
        for (int at = c; at < t->cells * channels; at += channels) sum += LOAD(grad_y + at);
        STORE(total + c, sum);
        ADD(grads->bias + c, sum);
    }
    for (int i = 0; i < 2 * channels; i++) {
        Vector sum = {0};
        for (int c = 0; c < channels; c += LANES) {
            sum += LOAD(p->dense + i * channels + c) * LOAD(total + c);
            ADD(grads->dense + i * channels + c, t->pooled[i] * LOAD(total + c));
        }
        grad_pooled[i] = FOR_MACHINE(total)(sum);
    }
    for (int c = 0; c < channels; c += LANES) {
        const Vector mean = LOAD(grad_pooled + c) / (float)t->cells;
        for (int at = c; at < t->cells * channels; at += channels) STORE(grad_x + at, LOAD(grad_y + at) + mean);
    }
    for (int c = 0; c < channels; c++) grad_x[(size_t)t->best[c] * channels + c] += grad_pooled[channels + c];
}

/* The policy's logits of the cells. */
INLINE void FOR_MACHINE(heads)(const Trunk* t, const float* x, float* logits) {
    for (int cell = 0; cell < t->cells; cell++) {
        Vector sum = {0};
        for (int c = 0; c < t->channels; c += LANES)
            sum += LOAD(x + (size_t)cell * t->channels + c) * LOAD(t->policy + c);
        logits[cell] = *t->policy_bias + FOR_MACHINE(total)(sum);
    }
}

INLINE void FOR_MACHINE(back_heads)(const Trunk* t, const float* x, const float* grad_logits, const float* grad_pooled,
                                    float* grad_x) {
    const int channels = t->channels;
    FOR_MACHINE(pool)(t, x, t->pooled, t->best);
    for (int c = 0; c < channels; c += LANES) {
        const Vector weight = LOAD(t->policy + c), mean = LOAD(grad_pooled + c) / (float)t->cells;
        Vector sum = {0};
        for (int cell = 0; cell < t->cells; cell++) {
            sum += grad_logits[cell] * LOAD(x + (size_t)cell * channels + c);
            STORE(grad_x + (size_t)cell * channels + c, grad_logits[cell] * weight + mean);
        }
        ADD(t->grad_policy + c, sum);
    }
    for (int c = 0; c < channels; c++) grad_x[(size_t)t->best[c] * channels + c] += grad_pooled[channels + c];
}

/* Fetches what the cell after next wants of `matrix`. */
#define FETCH_LINES(matrix)                                                                                         \
    if (cell + AHEAD < t->cells)                                                                                    \
        for (int k = 0; k < 4; k++)                                                                                 \
            for (int c = 0; c < t->channels; c += 16)                                                               \
                RENGA_FETCH((matrix) + (size_t)rows[4 * (cell + AHEAD) + k] * t->channels + c);

/* x = the positive part of bias + the table rows of every cell, cut off at the limit. */
INLINE void FOR_MACHINE(sum_lines)(const Trunk* t, const int* rows, float* x) {
    const Vector most = (Vector){0} + t->limit, least = (Vector){0} - t->limit;
    for (int cell = 0; cell < t->cells; cell++) {
        FETCH_LINES(t->table)
        for (int c = 0; c < t->channels; c += LANES) {
            Vector sum = LOAD(t->bias + c);
            UNROLLED for (int k = 0; k < 4; k++) {
                Vector line = LOAD(t->table + (size_t)rows[4 * cell + k] * t->channels + c);
                line = (Vector)CHOOSE(line < most, line, most);
                sum += (Vector)CHOOSE(line > least, line, least);
            }
            STORE(x + (size_t)cell * t->channels + c, WHERE(sum > 0, sum));
        }
    }
}

INLINE void FOR_MACHINE(back_lines)(const Trunk* t, const int* rows, const float* x, const float* grad_x) {
    for (int cell = 0; cell < t->cells; cell++) {
        FETCH_LINES(t->grad_table)
        for (int c = 0; c < t->channels; c += LANES) {
            const size_t at = (size_t)cell * t->channels + c;
            const Vector passed = WHERE(LOAD(x + at) > 0, LOAD(grad_x + at));
            ADD(t->grad_bias + c, passed);
            UNROLLED for (int k = 0; k < 4; k++) ADD(t->grad_table + (size_t)rows[4 * cell + k] * t->channels + c, passed);
        }
    }
}

static TARGET void FOR_MACHINE(forward)(const Trunk* t) {
    const size_t board = (size_t)t->cells * t->channels, all = t->n * board;
    for (int i = 0; i < t->n; i++) {
        float* x = t->x + i * board;
        FOR_MACHINE(sum_lines)(t, t->rows + (size_t)i * 4 * t->cells, x);
        for (int block = 0; block < t->blocks; block++, x += all)
            if (t->is_pool[block]) FOR_MACHINE(pool_layer)(t, &t->weights[block].pool, x, x + all);
            else FOR_MACHINE(separable)(t, &t->weights[block].separable, x, x + all);
        FOR_MACHINE(heads)(t, x, t->logits + (size_t)i * t->cells);
        FOR_MACHINE(pool)(t, x, t->means + (size_t)i * 2 * t->channels, t->best);
    }
}

static TARGET void FOR_MACHINE(backward)(const Trunk* t) {
    const size_t board = (size_t)t->cells * t->channels, all = t->n * board;
    for (int i = 0; i < t->n; i++) {
        const float* x = t->x + t->blocks * all + i * board;
        float *grad = t->grad, *next = t->next;
        FOR_MACHINE(back_heads)(t, x, t->logits + (size_t)i * t->cells, t->means + (size_t)i * 2 * t->channels, grad);
        for (int block = t->blocks - 1; block >= 0; block--) {
            const float* y = x;
            x -= all;
            if (t->is_pool[block])
                FOR_MACHINE(back_pool_layer)(t, &t->weights[block].pool, &t->grads[block].pool, x, grad, next);
            else
                FOR_MACHINE(back_separable)(t, &t->weights[block].separable, &t->grads[block].separable, x, y, grad, next);
            float* done = grad;
            grad = next;
            next = done;
        }
        FOR_MACHINE(back_lines)(t, t->rows + (size_t)i * 4 * t->cells, x, grad);
    }
    /* Nothing comes back from beyond the limit. */
    const size_t size = (size_t)t->windows * t->channels;
    for (size_t at = 0; at < size; at += LANES) {
        const Vector line = LOAD(t->table + at);
        STORE(t->grad_table + at, WHERE((line <= t->limit) & (line >= -t->limit), LOAD(t->grad_table + at)));
    }
}

#undef Vector
#undef Lanes
#undef LOAD
#undef STORE
#undef ADD
#undef WHERE
#undef CHOOSE
#undef UNROLLED
#undef INLINE
#undef OVER_TILE
#undef OVER_TILES
#undef FETCH_LINES
#undef LANES
#undef TILE_ROWS
#undef TILE_PANEL
#undef TARGET
#undef FOR_MACHINE
