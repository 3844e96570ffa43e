/* A row of attention in double, from one chunk of keys to the next: for the reference and for its checks.
 *
 * A row is computed with a running maximum and sum, so nothing is allocated whatever the lengths. Masked keys take no
 * part at all: a NaN or infinity in them does not reach the row. Sums are in double, so their own rounding is far
 * below every tolerance. */
#ifndef ASSAY_OPS_MHA_ROWS_H
#define ASSAY_OPS_MHA_ROWS_H

#include <assay/op.h>
#include <math.h>

enum {
    CHUNK = 64, /* keys handled together, on the stack */
    LANES = 4   /* elements of a product handled together */
};

typedef float floats __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float))));
typedef double doubles __attribute__((vector_size(LANES * sizeof(double))));

typedef struct shape {
    int64_t heads, group, queries, keys,
        dim;              /* heads of all batch entries together; group: of them share keys */
    double scale, weight; /* weight: see term_weight() */
    int causal;
    int64_t causal_shift; /* query i sees the keys j <= i + causal_shift */
    int64_t key_rows;     /* of a head of k and v; the first `keys` take part */
} shape;

/* What a score's rounding in binary32 is worth against the rounding of p to the dtype, which the tolerance's stol is for. From terms of
 * 2^24 on it is worth whole powers of e, and a bound would let anything pass. There none is given for it: such scores lie so far apart
 * that the softmax is one-hot, or are equal, and no rounding decides. */
static double term_weight(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 0x1p-13 : dtype == ASSAY_BF16 ? 0x1p-15 : 1.0;
}

/* 1 and what the rounding of a score adds to it, whose terms have the sum `magnitude` without their signs. */
static double weight_of(const shape *s, double magnitude)
{
    const double terms = fabs(s->scale) * magnitude;
    return terms < 0x1p24 ? 1.0 + s->weight * terms : 1.0;
}

static shape shape_of(const assay_problem *problem)
{
    const assay_tensor *q = &problem->inputs[0], *k = &problem->inputs[1];
    const double given = assay_problem_real(problem, "scale");
    const int64_t keys = k->shape[2] - assay_problem_integer(problem, "key_padding");
    return (shape){
        .heads = q->shape[0] * q->shape[1],
        .group = assay_problem_integer(problem, "group_size"),
        .queries = q->shape[2],
        .keys = keys,
        .dim = q->shape[3],
        .scale = given != 0.0      ? given
                 : q->shape[3] > 0 ? 1.0 / sqrt((double)q->shape[3])
                                   : 1.0,
        .weight = term_weight(problem->dtype),
        .causal = assay_problem_integer(problem, "causal") != 0,
        .causal_shift =
            assay_problem_integer(problem, "causal") && assay_problem_integer(problem, "bottom_right")
                ? keys - q->shape[2]
                : 0,
        .key_rows = k->shape[2],
    };
}

static int64_t min_of(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static int64_t max_of(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

static int64_t visible_keys(const shape *s, int64_t query)
{
    return s->causal ? max_of(0, min_of(s->keys, query + 1 + s->causal_shift)) : s->keys;
}

/* The first element of the rows of k, or of v, that a head reads. Heads are counted over all batch entries, each of which
 * has whole groups. */
static const float *head_rows(const shape *s, const assay_tensor *keys, int64_t head)
{
    return (const float *)keys->data + head / s->group * s->key_rows * s->dim;
}

#define WIDEN(from) __builtin_convertvector(*(const floats *)(from), doubles)

/* sum of q*k; *magnitude gets the sum of |q*k| unless it is NULL. */
static double dot(const float *q, const float *k, int64_t dim, double *magnitude)
{
    doubles sum = {0}, absolute = {0};
    int64_t d = 0;
    for (; d + LANES <= dim; d += LANES) {
        const doubles term = WIDEN(q + d) * WIDEN(k + d);
        sum += term;
        if (magnitude)
            for (int l = 0; l < LANES; l++)
                absolute[l] += fabs(term[l]);
    }
    double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double total_absolute = (absolute[0] + absolute[1]) + (absolute[2] + absolute[3]);
    for (; d < dim; d++) {
        total += (double)q[d] * (double)k[d];
        total_absolute += fabs((double)q[d] * (double)k[d]);
    }
    if (magnitude)
        *magnitude = total_absolute;
    return total;
}

/* One chunk of a row's keys: exp(score - max), and the same times the term's weight; what went before is to be multiplied
 * with `rescale`. */
typedef struct chunk {
    double p[CHUNK], weighted[CHUNK], rescale;
    int64_t count;
} chunk;

typedef struct row_state {
    double max, sum;
} row_state;

/* A maximum of -infinity belongs to keys that are all impossible; exponents are then taken from 0, so that they add
 * exp(-inf) = 0. A NaN passes the maximum by and reaches the sum. */
static double origin(double max)
{
    return max == -INFINITY ? 0.0 : max;
}

static void next_chunk(const shape *s, const float *q, const float *k, int64_t count, int want_weight,
                       row_state *state, chunk *c)
{
    double magnitude[CHUNK], max = state->max;
    c->count = count;
    for (int64_t j = 0; j < count; j++) {
        c->p[j] = s->scale * dot(q, k + j * s->dim, s->dim, want_weight ? &magnitude[j] : NULL);
        max = c->p[j] > max ? c->p[j] : max;
    }
    c->rescale = exp(state->max - origin(max));
    state->sum *= c->rescale;
    state->max = max;
    for (int64_t j = 0; j < count; j++) {
        c->p[j] = exp(c->p[j] - origin(max));
        state->sum += c->p[j];
        /* p = 0 takes part with nothing, however large its score's terms are */
        c->weighted[j] = want_weight && c->p[j] != 0.0 ? c->p[j] * weight_of(s, magnitude[j]) : 0.0;
    }
}

#endif
