/* Reference of `softmax` in double, its shapes and its cost. */
#include "softmax.h"
#include <assay/op.h>
#include <math.h>

/* The dimension as an index 0..rank-1, or -1 if it does not exist. A scalar has the dimension 0 of length
 * 1, as in torch. */
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
    *length -= assay_problem_integer(problem, "row_padding");
}

/* Elements from one row of a tensor whose rows are its last dimension to the next. */
static int64_t stride_of_rows(const assay_problem *problem, int64_t length)
{
    return length + assay_problem_integer(problem, "row_padding");
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    if (find_dim(problem) < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "softmax: dim %lld does not exist in a tensor of rank %d",
                               (long long)assay_problem_integer(problem, "dim"), problem->inputs[0].rank);
    const int64_t padding = assay_problem_integer(problem, "row_padding");
    const int32_t last = problem->inputs[0].rank - 1;
    if (padding < 0 ||
        (padding > 0 && (find_dim(problem) != last || problem->inputs[0].shape[last] < padding)))
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "softmax: row_padding is %lld; allowed: 0, and along the last dimension up to its size",
            (long long)padding);
    outputs[0] = problem->inputs[0];
    if (padding > 0)
        outputs[0].shape[last] -= padding;
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    softmax_args *bound = args;
    bound->x = problem->inputs[0].data;
    bound->out = problem->outputs[0].data;
    view(problem, &bound->outer, &bound->length, &bound->inner);
    bound->workspace = problem->workspace;
    bound->workspace_bytes = problem->workspace_bytes;
    bound->row_padding = assay_problem_integer(problem, "row_padding");
    return ASSAY_OK;
}

/* One row, elements `stride` apart. exp of (-inf) - (-inf) and of inf - inf is NaN, which is what torch
 * returns. The scale is the result times the number of terms of the sum: a chain of additions is off by a part of
 * that. */
static void softmax_row(const float *x, double *out, double *scale, int64_t length, int64_t stride)
{
    double max = -INFINITY, sum = 0.0;
    for (int64_t i = 0; i < length; i++)
        max = fmax(max, (double)x[i * stride]); /* fmax passes over NaN; the sum keeps it */
    for (int64_t i = 0; i < length; i++) {
        out[i * stride] = exp((double)x[i * stride] - max);
        sum += out[i * stride];
    }
    for (int64_t i = 0; i < length; i++)
        out[i * stride] /= sum;
    for (int64_t i = 0; scale && i < length; i++)
        scale[i * stride] = (double)length * out[i * stride];
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    const float *x = problem->inputs[0].data;
    double *out = problem->outputs[0].data;
    int64_t outer, length, inner;
    view(problem, &outer, &length, &inner);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++)
            softmax_row(x + o * stride_of_rows(problem, length) * inner + i, out + o * length * inner + i,
                        scale ? scale + o * length * inner + i : NULL, length, inner);
    return ASSAY_OK;
}

/* One element of a row whose elements are `stride` apart. */
static double softmax_element(const float *x, int64_t at, int64_t length, int64_t stride)
{
    double max = -INFINITY, sum = 0.0;
    for (int64_t i = 0; i < length; i++)
        max = fmax(max, (double)x[i * stride]);
    for (int64_t i = 0; i < length; i++)
        sum += exp((double)x[i * stride] - max);
    return exp((double)x[at * stride] - max) / sum;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const assay_tensor *x = &problem->inputs[0];
    const int64_t n = x->rank > 0 ? x->shape[x->rank - 1] - assay_problem_integer(problem, "row_padding") : 1;
    int64_t outer, length, inner;
    view(problem, &outer, &length, &inner);
    for (int64_t r = 0; r < count; r++) {
        const float *data = x->data;
        if (inner == 1)
            softmax_row(data + rows[r] * stride_of_rows(problem, n), ref + r * n,
                        scale ? scale + r * n : NULL, length, 1);
        for (int64_t e = rows[r] * n; inner > 1 && e < (rows[r] + 1) * n; e++) {
            const int64_t at = r * n + e - rows[r] * n;
            ref[at] = softmax_element(data + e / (length * inner) * length * inner + e % inner,
                                      e / inner % length, length, inner);
            if (scale)
                scale[at] = (double)length * ref[at];
        }
    }
    return ASSAY_OK;
}

/* An element costs a comparison, a subtraction, an exponential, an addition and a division. */
static double flops(const assay_problem *problem)
{
    return 5.0 * (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return 2.0 * (double)assay_tensor_count(&problem->outputs[0]) * (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    (void)problem;
    return SOFTMAX_WORKSPACE_BYTES;
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "softmax",
        .args_bytes = sizeof(softmax_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .has_scale = 1,
        .flops = flops,
        .bytes = bytes,
        .reference_rows = reference_rows,
        .workspace_bytes = workspace_bytes,
    };
    return &impl;
}
