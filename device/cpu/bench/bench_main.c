/* assay-simt-bench: how fast the CPU SIMT device itself is, so that a slower runtime is noticed. Prints one line a figure: the
 * best and the median of several runs by elapsed time, the best by processor time (what it would be if other programs left the cores
 * alone), and the target. `--check` exits with status 1 if the figure by processor time misses its target. */
#include "device/cpu/bench/kernels.h"
#include <assay/device.h>
#include <assay/dtype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 4096, BLOCKS = 64, ROUNDS = 400, GEMM_SIDE = 512 };

typedef struct bench {
    assay_device *device;
    assay_stream stream;
    float *x, *y, *out; /* SIDE * SIDE each */
    void *a, *b;        /* bfloat16, GEMM_SIDE squared */
    int workers;
} bench;

static assay_status run_barriers(const bench *b)
{
    return bench_barriers(b->stream, BLOCKS, ROUNDS, (int *)b->out);
}
static assay_status run_shuffles(const bench *b)
{
    return bench_shuffles(b->stream, BLOCKS, ROUNDS, (int *)b->out);
}
static assay_status run_add(const bench *b)
{
    return bench_add(b->stream, b->x, b->y, b->out, SIDE * SIDE);
}
static assay_status run_softmax(const bench *b)
{
    return bench_softmax(b->stream, b->x, b->out, SIDE, SIDE);
}
static assay_status run_sgemm(const bench *b)
{
    return bench_sgemm(b->stream, b->x, b->y, b->out, GEMM_SIDE);
}
static assay_status run_tensor(const bench *b)
{
    return bench_tensor_gemm(b->stream, b->a, b->b, b->out, GEMM_SIDE);
}

/* A figure is `work / seconds` (a rate, larger is better) or, for `per_item`, nanoseconds a worker spends on one item. */
typedef struct figure {
    const char *name, *unit;
    assay_status (*run)(const bench *);
    double work;
    int per_item, repetitions;
    double target;
} figure;

static const figure figures[] = {
    {"barrier, 256 threads", "ns a thread", run_barriers, (double)BLOCKS * 256 * ROUNDS, 1, 9, 35},
    {"shuffle", "ns a lane", run_shuffles, (double)BLOCKS * 256 * ROUNDS, 1, 9, 50},
    {"add 4096 x 4096", "M elements/s", run_add, SIDE *SIDE / 1e6, 0, 9, 400},
    {"softmax 4096 x 4096", "M elements/s", run_softmax, SIDE *SIDE / 1e6, 0, 5, 25},
    {"sgemm 4 x 4 a thread, 512", "GFLOP/s", run_sgemm, 2e-9 * GEMM_SIDE *GEMM_SIDE *GEMM_SIDE, 0, 5, 3},
    {"mma.sync bf16, 512", "GFLOP/s", run_tensor, 2e-9 * GEMM_SIDE *GEMM_SIDE *GEMM_SIDE, 0, 5, 1},
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct timing {
    double best, median; /* by elapsed time */
    double busy;         /* best by processor time over all workers */
} timing;

static double processor_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static assay_status run_once(const bench *b, const figure *f, double *elapsed_us, double *busy_us,
                             assay_error *error)
{
    struct timespec from, to;
    const double busy_from = processor_us();
    clock_gettime(CLOCK_MONOTONIC, &from);
    assay_status status = f->run(b);
    const assay_status after = assay_device_sync_stream(b->device, error);
    clock_gettime(CLOCK_MONOTONIC, &to);
    *busy_us = (processor_us() - busy_from) / b->workers;
    *elapsed_us = (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) * 1e-3;
    return status ? status : after;
}

static double figure_of(const bench *b, const figure *f, double us)
{
    return f->per_item ? us * 1e3 * b->workers / f->work : f->work / (us * 1e-6);
}

static assay_status time_figure(const bench *b, const figure *f, timing *t, assay_error *error)
{
    double elapsed[16], busy[16];
    assay_status status = run_once(b, f, &elapsed[0], &busy[0], error); /* warms up */
    for (int i = 0; i < f->repetitions && !status; i++)
        status = run_once(b, f, &elapsed[i], &busy[i], error);
    if (status)
        return status;
    qsort(elapsed, (size_t)f->repetitions, sizeof *elapsed, ascending);
    qsort(busy, (size_t)f->repetitions, sizeof *busy, ascending);
    *t = (timing){figure_of(b, f, elapsed[0]), figure_of(b, f, elapsed[f->repetitions / 2]),
                  figure_of(b, f, busy[0])};
    return ASSAY_OK;
}

static assay_status prepare(bench *b, int workers, assay_error *error)
{
    const assay_cpu_options options = {.workers = workers, .order = "forward"};
    const int64_t bytes = (int64_t)SIDE * SIDE * 4, half_bytes = (int64_t)GEMM_SIDE * GEMM_SIDE * 2;
    void *pointers[5];
    assay_status status = assay_device_open("cpu", 0, &b->device, error);
    if (!status)
        status = assay_device_set_cpu_options(b->device, &options, error);
    for (int i = 0; i < 5 && !status; i++)
        status = assay_device_alloc(b->device, i < 3 ? bytes : half_bytes, &pointers[i], error);
    if (status)
        return status;
    b->stream = assay_device_stream(b->device);
    b->workers = assay_device_get_info(b->device)->sm_count;
    b->x = pointers[0], b->y = pointers[1], b->out = pointers[2], b->a = pointers[3], b->b = pointers[4];
    for (int64_t i = 0; i < (int64_t)SIDE * SIDE;
         i++) { /* values that are nothing special; the host may write this device's memory */
        b->x[i] = (float)(i * 2654435761u % 1009) / 1009.0f;
        b->y[i] = (float)(i * 40503u % 997) / 997.0f;
    }
    for (int64_t i = 0; i < (int64_t)GEMM_SIDE * GEMM_SIDE; i++)
        ((uint16_t *)b->a)[i] = assay_float_to_bf16(b->x[i]),
                   ((uint16_t *)b->b)[i] = assay_float_to_bf16(b->y[i]);
    return ASSAY_OK;
}

static int usage(void)
{
    fprintf(stderr, "usage: assay-simt-bench [--workers N] [--check]\n");
    return ASSAY_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    bench b = {0};
    assay_error error = {0};
    int workers = 0, check = 0, missed = 0;
    for (int i = 1; i < argc; i++) {
        char *end = "";
        if (strcmp(argv[i], "--check") == 0)
            check = 1;
        else if (strcmp(argv[i], "--workers") == 0 && i + 1 < argc)
            workers = (int)strtol(argv[++i], &end, 10);
        else
            return usage();
        if (*end || workers < 0)
            return usage();
    }
    assay_status status = prepare(&b, workers, &error);
    if (!status)
        printf("%s, %d workers\n%-26s %9s %9s %9s  %-13s target\n", assay_device_get_info(b.device)->name,
               b.workers, "", "best", "median", "busy", "");
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++) {
        const figure *f = &figures[i];
        timing t;
        status = time_figure(&b, f, &t, &error);
        if (status)
            break;
        const int miss = f->per_item ? t.busy > f->target : t.busy < f->target;
        missed += miss;
        printf("%-26s %9.1f %9.1f %9.1f  %-13s %s %g%s\n", f->name, t.best, t.median, t.busy, f->unit,
               f->per_item ? "<" : ">", f->target, miss ? "  missed" : "");
    }
    if (status)
        fprintf(stderr, "assay-simt-bench: %s\n",
                error.message[0] ? error.message : assay_status_describe(status));
    assay_device_close(b.device);
    return status ? assay_status_exit(status) : check && missed ? ASSAY_EXIT_CHECK : ASSAY_EXIT_OK;
}
