/* Reference of `matmul` in double, its shapes, its cost, and the checks for sizes at which the reference is too slow.
 *
 * The triple loop is blocked for the caches because a case's time is mostly this file's: about 3 G multiply-adds a
 * second on one core with SSE2 alone. Sums are in double, so their own rounding (K * 2^-53) is far below every tolerance. */
#include "matmul.h"
#include <assay/op.h>
#include <math.h>

enum {
    ROWS =
        4, /* rows of a handled together: with LANES columns the accumulators fill the 16 SSE registers by half */
    LANES = 4,    /* columns handled together */
    BLOCK_N = 64, /* columns and */
    BLOCK_K = 64, /* rows of the block of b that stays in the L1 cache as doubles: 32 KiB */
    CHUNK_K = 512 /* elements of K that residual() handles at a time, on its stack */
};

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

typedef struct shape {
    int64_t m, n, k;
} shape;

static shape shape_of(const assay_problem *problem)
{
    const assay_tensor *a = &problem->inputs[0], *b = &problem->inputs[1];
    return (shape){a->shape[0], b->shape[1], a->shape[1]};
}

static int64_t min_of(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *a = &problem->inputs[0], *b = &problem->inputs[1];
    if (a->rank != 2 || b->rank != 2)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "matmul: a and b must be matrices, not of rank %d and %d", (int)a->rank,
                               (int)b->rank);
    if (a->shape[1] != b->shape[0])
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "matmul: a has %lld columns, b has %lld rows; the two must be equal",
                               (long long)a->shape[1], (long long)b->shape[0]);
    outputs[0].dtype = a->dtype;
    outputs[0].rank = 2;
    outputs[0].shape[0] = a->shape[0];
    outputs[0].shape[1] = b->shape[1];
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    const shape s = shape_of(problem);
    *(matmul_args *)args = (matmul_args){
        .a = problem->inputs[0].data,
        .b = problem->inputs[1].data,
        .c = problem->outputs[0].data,
        .m = s.m,
        .n = s.n,
        .k = s.k,
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
    };
    return ASSAY_OK;
}

/* A block of b as doubles, columns past the edge zero (their sums are never stored). `absolute`: of |b|. */
static void pack_b(double panel[BLOCK_K][BLOCK_N], const float *b, int64_t n, int64_t depth, int64_t width,
                   int absolute)
{
    for (int64_t k = 0; k < depth; k++) {
        const float *row = b + k * n;
        for (int64_t j = 0; j < width; j++)
            panel[k][j] = absolute ? fabs((double)row[j]) : (double)row[j];
        for (int64_t j = width; j < BLOCK_N; j++)
            panel[k][j] = 0.0;
    }
}

static void pack_a(double strip[BLOCK_K][ROWS], const float *const rows[ROWS], int64_t depth, int absolute)
{
    for (int64_t k = 0; k < depth; k++)
        for (int r = 0; r < ROWS; r++)
            strip[k][r] = absolute ? fabs((double)rows[r][k]) : (double)rows[r][k];
}

/* sums[r][l] = sum over k of strip[k][r] * panel[k][l]. */
static void multiply_lanes(lanes sums[ROWS], double strip[BLOCK_K][ROWS], const double (*panel)[BLOCK_N],
                           int64_t depth)
{
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t k = 0; k < depth; k++) {
        const lanes b = *(const lanes *)panel[k];
        s0 += strip[k][0] * b;
        s1 += strip[k][1] * b;
        s2 += strip[k][2] * b;
        s3 += strip[k][3] * b;
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

/* Add the product of `count` <= ROWS strips of a with a panel of b to the rows out[r]. */
static void add_block(double *const out[ROWS], int64_t count, double strip[BLOCK_K][ROWS],
                      double panel[BLOCK_K][BLOCK_N], int64_t depth, int64_t width)
{
    for (int64_t j = 0; j < width; j += LANES) {
        lanes sums[ROWS];
        multiply_lanes(sums, strip, (const double(*)[BLOCK_N]) & panel[0][j], depth);
        for (int64_t r = 0; r < count; r++)
            for (int64_t l = 0; l < min_of(LANES, width - j); l++)
                out[r][j + l] += sums[r][l];
    }
}

/* out[i] = row index(i) of a times b, for i < count, where index(i) is rows[i], or i if rows is NULL. `absolute`: |a||b|. */
static void multiply_rows(const float *a, const float *b, shape s, const int64_t *rows, int64_t count,
                          double *out, int absolute)
{
    double panel[BLOCK_K][BLOCK_N], strip[BLOCK_K][ROWS];
    for (int64_t i = 0; i < count * s.n; i++)
        out[i] = 0.0;
    for (int64_t j = 0; j < s.n; j += BLOCK_N) {
        const int64_t width = min_of(BLOCK_N, s.n - j);
        for (int64_t k = 0; k < s.k; k += BLOCK_K) {
            const int64_t depth = min_of(BLOCK_K, s.k - k);
            pack_b(panel, b + k * s.n + j, s.n, depth, width, absolute);
            for (int64_t i = 0; i < count; i += ROWS) {
                const float *from[ROWS];
                double *to[ROWS];
                for (int r = 0; r < ROWS;
                     r++) { /* a short last group repeats its last row and does not store it */
                    const int64_t at = min_of(i + r, count - 1);
                    from[r] = a + (rows ? rows[at] : at) * s.k + k;
                    to[r] = out + at * s.n + j;
                }
                pack_a(strip, from, depth, absolute);
                add_block(to, min_of(ROWS, count - i), strip, panel, depth, width);
            }
        }
    }
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const float *a = problem->inputs[0].data, *b = problem->inputs[1].data;
    multiply_rows(a, b, shape_of(problem), rows, count, ref, 0);
    if (scale)
        multiply_rows(a, b, shape_of(problem), rows, count, scale, 1);
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    return reference_rows(problem, NULL, problem->inputs[0].shape[0], problem->outputs[0].data, scale);
}

/* +1 or -1 for index i: a bit of a 64-bit mixing function of (seed, i), so any element is known without the others. */
static double sign_of(uint64_t seed, int64_t i)
{
    uint64_t x = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x >> 63) ? -1.0 : 1.0;
}

/* Freivalds: with x a vector of random signs, C x must equal A (B x) in every row. A wrong row escapes with probability at
 * most 1/2 for each seed, and errors that are not tiny against the row's magnitude practically never do. */
static assay_status residual(const assay_problem *problem, uint64_t seed, double *difference,
                             double *magnitude)
{
    const shape s = shape_of(problem);
    const float *a = problem->inputs[0].data, *b = problem->inputs[1].data, *c = problem->outputs[0].data;
    for (int64_t i = 0; i < s.m; i++) {
        difference[i] = magnitude[i] = 0.0;
        for (int64_t j = 0; j < s.n; j++)
            difference[i] += sign_of(seed, j) * (double)c[i * s.n + j];
    }
    for (int64_t k0 = 0; k0 < s.k; k0 += CHUNK_K) {
        double bx[CHUNK_K], b_sum[CHUNK_K]; /* B x and |B| 1 for these rows of b */
        const int64_t depth = min_of(CHUNK_K, s.k - k0);
        for (int64_t k = 0; k < depth; k++) {
            bx[k] = b_sum[k] = 0.0;
            for (int64_t j = 0; j < s.n; j++) {
                const double element = (double)b[(k0 + k) * s.n + j];
                bx[k] += sign_of(seed, j) * element;
                b_sum[k] += fabs(element);
            }
        }
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t k = 0; k < depth; k++) {
                const double element = (double)a[i * s.k + k0 + k];
                difference[i] -= element * bx[k];
                magnitude[i] += fabs(element) * b_sum[k];
            }
    }
    for (int64_t i = 0; i < s.m; i++)
        difference[i] = fabs(difference[i]);
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return 2.0 * (double)s.m * (double)s.n * (double)s.k;
}

static double bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    const double m = (double)s.m, n = (double)s.n, k = (double)s.k;
    return (m * k + k * n + m * n) * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return matmul_workspace_bytes(s.m, s.n, s.k, (int64_t)assay_dtype_bytes(problem->dtype));
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "matmul",
        .args_bytes = sizeof(matmul_args),
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
