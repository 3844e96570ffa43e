/* Reference of `gelu` in double, its shapes and its cost. */
#include "gelu.h"
#include <assay/op.h>
#include <math.h>

static int is_exact(const assay_problem *problem)
{
    return strcmp(assay_problem_text(problem, "approximate"), "none") == 0;
}

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    if (!is_exact(problem) && strcmp(assay_problem_text(problem, "approximate"), "tanh") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "gelu: approximate is \"%s\"; allowed: none, tanh",
                               assay_problem_text(problem, "approximate"));
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(gelu_args *)args = (gelu_args){
        .x = problem->inputs[0].data,
        .out = problem->outputs[0].data,
        .count = assay_tensor_count(&problem->outputs[0]),
        .exact = is_exact(problem),
    };
    return ASSAY_OK;
}

/* Neither form cancels: erfc and the logistic function keep their digits where Phi is small. -inf * 0 is
 * NaN, as in torch. */
static double gelu_exact(double x)
{
    return x * 0.5 * erfc(-x * 0.70710678118654752440);
}

static double gelu_tanh(double x)
{
    const double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
    return x / (1.0 + exp(-2.0 * u));
}

/* `count` results from element `first` on. */
static void gelu_range(const assay_problem *problem, int64_t first, int64_t count, double *out, double *scale)
{
    const float *x = (const float *)problem->inputs[0].data + first;
    const int exact = is_exact(problem);
    for (int64_t i = 0; i < count; i++)
        out[i] = exact ? gelu_exact((double)x[i]) : gelu_tanh((double)x[i]);
    /* The terms x / 2 and x / 2 * erf of the definition, which cancel for negative x. */
    for (int64_t i = 0; scale && i < count; i++)
        scale[i] = fabs((double)x[i]);
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    gelu_range(problem, 0, assay_tensor_count(&problem->outputs[0]), problem->outputs[0].data, scale);
    return ASSAY_OK;
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    const assay_tensor *out = &problem->outputs[0];
    const int64_t n = out->rank > 0 ? out->shape[out->rank - 1] : 1;
    for (int64_t i = 0; i < count; i++)
        gelu_range(problem, rows[i] * n, n, ref + i * n, scale ? scale + i * n : NULL);
    return ASSAY_OK;
}

/* erf or tanh counts as one operation, as an exponential does elsewhere: scale, erf, add, halve, multiply;
 * the polynomial in front of tanh takes four more. */
static double flops(const assay_problem *problem)
{
    return (is_exact(problem) ? 5.0 : 9.0) * (double)assay_tensor_count(&problem->outputs[0]);
}

static double bytes(const assay_problem *problem)
{
    return 2.0 * (double)assay_tensor_count(&problem->outputs[0]) * (double)assay_dtype_bytes(problem->dtype);
}

const assay_op_impl *assay_op_get(void)
{
    static const assay_op_impl impl = {
        .abi = ASSAY_OP_ABI,
        .name = "gelu",
        .args_bytes = sizeof(gelu_args),
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
