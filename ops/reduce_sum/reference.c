/* Reference of `reduce_sum` in double, its shapes and its cost. */
#include "reduce_sum.h"
#include <assay/op.h>
#include <math.h>

/* The dimension as an index 0..rank-1, or -1 if it does not exist. A scalar has the dimension 0 of length 1, as in torch. */
static int32_t find_dim(const assay_problem *problem)
{
    const int32_t rank = problem->inputs[0].rank > 0 ? problem->inputs[0].rank : 1;
    const int64_t dim = assay_problem_integer(problem, "dim");
    if (dim < -rank || dim >= rank)
        return -1;
    return (int32_t)(dim < 0 ? dim + rank : dim);
}

/* Sizes before, at and behind the dimension. */
static void view(const assay_problem *problem, int64_t *outer, int64_t *length, int64_t *inner)
{
    const assay_tensor *x = &problem->inputs[0];
    const int32_t dim = find_dim(problem);
    *outer = *length = *inner = 1;
    for (int32_t i = 0; i < x->rank; i++)
        *(i < dim ? outer : i == dim ? length : inner) *= x->shape[i];
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0];
    const int32_t dim = find_dim(problem);
    if (dim < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "reduce_sum: dim %lld does not exist in a tensor of rank %d",
                               (long long)assay_problem_integer(problem, "dim"), (int)x->rank);
    outputs[0].dtype = x->dtype;
    outputs[0].rank = 0;
    for (int32_t i = 0; i < x->rank; i++)
        if (i != dim)
            outputs[0].shape[outputs[0].rank++] = x->shape[i];
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    reduce_sum_args *bound = args;
    bound->x = problem->inputs[0].data;
    bound->out = problem->outputs[0].data;
    view(problem, &bound->outer, &bound->length, &bound->inner);
    bound->workspace = problem->workspace;
    bound->workspace_bytes = problem->workspace_bytes;
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const float *x = problem->inputs[0].data;
    double *out = problem->outputs[0].data;
    int64_t outer, length, inner;
    view(problem, &outer, &length, &inner);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const float *row = x + o * length * inner + i;
            double sum = 0.0, magnitude = 0.0;
            for (int64_t j = 0; j < length; j++) {
                sum += (double)row[j * inner];
                magnitude += fabs((double)row[j * inner]);
            }
            out[o * inner + i] = sum;
            if (scale)
                scale[o * inner + i] = magnitude;
        }
    return ASSAY_OK;
}

/* One addition an element. */
static double flops(const assay_problem *problem)
{
    return (double)assay_tensor_count(&problem->inputs[0]);
}

static double bytes(const assay_problem *problem)
{
    const int64_t count = assay_tensor_count(&problem->inputs[0]) + assay_tensor_count(&problem->outputs[0]);
    return (double)count * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    (void)problem;
    return (int64_t)sizeof(float) * REDUCE_SUM_PARTIALS;
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "reduce_sum",
        .args_bytes = sizeof(reduce_sum_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .has_scale = 1,
        .flops = flops,
        .bytes = bytes,
        .workspace_bytes = workspace_bytes,
    };
    return &impl;
}
