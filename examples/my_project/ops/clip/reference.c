/* Reference of `clip` in double, its shapes and its cost. */
#include "clip.h"
#include <assay/op.h>

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    if (assay_problem_real(problem, "low") > assay_problem_real(problem, "high"))
        return assay_error_set(error, ASSAY_ERR_INVALID, "clip: low is above high");
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(clip_args *)args = (clip_args){
        .x = problem->inputs[0].data,
        .out = problem->outputs[0].data,
        .count = assay_tensor_count(&problem->outputs[0]),
        .low = assay_problem_real(problem, "low"),
        .high = assay_problem_real(problem, "high"),
    };
    return ASSAY_OK;
}

/* Written with comparisons, which NaN fails, so that NaN comes through as in torch.clamp. */
static assay_status reference(const assay_problem *problem, double *scale)
{
    (void)scale; /* no reduction, so no accumulated rounding */
    const float *x = problem->inputs[0].data;
    double *out = problem->outputs[0].data;
    const double low = assay_problem_real(problem, "low"), high = assay_problem_real(problem, "high");
    const int64_t count = assay_tensor_count(&problem->outputs[0]);
    for (int64_t i = 0; i < count; i++)
        out[i] = x[i] < low ? low : x[i] > high ? high : (double)x[i];
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    return 2.0 * (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return 2.0 * (double)assay_tensor_count(&problem->outputs[0]) * (double)assay_dtype_bytes(problem->dtype);
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "clip",
        .args_bytes = sizeof(clip_args),
        .infer = infer,
        .bind = bind,
        .reference = reference,
        .flops = flops,
        .bytes = bytes,
    };
    return &impl;
}
