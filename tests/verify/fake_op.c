/* The op of fake_op.h. */
#include "tests/unit.h"
#include "fake_op.h"
#include "verify/serve.h"
#include <math.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

int fake_is_costly, fake_residuals;
atomic_int fake_references;

static assay_status infer(const assay_problem *problem, assay_tensor *outputs, assay_error *error)
{
    outputs[0] = problem->inputs[0];
    return ASSAY_OK;
}

static assay_status bind_args(const assay_problem *problem, void *args)
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
    fake_residuals++;
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
    return fake_is_costly ? 1e10 : 1.0;
}

const assay_op_impl fake_impl = {
    .abi = ASSAY_OP_ABI,
    .name = "fake",
    .args_bytes = sizeof(fake_args),
    .infer = infer,
    .bind = bind_args,
    .reference = reference,
    .has_scale = 1,
    .flops = flops,
    .bytes = flops,
    .reference_rows = reference_rows,
    .residual = residual,
};

void fake_open(check_subject *subject, assay_run_fn run)
{
    int sockets[2], output[2];
    opspec *spec = calloc(1, sizeof *spec);
    strcpy(spec->name, "fake");
    spec->input_count = spec->output_count = 1;
    strcpy(spec->inputs[0].name, "x");
    strcpy(spec->inputs[0].distribution, "normal");
    strcpy(spec->outputs[0].name, "out");
    *subject = (check_subject){.spec = spec, .impl = &fake_impl, .tolerance = {1e-5, 1e-5, 0, 0}};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
    assert_int_equal(pipe(output), 0);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        close(sockets[0]);
        dup2(output[1], STDOUT_FILENO);
        dup2(output[1], STDERR_FILENO);
        _exit(serve(sockets[1], "cpu", run));
    }
    close(sockets[1]);
    close(output[1]);
    assert_int_equal(worker_adopt(pid, sockets[0], output[0], 0, &subject->worker, NULL), ASSAY_OK);
}

void fake_close(check_subject *subject)
{
    worker_close(subject->worker);
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
