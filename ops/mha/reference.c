/* Reference of `mha` in double, its shapes, its cost, and the checks for sizes at which the reference is too slow.
 *
 * A row is computed over chunks of keys with a running maximum and sum, so nothing is allocated whatever the lengths.
 * Masked keys take no part at all: a NaN or infinity in them does not reach the row. Sums are in double, so their own
 * rounding is far below every tolerance. */
#include "mha.h"
#include <assay/op.h>
#include <math.h>
#include <pthread.h>
#include <unistd.h>

enum {
    CHUNK = 64,          /* keys handled together, on the stack */
    COLUMNS = 64,        /* columns of v whose extremes are sought together */
    LANES = 4,           /* elements of a product handled together */
    MOST_ROWS = 16,      /* rows of which residual() checks at least one */
    MOST_LONG_ROWS = 64, /* the same for very long sequences */
    MOST_THREADS = 16
};

#define RESIDUAL_FLOPS 8e9  /* spent on rows of residual(): a second or two */
#define LONG_FLOPS     6e11 /* from here on one row in MOST_ROWS would take half a minute */
#define THREAD_FLOPS   4e9 /* a second: less is not worth a thread, and a verification runs several workers */

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

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *q = &problem->inputs[0], *k = &problem->inputs[1], *v = &problem->inputs[2];
    if (q->rank != 4 || k->rank != 4 || v->rank != 4)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "mha: q, k and v must have rank 4 (batch, heads, length, dim), not %d, %d and %d", (int)q->rank,
            (int)k->rank, (int)v->rank);
    if (memcmp(k->shape, v->shape, 4 * sizeof k->shape[0]) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "mha: k and v must have the same shape");
    for (int i = 0; i < 4; i += 3)
        if (q->shape[i] != k->shape[i])
            return assay_error_set(
                error, ASSAY_ERR_INVALID,
                "mha: q and k may differ in heads and length only, but dimension %d is %lld and %lld", i,
                (long long)q->shape[i], (long long)k->shape[i]);
    const int64_t group = assay_problem_integer(problem, "group_size");
    if (group < 1 || q->shape[1] % group != 0 || k->shape[1] != q->shape[1] / group)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "mha: group_size = %lld heads share a key head, so q has %lld times the heads of k; they have "
            "%lld and %lld",
            (long long)group, (long long)group, (long long)q->shape[1], (long long)k->shape[1]);
    const int64_t padding = assay_problem_integer(problem, "key_padding");
    if (padding < 0 || padding > k->shape[2])
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "mha: key_padding is %lld; allowed: 0 to %lld, the rows of a head of k",
                               (long long)padding, (long long)k->shape[2]);
    outputs[0] = *q;
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    const shape s = shape_of(problem);
    *(mha_args *)args = (mha_args){
        .q = problem->inputs[0].data,
        .k = problem->inputs[1].data,
        .v = problem->inputs[2].data,
        .out = problem->outputs[0].data,
        .batch = problem->inputs[0].shape[0],
        .heads = problem->inputs[0].shape[1],
        .group = assay_problem_integer(problem, "group_size"),
        .queries = s.queries,
        .keys = s.keys,
        .dim = s.dim,
        .scale = s.scale,
        .causal = s.causal,
        .causal_shift = s.causal_shift,
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
        .key_padding = s.key_rows - s.keys,
    };
    return ASSAY_OK;
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

/* Row `row` of the output (counted over all heads) into ref[dim], and its scale into scale[dim] unless that is NULL. */
static void compute_row(const assay_problem *problem, const shape *s, int64_t row, double *ref, double *scale)
{
    const int64_t head = row / s->queries, limit = visible_keys(s, row % s->queries);
    const float *q = (const float *)problem->inputs[0].data + row * s->dim;
    const float *k = head_rows(s, &problem->inputs[1], head), *v = head_rows(s, &problem->inputs[2], head);
    row_state state = {-INFINITY, 0.0};
    for (int64_t d = 0; d < s->dim; d++)
        ref[d] = 0.0;
    for (int64_t d = 0; d < s->dim && scale; d++)
        scale[d] = 0.0;
    for (int64_t j = 0; j < limit; j += CHUNK) {
        chunk c;
        next_chunk(s, q, k + j * s->dim, min_of(CHUNK, limit - j), scale != NULL, &state, &c);
        for (int64_t d = 0; d < s->dim; d++)
            ref[d] *= c.rescale;
        for (int64_t i = 0; i < c.count; i++)
            for (int64_t d = 0; d < s->dim; d++)
                ref[d] += c.p[i] * (double)v[(j + i) * s->dim + d];
        for (int64_t d = 0; d < s->dim && scale; d++) {
            scale[d] *= c.rescale * c.rescale;
            for (int64_t i = 0; i < c.count; i++) {
                const double term = c.weighted[i] * (double)v[(j + i) * s->dim + d];
                scale[d] += term * term;
            }
        }
    }
    for (int64_t d = 0; d < s->dim && limit > 0; d++) /* without keys the row stays zero, as torch has it */
        ref[d] /= state.sum;
    for (int64_t d = 0; d < s->dim && limit > 0 && scale; d++)
        scale[d] = sqrt(scale[d]) / state.sum;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const shape s = shape_of(problem);
    for (int64_t i = 0; i < count; i++)
        compute_row(problem, &s, rows ? rows[i] : i, ref + i * s.dim, scale ? scale + i * s.dim : NULL);
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const shape s = shape_of(problem);
    return reference_rows(problem, NULL, s.heads * s.queries, problem->outputs[0].data, scale);
}

/* A 64-bit mixing function of (seed, i), so that any element is known without the others. */
static uint64_t mix(uint64_t seed, int64_t i)
{
    uint64_t x = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

static double sign_of(uint64_t seed, int64_t i)
{
    return mix(seed, i) >> 63 ? -1.0 : 1.0;
}

/* Add to *expected the chunk's sum of p * (v x) over some columns of v, and to *squares that of its weighted terms' squares. */
static void add_columns(const chunk *c, const float *v, int64_t stride, int64_t width, int64_t first_column,
                        uint64_t seed, double *expected, double *squares)
{
    double signs[COLUMNS];
    for (int64_t d = 0; d < width; d++)
        signs[d] = sign_of(seed, first_column + d);
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
        got += sign_of(seed, d) * (double)out[d];
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
        const int64_t row = first + (int64_t)(mix(~own->seed, first) % (uint64_t)in_group);
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

/* Sum of the smaller of i and `keys` for i from 1 to `last`. */
static double triangle(int64_t last, int64_t keys)
{
    const double n = (double)max_of(0, min_of(last, keys)), rest = (double)max_of(0, last - keys);
    return n * (n + 1.0) / 2.0 + rest * (double)keys;
}

/* Pairs of a query and a key that it sees, in one head. */
static double visible_pairs(const shape *s)
{
    if (!s->causal)
        return (double)s->queries * (double)s->keys;
    return triangle(s->queries + s->causal_shift, s->keys) - triangle(s->causal_shift, s->keys);
}

/* The two products; the softmax is not counted, as is usual for attention. */
static double flops(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return 4.0 * (double)s.heads * visible_pairs(&s) * (double)s.dim;
}

static double bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return 2.0 * ((double)s.heads * (double)s.queries + (double)(s.heads / s.group) * (double)s.keys) *
           (double)s.dim * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    const int64_t scores = mha_workspace_bytes(s.heads * s.queries, s.keys);
    const int64_t parts = problem->dtype == ASSAY_F32 ? mha_split_bytes(s.heads / s.group, s.keys, s.dim) : 0;
    return scores > parts ? scores : parts;
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "mha",
        .args_bytes = sizeof(mha_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .has_scale = 1,
        .flops = flops,
        .bytes = bytes,
        .workspace_bytes = workspace_bytes,
        .reference_rows = reference_rows,
        .residual = residual,
    };
    return &impl;
}
