/* Reference of `transpose`, its shapes and its cost. */
#include "transpose.h"
#include <assay/op.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0];
    if (x->rank < 2)
        return assay_error_set(error, ASSAY_ERR_INVALID, "transpose: x must have rank 2 or more, not %d",
                               (int)x->rank);
    outputs[0] = *x;
    outputs[0].shape[x->rank - 2] = x->shape[x->rank - 1];
    outputs[0].shape[x->rank - 1] = x->shape[x->rank - 2];
    return ASSAY_OK;
}

static transpose_args view(const assay_problem *problem)
{
    const assay_tensor *x = &problem->inputs[0];
    transpose_args args = {
        .x = x->data,
        .out = problem->outputs[0].data,
        .batch = 1,
        .rows = x->shape[x->rank - 2],
        .columns = x->shape[x->rank - 1],
    };
    for (int32_t i = 0; i < x->rank - 2; i++)
        args.batch *= x->shape[i];
    return args;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(transpose_args *)args = view(problem);
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    (void)scale;
    const transpose_args s = view(problem);
    for (int64_t b = 0; b < s.batch; b++) {
        const float *x = (const float *)s.x + b * s.rows * s.columns;
        double *out = (double *)s.out + b * s.rows * s.columns;
        for (int64_t r = 0; r < s.rows; r++)
            for (int64_t c = 0; c < s.columns; c++)
                out[c * s.rows + r] = (double)x[r * s.columns + c];
    }
    return ASSAY_OK;
}

/* Row of the output: a column of one of the matrices. */
static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    (void)scale;
    const transpose_args s = view(problem);
    for (int64_t i = 0; i < count; i++) {
        const float *x = (const float *)s.x + rows[i] / s.columns * s.rows * s.columns + rows[i] % s.columns;
        for (int64_t r = 0; r < s.rows; r++)
            ref[i * s.rows + r] = (double)x[r * s.columns];
    }
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    (void)problem;
    return 0.0;
}

static double bytes(const assay_problem *problem)
{
    return 2.0 * (double)assay_tensor_count(&problem->inputs[0]) * (double)assay_dtype_bytes(problem->dtype);
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "transpose",
        .args_bytes = sizeof(transpose_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .flops = flops,
        .bytes = bytes,
        .reference_rows = reference_rows,
    };
    return &impl;
}
