/* The product of two matrices in double, for references: its shapes, and c = a b, or |a| |b|, which is what rounding
 * errors are proportional to.
 *
 * The triple loop is blocked for the caches because a case's time is mostly the reference's: about 3 G
 * multiply-adds a second on one core with SSE2 alone. Sums are in double, so their own rounding (K *
 * 2^-53) is far below every tolerance. */
#ifndef ASSAY_OPS_COMMON_REFERENCE_PRODUCT_H
#define ASSAY_OPS_COMMON_REFERENCE_PRODUCT_H

#include <assay/op.h>
#include <math.h>
#include <stdint.h>

enum {
    ROWS = 4,     /* rows of a handled together: with LANES columns the sums fill half of the SSE registers */
    LANES = 4,    /* columns handled together */
    BLOCK_N = 64, /* columns and */
    BLOCK_K = 64  /* rows of the block of b that stays in the L1 cache as doubles: 32 KiB */
};

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double))));

/* a is m x k, b is k x n, both row-major, or transposed, a as k x m and b as n x k. Rows as they lie are row_a and row_b
 * elements apart. */
typedef struct shape {
    int64_t m, n, k;
    int transpose_a, transpose_b;
    int64_t row_a, row_b;
} shape;

/* Where the element of a at row i and inner index k lies, and that of b at k and column j. */
static inline int64_t at_a(const shape *s, int64_t i, int64_t k)
{
    return s->transpose_a ? k * s->row_a + i : i * s->row_a + k;
}
static inline int64_t at_b(const shape *s, int64_t k, int64_t j)
{
    return s->transpose_b ? j * s->row_b + k : k * s->row_b + j;
}

static int64_t min_of(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* A block of b as doubles, columns past the edge zero (their sums are never stored). `b`: its first element, from
 * which rows are step_k and columns step_n elements apart. `absolute`: of |b|. */
static void pack_b(double panel[BLOCK_K][BLOCK_N], const float *b, int64_t step_k, int64_t step_n,
                   int64_t depth, int64_t width, int absolute)
{
    for (int64_t k = 0; k < depth; k++) {
        const float *row = b + k * step_k;
        for (int64_t j = 0; j < width; j++)
            panel[k][j] = absolute ? fabs((double)row[j * step_n]) : (double)row[j * step_n];
        for (int64_t j = width; j < BLOCK_N; j++)
            panel[k][j] = 0.0;
    }
}

static void pack_a(double strip[BLOCK_K][ROWS], const float *const rows[ROWS], int64_t step_k, int64_t depth,
                   int absolute)
{
    for (int64_t k = 0; k < depth; k++)
        for (int r = 0; r < ROWS; r++)
            strip[k][r] = absolute ? fabs((double)rows[r][k * step_k]) : (double)rows[r][k * step_k];
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

/* out[i] = row index(i) of a times b, for i < count, where index(i) is rows[i], or i if rows is NULL.
 * `absolute`: |a||b|. */
static void multiply_rows(const float *a, const float *b, shape s, const int64_t *rows, int64_t count,
                          double *out, int absolute)
{
    const int64_t a_step = s.transpose_a ? s.row_a : 1, b_step_k = s.transpose_b ? 1 : s.row_b,
                  b_step_n = s.transpose_b ? s.row_b : 1;
    double panel[BLOCK_K][BLOCK_N], strip[BLOCK_K][ROWS];
    for (int64_t i = 0; i < count * s.n; i++)
        out[i] = 0.0;
    for (int64_t j = 0; j < s.n; j += BLOCK_N) {
        const int64_t width = min_of(BLOCK_N, s.n - j);
        for (int64_t k = 0; k < s.k; k += BLOCK_K) {
            const int64_t depth = min_of(BLOCK_K, s.k - k);
            pack_b(panel, b + at_b(&s, k, j), b_step_k, b_step_n, depth, width, absolute);
            for (int64_t i = 0; i < count; i += ROWS) {
                const float *from[ROWS];
                double *to[ROWS];
                for (int r = 0; r < ROWS;
                     r++) { /* a short last group repeats its last row and does not store it */
                    const int64_t at = min_of(i + r, count - 1);
                    from[r] = a + at_a(&s, rows ? rows[at] : at, k);
                    to[r] = out + at * s.n + j;
                }
                pack_a(strip, from, a_step, depth, absolute);
                add_block(to, min_of(ROWS, count - i), strip, panel, depth, width);
            }
        }
    }
}

/* What lies behind each row; 0 for an op without that parameter. */
static int64_t padding_of(const assay_problem *problem, const char *name)
{
    const assay_param *param = assay_problem_param(problem, name);
    return param ? param->integer : 0;
}

/* The shape by inputs 0 and 1 and the parameters `transpose_a` and `transpose_b` of a problem that infer_product()
 * took. */
static shape shape_of(const assay_problem *problem)
{
    const assay_tensor *a = &problem->inputs[0], *b = &problem->inputs[1];
    const int transpose_a = assay_problem_integer(problem, "transpose_a") != 0,
              transpose_b = assay_problem_integer(problem, "transpose_b") != 0;
    const int64_t row_a = a->shape[1], length_a = row_a - padding_of(problem, "padding_a"),
                  row_b = b->shape[1], length_b = row_b - padding_of(problem, "padding_b");
    return (shape){.m = transpose_a ? length_a : a->shape[0],
                   .n = transpose_b ? b->shape[0] : length_b,
                   .k = transpose_a ? a->shape[0] : length_a,
                   .transpose_a = transpose_a,
                   .transpose_b = transpose_b,
                   .row_a = row_a,
                   .row_b = row_b};
}

/* 0 or 1. */
static assay_status check_transposition(const assay_problem *problem, const char *op, const char *name,
                                        assay_error *error)
{
    const int64_t value = assay_problem_integer(problem, name);
    if (value == 0 || value == 1)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_INVALID, "%s: %s is %lld; allowed: 0, 1", op, name,
                           (long long)value);
}

/* Check inputs 0 and 1 of `op`, and describe the output. */
static assay_status infer_product(const assay_problem *problem, const char *op, assay_tensor *output,
                                  assay_error *error)
{
    const assay_tensor *a = &problem->inputs[0], *b = &problem->inputs[1];
    assay_status status = check_transposition(problem, op, "transpose_a", error);
    if (status == ASSAY_OK)
        status = check_transposition(problem, op, "transpose_b", error);
    if (status != ASSAY_OK)
        return status;
    if (a->rank != 2 || b->rank != 2)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: a and b must be matrices, not of rank %d and %d", op, (int)a->rank,
                               (int)b->rank);
    const shape s = shape_of(problem);
    const int64_t rows_of_b = s.transpose_b ? s.row_b - padding_of(problem, "padding_b") : b->shape[0];
    if (s.k != rows_of_b)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: a%s has %lld columns, b%s has %lld rows; the two must be equal", op,
                               s.transpose_a ? " transposed" : "", (long long)s.k,
                               s.transpose_b ? " transposed" : "", (long long)rows_of_b);
    output->dtype = a->dtype;
    output->rank = 2;
    output->shape[0] = s.m;
    output->shape[1] = s.n;
    return ASSAY_OK;
}

#endif
