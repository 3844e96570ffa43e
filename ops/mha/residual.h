/* The check of `mha` for sizes at which the reference is too slow: see residual(). */
#ifndef ASSAY_OPS_MHA_RESIDUAL_H
#define ASSAY_OPS_MHA_RESIDUAL_H

#include "rows.h"
#include <assay/random.h>
#include <pthread.h>
#include <unistd.h>

enum {
    COLUMNS = 64,        /* columns of v whose extremes are sought together */
    MOST_ROWS = 16,      /* rows of which residual() checks at least one */
    MOST_LONG_ROWS = 64, /* the same for very long sequences */
    MOST_THREADS = 16
};

#define RESIDUAL_FLOPS 8e9  /* spent on rows of residual(): a second or two */
#define LONG_FLOPS     6e11 /* from here on one row in MOST_ROWS would take half a minute */
#define THREAD_FLOPS   4e9 /* a second: less is not worth a thread, and a verification runs several workers */

/* Add to *expected the chunk's sum of p * (v x) over some columns of v, and to *squares that of its weighted terms' squares. */
static void add_columns(const chunk *c, const float *v, int64_t stride, int64_t width, int64_t first_column,
                        uint64_t seed, double *expected, double *squares)
{
    double signs[COLUMNS];
    for (int64_t d = 0; d < width; d++)
        signs[d] = assay_random_sign(seed, first_column + d);
    for (int64_t i = 0; i < c->count; i++) {
        double sum = 0.0, square_sum = 0.0;
        for (int64_t d = 0; d < width; d++) {
            const double element = (double)v[i * stride + d];
            sum += signs[d] * element;
            square_sum += element * element;
        }
        *expected += c->p[i] * sum;
        *squares += c->weighted[i] * c->weighted[i] * square_sum;
    }
}

/* Freivalds' check of one row: |sum_d x_d (out_d - ref_d)|, where sum_d x_d ref_d = sum_j p_j (v x)_j needs no row of ref.
 * magnitude: by Cauchy and Schwarz sum_d scale_d <= sqrt(dim * sum_d scale_d^2). */
static void row_residual(const assay_problem *problem, const shape *s, int64_t row, uint64_t seed,
                         double *residual, double *magnitude)
{
    const int64_t head = row / s->queries, limit = visible_keys(s, row % s->queries);
    const float *q = (const float *)problem->inputs[0].data + row * s->dim;
    const float *k = head_rows(s, &problem->inputs[1], head), *v = head_rows(s, &problem->inputs[2], head);
    const float *out = (const float *)problem->outputs[0].data + row * s->dim;
    row_state state = {-INFINITY, 0.0};
    double expected = 0.0, squares = 0.0, got = 0.0;
    for (int64_t j = 0; j < limit; j += CHUNK) {
        chunk c;
        next_chunk(s, q, k + j * s->dim, min_of(CHUNK, limit - j), 1, &state, &c);
        expected *= c.rescale;
        squares *= c.rescale * c.rescale;
        for (int64_t d = 0; d < s->dim; d += COLUMNS)
            add_columns(&c, v + j * s->dim + d, s->dim, min_of(COLUMNS, s->dim - d), d, seed, &expected,
                        &squares);
    }
    for (int64_t d = 0; d < s->dim; d++)
        got += assay_random_sign(seed, d) * (double)out[d];
    *residual = fabs(got - (limit > 0 ? expected / state.sum : 0.0));
    *magnitude = limit > 0 ? sqrt((double)s->dim * squares) / state.sum : 0.0;
}

/* An output is an average of rows of v, so it lies between their smallest and largest elements, column by column; a row
 * that sees no key is 0. What it lies outside by goes to residual[]; 0 where it does not. */
static void head_excess(const assay_problem *problem, const shape *s, int64_t head, double *residual)
{
    const float *v = head_rows(s, &problem->inputs[2], head);
    const float *out = (const float *)problem->outputs[0].data + head * s->queries * s->dim;
    for (int64_t i = 0; i < s->queries; i++)
        residual[i] = 0.0;
    for (int64_t d0 = 0; d0 < s->dim; d0 += COLUMNS) {
        const int64_t width = min_of(COLUMNS, s->dim - d0);
        float low[COLUMNS], high[COLUMNS];
        for (int64_t d = 0; d < width; d++)
            low[d] = high[d] = s->keys > 0 ? v[d0 + d] : 0.0f;
        for (int64_t j = 1; j < s->keys; j++)
            for (int64_t d = 0; d < width; d++) {
                const float element = v[j * s->dim + d0 + d];
                low[d] = element < low[d] ? element : low[d];
                high[d] = element > high[d] ? element : high[d];
            }
        for (int64_t i = 0; i < s->queries; i++)
            for (int64_t d = 0, seen = visible_keys(s, i); d < width; d++) {
                const double element = (double)out[i * s->dim + d0 + d],
                             above = element - (seen > 0 ? (double)high[d] : 0.0),
                             below = (seen > 0 ? (double)low[d] : 0.0) - element;
                residual[i] = fmax(residual[i], fmax(above, below));
            }
    }
}

/* What a thread does of residual(): groups of rows `first`, first + step, ... Every row is written by one thread and depends on no other,
 * so the result is the same for any number of threads. */
typedef struct share {
    const assay_problem *problem;
    const shape *s;
    uint64_t seed;
    int64_t rows, group;
    int first, step;
    double *difference, *magnitude;
} share;

static void *check_share(void *argument)
{
    const share *own = argument;
    for (int64_t first = own->first * own->group; first < own->rows; first += own->step * own->group) {
        const int64_t in_group = min_of(own->group, own->rows - first);
        const int64_t row = first + (int64_t)(assay_random_bits(~own->seed, first) % (uint64_t)in_group);
        const double excess = own->difference[row];
        row_residual(own->problem, own->s, row, own->seed, &own->difference[row], &own->magnitude[row]);
        own->difference[row] = fmax(own->difference[row], excess);
    }
    return NULL;
}

/* Long sequences take a core half a minute and more. */
static int thread_count(double flops)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const double wanted = fmin(flops / THREAD_FLOPS, fmin((double)cores, MOST_THREADS));
    return wanted < 2.0 ? 1 : (int)wanted;
}

/* A share whose thread cannot be had is done here. */
static void share_out(share *shares, int count)
{
    pthread_t threads[MOST_THREADS];
    int started[MOST_THREADS] = {0};
    for (int i = 1; i < count; i++)
        started[i] = pthread_create(&threads[i], NULL, check_share, &shares[i]) == 0;
    for (int i = 0; i < count; i++)
        if (!started[i])
            check_share(&shares[i]);
    for (int i = 1; i < count; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}

/* There is no check of all of a softmax's output that is cheaper than the op itself. So every row is held to what costs
 * little, that it lies among v's elements, and one random row of every group of neighbours has Freivalds' check. A group is
 * as small as RESIDUAL_FLOPS allow, and never larger than the 16 queries of a tensor-core tile, so that none goes unseen; for very
 * long sequences than the 64 queries of a warpgroup's. */
static assay_status residual(const assay_problem *problem, uint64_t seed, double *difference,
                             double *magnitude)
{
    const shape s = shape_of(problem);
    const int64_t rows = s.heads * s.queries;
    const double cost = 4.0 * (double)rows * (double)s.keys * (double)s.dim;
    const int64_t most = cost > LONG_FLOPS ? MOST_LONG_ROWS : MOST_ROWS;
    int64_t group = 1;
    while (cost / (double)group > RESIDUAL_FLOPS && group < most)
        group *= 2;
    for (int64_t head = 0; head < s.heads; head++)
        head_excess(problem, &s, head, difference + head * s.queries);
    for (int64_t row = 0; row < rows; row++)
        magnitude[row] = 0.0;
    share shares[MOST_THREADS];
    const int count = thread_count(cost / (double)group);
    for (int i = 0; i < count; i++)
        shares[i] = (share){problem, &s, seed, rows, group, i, count, difference, magnitude};
    share_out(shares, count);
    return ASSAY_OK;
}

#endif
