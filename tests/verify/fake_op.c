/* The op of fake_op.h. */
#include "fake_op.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int fake_is_costly, fake_references;

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    (void)error;
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static assay_status bind(const assay_problem *problem, void *args)
{
    *(fake_args *)args = (fake_args){
        .x = problem->inputs[0].data,
        .out = problem->outputs[0].data,
        .rows = problem->outputs[0].shape[0],
        .columns = problem->outputs[0].shape[1],
        .workspace = problem->workspace,
        .workspace_bytes = problem->workspace_bytes,
    };
    return ASSAY_OK;
}

static void write_rows(const assay_problem *problem, const int64_t *rows, int64_t count, double *ref,
                       double *scale)
{
    const float *x = problem->inputs[0].data;
    const int64_t n = problem->inputs[0].shape[1];
    for (int64_t r = 0; r < count; r++)
        for (int64_t j = 0; j < n; j++) {
            ref[r * n + j] = 2.0 * (double)x[rows[r] * n + j];
            scale[r * n + j] = fabs(ref[r * n + j]);
        }
}

static assay_status reference_rows(const assay_problem *problem, const int64_t *rows, int64_t count,
                                   double *ref, double *scale)
{
    fake_references++;
    write_rows(problem, rows, count, ref, scale);
    return ASSAY_OK;
}

static assay_status reference(const assay_problem *problem, double *scale)
{
    fake_references++;
    for (int64_t row = 0; row < problem->inputs[0].shape[0]; row++) {
        const int64_t at = row * problem->inputs[0].shape[1];
        write_rows(problem, &row, 1, (double *)problem->outputs[0].data + at, scale + at);
    }
    return ASSAY_OK;
}

static assay_status residual(const assay_problem *problem, uint64_t seed, double *difference,
                             double *magnitude)
{
    const float *x = problem->inputs[0].data, *out = problem->outputs[0].data;
    const int64_t n = problem->inputs[0].shape[1];
    for (int64_t i = 0; i < problem->inputs[0].shape[0]; i++) {
        double sum = 0;
        magnitude[i] = 0;
        for (int64_t j = 0; j < n; j++) {
            const uint64_t mixed = (seed + (uint64_t)j) * UINT64_C(0x9E3779B97F4A7C15);
            sum += ((mixed >> 63) ? -1.0 : 1.0) * ((double)out[i * n + j] - 2.0 * (double)x[i * n + j]);
            magnitude[i] += fabs(2.0 * (double)x[i * n + j]);
        }
        difference[i] = fabs(sum);
    }
    return ASSAY_OK;
}

static double flops(const assay_problem *problem)
{
    (void)problem;
    return fake_is_costly ? 1e10 : 1.0;
}

const assay_op_impl fake_impl = {
    .abi = ASSAY_OP_ABI,
    .name = "fake",
    .args_bytes = sizeof(fake_args),
    .infer = infer,
    .bind = bind,
    .reference = reference,
    .has_scale = 1,
    .flops = flops,
    .bytes = flops,
    .reference_rows = reference_rows,
    .residual = residual,
};

void fake_open(check_subject *subject, assay_run_fn run)
{
    opspec *spec = calloc(1, sizeof *spec);
    strcpy(spec->name, "fake");
    spec->input_count = spec->output_count = 1;
    strcpy(spec->inputs[0].name, "x");
    strcpy(spec->inputs[0].distribution, "normal");
    strcpy(spec->outputs[0].name, "out");
    *subject = (check_subject){.spec = spec, .impl = &fake_impl, .run = run, .tolerance = {1e-5, 1e-5, 0}};
    assert_int_equal(assay_device_open("cpu", 0, &subject->device, NULL), ASSAY_OK);
}

void fake_close(check_subject *subject)
{
    assay_device_close(subject->device);
    free((void *)subject->spec);
}

assay_problem fake_problem(int64_t rows, int64_t columns)
{
    assay_problem problem = {.dtype = ASSAY_F32, .input_count = 1, .output_count = 1, .workspace_bytes = 40};
    problem.inputs[0] = (assay_tensor){.dtype = ASSAY_F32, .rank = 2, .shape = {rows, columns}};
    problem.outputs[0] = problem.inputs[0];
    return problem;
}

assay_status fake_double(const fake_args *args)
{
    for (int64_t i = 0; i < args->rows * args->columns; i++)
        args->out[i] = 2.0f * args->x[i];
    return ASSAY_OK;
}
