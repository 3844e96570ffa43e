/* Reference of `rmsnorm` in double, its shapes and its cost. */
#include "rmsnorm.h"
#include <assay/op.h>
#include <math.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    const assay_tensor *x = &problem->inputs[0], *weight = &problem->inputs[1];
    const int64_t padding = assay_problem_integer(problem, "row_padding");
    if (padding < 0 || x->rank < 1 || weight->rank != 1 ||
        weight->shape[0] != x->shape[x->rank - 1] - padding)
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "rmsnorm: weight must be a vector as long as x's last dimension without its "
                               "row_padding, which is 0 or more");
    outputs[0] = *x;
    outputs[0].shape[x->rank - 1] -= padding;
    return ASSAY_OK;
}

static int64_t row_count(const assay_problem *problem)
{
    const int64_t length = problem->inputs[1].shape[0];
    return length > 0 ? assay_tensor_count(&problem->outputs[0]) / length : 0;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(rmsnorm_args *)args = (rmsnorm_args){
        .x = problem->inputs[0].data,
        .weight = problem->inputs[1].data,
        .out = problem->outputs[0].data,
        .rows = row_count(problem),
        .length = problem->inputs[1].shape[0],
        .eps = assay_problem_real(problem, "eps"),
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
        .row_padding = assay_problem_integer(problem, "row_padding"),
    };
    return ASSAY_OK;
}

static void rmsnorm_row(const assay_problem *problem, int64_t row, double *out)
{
    const int64_t length = problem->inputs[1].shape[0],
                  stride = length + assay_problem_integer(problem, "row_padding");
    const float *weight = problem->inputs[1].data, *x = (const float *)problem->inputs[0].data + row * stride;
    double squares = 0.0;
    for (int64_t i = 0; i < length; i++)
        squares += (double)x[i] * (double)x[i];
    const double root = sqrt(squares / (double)length + assay_problem_real(problem, "eps"));
    for (int64_t i = 0; i < length; i++)
        out[i] = (double)x[i] / root * (double)weight[i];
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    (void)scale;
    const int64_t rows = row_count(problem), length = problem->inputs[1].shape[0];
    for (int64_t row = 0; row < rows; row++)
        rmsnorm_row(problem, row, (double *)problem->outputs[0].data + row * length);
    return ASSAY_OK;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    (void)scale;
    for (int64_t i = 0; i < count; i++)
        rmsnorm_row(problem, rows[i], ref + i * problem->inputs[1].shape[0]);
    return ASSAY_OK;
}

/* An element costs a square, an addition and two multiplications. */
static double flops(const assay_problem *problem)
{
    return 4.0 * (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return (2.0 * (double)assay_tensor_count(&problem->outputs[0]) +
            (double)assay_tensor_count(&problem->inputs[1])) *
           (double)assay_dtype_bytes(problem->dtype);
}

static int64_t workspace_bytes(const assay_problem *problem)
{
    (void)problem;
    return RMSNORM_WORKSPACE_BYTES;
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "rmsnorm",
        .args_bytes = sizeof(rmsnorm_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .flops = flops,
        .bytes = bytes,
        .reference_rows = reference_rows,
        .workspace_bytes = workspace_bytes,
    };
    return &impl;
}
