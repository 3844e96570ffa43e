/* Reference of `reduce_sum` in double, its shapes and its cost. */
#include "reduce_sum.h"
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

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0];
    const int32_t dim = find_dim(problem);
    if (dim < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "reduce_sum: dim %lld does not exist in a tensor of rank %d",
                               (long long)assay_problem_integer(problem, "dim"), (int)x->rank);
    const int64_t padding = assay_problem_integer(problem, "row_padding");
    if (padding < 0 || (padding > 0 && (dim != x->rank - 1 || x->shape[dim] < padding)))
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "reduce_sum: row_padding is %lld; allowed: 0, and along the last dimension up to its "
            "size",
            (long long)padding);
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
    bound->row_padding = assay_problem_integer(problem, "row_padding");
    return ASSAY_OK;
}

/* `count` sums from output element `first` on. Added row by row, so that memory is read in order whatever
 * the dimension. */
static void sum_range(const assay_problem *problem, int64_t first, int64_t count, double *out, double *scale)
{
    const float *x = problem->inputs[0].data;
    const int64_t padding = assay_problem_integer(problem, "row_padding");
    int64_t outer, length, inner;
    view(problem, &outer, &length, &inner);
    for (int64_t done = 0; done < count;) {
        const int64_t o = (first + done) / inner, i = (first + done) % inner;
        const int64_t n = inner - i < count - done ? inner - i : count - done;
        for (int64_t e = 0; e < n; e++)
            out[done + e] = 0.0;
        for (int64_t e = 0; scale && e < n; e++)
            scale[done + e] = 0.0;
        for (int64_t j = 0; j < length; j++) {
            const float *row = x + (o * (length + padding) + j) * inner + i;
            for (int64_t e = 0; e < n; e++)
                out[done + e] += (double)row[e];
            for (int64_t e = 0; scale && e < n; e++)
                scale[done + e] += fabs((double)row[e]);
        }
        done += n;
    }
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    sum_range(problem, 0, assay_tensor_count(&problem->outputs[0]), problem->outputs[0].data, scale);
    return ASSAY_OK;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const assay_tensor *out = &problem->outputs[0];
    const int64_t n = out->rank > 0 ? out->shape[out->rank - 1] : 1;
    for (int64_t i = 0; i < count; i++)
        sum_range(problem, rows[i] * n, n, ref + i * n, scale ? scale + i * n : NULL);
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
        .reference_rows = reference_rows,
        .workspace_bytes = workspace_bytes,
    };
    return &impl;
}
