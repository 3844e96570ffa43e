/* Reference of `add` in double, its shapes and its cost. */
#include "add.h"
#include <assay/op.h>
#include <math.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0], *y = &problem->inputs[1];
    if (x->rank != y->rank || memcmp(x->shape, y->shape, sizeof x->shape[0] * (size_t)x->rank) != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "add: x and y must have the same shape");
    outputs[0] = *x;
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(add_args *)args = (add_args){
        .x = problem->inputs[0].data,
        .y = problem->inputs[1].data,
        .out = problem->outputs[0].data,
        .count = assay_tensor_count(&problem->outputs[0]),
        .alpha = assay_problem_real(problem, "alpha"),
    };
    return ASSAY_OK;
}

/* `count` results from element `first` on. The scale is that of the one term which is rounded on its own. */
static void add_range(const assay_problem *problem, int64_t first, int64_t count, double *out, double *scale)
{
    const float *x = (const float *)problem->inputs[0].data + first,
                *y = (const float *)problem->inputs[1].data + first;
    const double alpha = assay_problem_real(problem, "alpha");
    for (int64_t i = 0; i < count; i++)
        out[i] = (double)x[i] + alpha * (double)y[i];
    for (int64_t i = 0; scale && i < count; i++)
        scale[i] = fabs(alpha * (double)y[i]);
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    add_range(problem, 0, assay_tensor_count(&problem->outputs[0]), problem->outputs[0].data, scale);
    return ASSAY_OK;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const assay_tensor *out = &problem->outputs[0];
    const int64_t n = out->rank > 0 ? out->shape[out->rank - 1] : 1;
    for (int64_t i = 0; i < count; i++)
        add_range(problem, rows[i] * n, n, ref + i * n, scale ? scale + i * n : NULL);
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    return 2.0 * (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return 3.0 * (double)assay_tensor_count(&problem->outputs[0]) * (double)assay_dtype_bytes(problem->dtype);
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "add",
        .args_bytes = sizeof(add_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .has_scale = 1,
        .flops = flops,
        .bytes = bytes,
        .reference_rows = reference_rows,
    };
    return &impl;
}
