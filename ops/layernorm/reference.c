/* Reference of `layernorm` in double, its shapes and its cost. */
#include "layernorm.h"
#include <assay/op.h>
#include <math.h>

/* Of a row without its padding. */
static int64_t row_length(const assay_problem *problem)
{
    const assay_tensor *x = &problem->inputs[0];
    return x->shape[x->rank - 1] - assay_problem_integer(problem, "row_padding");
}

static int64_t row_count(const assay_tensor *x)
{
    int64_t rows = 1;
    for (int32_t i = 0; i + 1 < x->rank; i++)
        rows *= x->shape[i];
    return rows;
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0];
    if (x->rank < 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "layernorm: x must have at least one dimension");
    for (int i = 1; i < 3; i++)
        if (problem->inputs[i].rank != 1 || problem->inputs[i].shape[0] != row_length(problem))
            return assay_error_set(error, ASSAY_ERR_INVALID,
                                   "layernorm: weight and bias must be vectors as long as x's last dimension "
                                   "without its row_padding");
    if (assay_problem_integer(problem, "row_padding") < 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "layernorm: row_padding must be 0 or more");
    outputs[0] = *x;
    outputs[0].shape[x->rank - 1] = row_length(problem);
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(layernorm_args *)args = (layernorm_args){
        .x = problem->inputs[0].data,
        .weight = problem->inputs[1].data,
        .bias = problem->inputs[2].data,
        .out = problem->outputs[0].data,
        .rows = row_count(&problem->inputs[0]),
        .length = row_length(problem),
        .eps = assay_problem_real(problem, "eps"),
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
        .row_padding = assay_problem_integer(problem, "row_padding"),
    };
    return ASSAY_OK;
}

/* Two passes: the mean first, then the squares of the distances from it. */
static void normalise_row(const float *x, double *out, int64_t length, double eps)
{
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < length; i++)
        sum += (double)x[i];
    const double mean = sum / (double)length;
    for (int64_t i = 0; i < length; i++)
        squares += ((double)x[i] - mean) * ((double)x[i] - mean);
    const double deviation = sqrt(squares / (double)length + eps);
    for (int64_t i = 0; i < length; i++)
        out[i] = ((double)x[i] - mean) / deviation;
}

static void layernorm_row(const assay_problem *problem, int64_t row, double *out, double *scale)
{
    const float *x = problem->inputs[0].data, *weight = problem->inputs[1].data,
                *bias = problem->inputs[2].data;
    const int64_t length = row_length(problem);
    normalise_row(x + row * (length + assay_problem_integer(problem, "row_padding")), out, length,
                  assay_problem_real(problem, "eps"));
    for (int64_t i = 0; i < length; i++) {
        const double scaled = out[i] * (double)weight[i];
        if (scale) /* 1: the mean is off by a part of the deviation, and so is the distance of every element from it */
            scale[i] = fabs(scaled) + fabs((double)weight[i]) + fabs((double)bias[i]);
        out[i] = scaled + (double)bias[i];
    }
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    double *out = problem->outputs[0].data;
    const int64_t rows = row_count(&problem->inputs[0]), length = row_length(problem);
    for (int64_t row = 0; row < rows; row++)
        layernorm_row(problem, row, out + row * length, scale ? scale + row * length : NULL);
    return ASSAY_OK;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const int64_t length = row_length(problem);
    for (int64_t i = 0; i < count; i++)
        layernorm_row(problem, rows[i], ref + i * length, scale ? scale + i * length : NULL);
    return ASSAY_OK;
}

/* An element costs an addition for the mean, three operations for the variance, two to normalise, two for
 * weight and bias. */
static double flops(const assay_problem *problem)
{
    return 8.0 * (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return (2.0 * (double)assay_tensor_count(&problem->outputs[0]) +
            2.0 * (double)assay_tensor_count(&problem->inputs[1])) *
           (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    (void)problem;
    return LAYERNORM_WORKSPACE_BYTES;
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "layernorm",
        .args_bytes = sizeof(layernorm_args),
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
