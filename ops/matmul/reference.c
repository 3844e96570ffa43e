/* Reference of `matmul` in double, its shapes, its cost, and the checks for sizes at which the reference
 * is too slow. */
#include "../common/reference_product.h"
#include "matmul.h"
#include <assay/op.h>

enum { CHUNK_K = 512 }; /* elements of K that residual() handles at a time, on its stack */

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    return infer_product(problem, "matmul", &outputs[0], error);
}

static matmul_args args_of(const assay_problem *problem)
{
    const shape s = shape_of(problem);
    return (matmul_args){
        .a = problem->inputs[0].data,
        .b = problem->inputs[1].data,
        .c = problem->outputs[0].data,
        .m = s.m,
        .n = s.n,
        .k = s.k,
        .transpose_a = s.transpose_a,
        .transpose_b = s.transpose_b,
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
    };
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(matmul_args *)args = args_of(problem);
    return ASSAY_OK;
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
    return reference_rows(problem, NULL, shape_of(problem).m, problem->outputs[0].data, scale);
}

/* +1 or -1 for index i: a bit of a 64-bit mixing function of (seed, i), so any element is known without
 * the others. */
static double sign_of(uint64_t seed, int64_t i)
{
    uint64_t x = seed + (uint64_t)i * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return (x >> 63) ? -1.0 : 1.0;
}

/* Freivalds: with x a vector of random signs, C x must equal A (B x) in every row. A wrong row escapes
 * with probability at most 1/2 for each seed, and errors that are not tiny against the row's magnitude
 * practically never do. */
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
                const double element = (double)b[at_b(&s, k0 + k, j)];
                bx[k] += sign_of(seed, j) * element;
                b_sum[k] += fabs(element);
            }
        }
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t k = 0; k < depth; k++) {
                const double element = (double)a[at_a(&s, i, k0 + k)];
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
    const matmul_args args = args_of(problem);
    if (problem->dtype == ASSAY_TF32) /* multiplied as it lies, but for a transposed a */
        return matmul_transposed_bytes(&args, 4) + matmul_partial_bytes(args.m, args.n, args.k);
    return matmul_workspace_bytes(&args, (int64_t)assay_dtype_bytes(problem->dtype));
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
