/* The made-up history; see the header. Results go the way that `assay ingest` takes, without a file for each. */
#include "synthetic.h"
#include "history/database.h"
#include "history/ingest_rows.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const ops[] = {"add", "conv2d",     "gelu",    "layernorm", "matmul",    "matmul_bias_act",
                                  "mha", "reduce_sum", "rmsnorm", "softmax",   "transpose", "swiglu"};
static const char *const kernels[] = {"v1_baseline",  "v2_tiling",     "v3_coalesced",
                                      "v4_optimized", "v5_persistent", "baseline_torch_eager",
                                      "baseline_copy"};
static const char *const dtypes[] = {"f32", "f16", "bf16"};
static const char *const sizes[] = {"small", "medium", "large", "xlarge"};
enum { OPS = 12, KERNELS = 7, DTYPES = 3, SIZES = 4 };

/* That of layernorm stands for a commit that touched a whole op; those of gelu undo each other. */
const synthetic_change synthetic_changes[] = {
    {"add", "v4_optimized", "bf16", "large", 60, 1.06},
    {"add", "v2_tiling", "f32", "xlarge", 85, 0.90},
    {"gelu", "v3_coalesced", "f32", "small", 30, 1.08},
    {"gelu", "v3_coalesced", "f32", "small", 55, 1 / 1.08},
    {"conv2d", "v4_optimized", "f16", "medium", 92, 1.15},
    {"layernorm", NULL, NULL, NULL, 80, 1.05},
    {"add", "v3_coalesced", "f16", "large", 70, 1.07}, /* when the driver changes */
};
const int synthetic_change_count = sizeof synthetic_changes / sizeof synthetic_changes[0];

/* The usual way comes first: it is the only one where there are no others. An earlier method, then others beside the usual one. */
const synthetic_run synthetic_runs[SYNTHETIC_RUNS] = {
    {"", "memset", 0, 0, 50, 100, 0.0, 1.0, 1.0, 1.0},
    {"earlier method", "memset", 1, 0, 0, 50, 0.7, 1.0, 1.0, 1.0},
    {"flush by reading", "read", 0, 0, 75, 100, 0.0, 0.9, 1.0, 0.5},
    {"clock locked at 1500 MHz", "memset", 0, 1500, 80, 100, 0.0, 1.3, 1.3, 1.2},
};

typedef struct generator {
    const synthetic_options *options;
    const synthetic_run *run; /* the one at hand */
    uint64_t random;
    ingest_writer *writer;
} generator;

static double uniform(generator *g)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return ((double)(g->random >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller's transform. */
static double normal(generator *g)
{
    const double radius = sqrt(-2.0 * log(uniform(g)));
    return radius * cos(6.283185307179586 * uniform(g));
}

static int is_all_or(const char *wanted, const char *value)
{
    return wanted == NULL || strcmp(wanted, value) == 0;
}

static double level_at(const generator *g, int commit, int op, int kernel, int dtype, int size)
{
    double us = 4.0 * (1 + op) * pow(6.0, size) / (1.0 + 0.6 * (kernel % 5)) * (dtype == 0 ? 2.0 : 1.0);
    for (int i = 0; g->options->plant && i < synthetic_change_count; i++) {
        const synthetic_change *c = &synthetic_changes[i];
        if (commit * 100 >= c->commit * g->options->commits && kernel < 5 && is_all_or(c->op, ops[op]) &&
            is_all_or(c->variant, kernels[kernel]) && is_all_or(c->dtype, dtypes[dtype]) &&
            is_all_or(c->size, sizes[size]))
            us *= c->ratio;
    }
    return us;
}

static void fill_method(const synthetic_run *run, result *r)
{
    r->method.version = run->earlier ? 0 : RESULT_METHOD_VERSION;
    r->method.repetitions = 10;
    r->method.locked_mhz = run->locked_mhz;
    snprintf(r->method.flush, sizeof r->method.flush, "%s", run->flush);
}

static void fill_times(generator *g, result *r, timing_mode mode, double level)
{
    const double mean = level * exp(g->options->noise * normal(g));
    result_times *times = &r->times[mode];
    r->method.modes |= timing_mode_bit(mode);
    times->present = 1;
    times->method_version = g->run->earlier ? 0 : timing_mode_get(mode)->version;
    times->mean_us = mean, times->median_us = mean * 0.999, times->min_us = mean * 0.99;
    times->p95_us = mean * 1.02, times->stddev_us = mean * 0.01;
    times->low_us = mean * (1 - 0.8 * g->options->noise);
    times->high_us = mean * (1 + 0.8 * g->options->noise);
    times->gbs = 2e3, times->tflops = 1.5, times->percent_of_roofline = 70.0, times->sample_count = 400;
}

/* Odd ones, so that every status is seen: a baseline that is not there, a kernel that is not timed any more, an unstable one. */
static result_status status_of(const generator *g, int commit, int op, int kernel, int dtype, int size,
                               const char **reason)
{
    const int last = commit == g->options->commits - 1;
    *reason = "";
    if (!g->options->plant)
        return RESULT_OK;
    if (op == 2 && kernel == 5 && dtype == 2)
        return *reason = "torch is not installed", RESULT_UNAVAILABLE;
    if (op == 1 && kernel == 0 && size == 3 && last)
        return *reason = "the verdict is <b>fail</b> & \"no\"", RESULT_NOT_TIMED;
    if (op == 0 && kernel == 1 && size == 0 && (last || commit % 17 == 3))
        return *reason = "thermal slowdown in 4 of 10 repetitions", RESULT_UNSTABLE;
    return RESULT_OK;
}

/* Hot times of a quarter less, and none of what the method adds to cold ones. */
static void fill_modes(generator *g, result *r, double level)
{
    const synthetic_run *run = g->run;
    const double ratio = run->cold * (r->id.kind == RESULT_BASELINE ? run->baseline : 1.0);
    fill_times(g, r, TIMING_COLD, level * ratio + run->longer_us);
    if (g->options->methods)
        fill_times(g, r, TIMING_HOT, 0.75 * level * run->hot);
}

/* What the compiler says of layernorm changes with the commit that slows it: its kernels spill from then on. */
static void fill_resources(const generator *g, result *r, int commit, int op, int kernel)
{
    const int spills = g->options->plant && op == 3 && commit * 100 >= 80 * g->options->commits;
    if (kernel >= 5)
        return;
    result_add_fact(r, &r->resources, "arch", NAN, "sm_90a");
    result_add_fact(r, &r->resources, "registers", spills ? 255 : 64 + kernel, NULL);
    result_add_fact(r, &r->resources, "spill_bytes", spills ? 96 : 0, NULL);
    result_add_fact(r, &r->resources, "code_bytes", 4096, NULL);
}

static void fill_case(result *r, int op, int kernel, int dtype, int size)
{
    result_split_name(kernels[kernel], kernel == 6, &r->id);
    snprintf(r->id.op, sizeof r->id.op, "%s", ops[op]);
    assay_dtype_parse(dtypes[dtype], &r->id.dtype);
    snprintf(r->id.size, sizeof r->id.size, "%s", sizes[size]);
    r->problem.dim_count = 1;
    r->problem.dims[0] = (opspec_dim){"N", 256 << (2 * size)};
    r->problem.distribution = "normal";
    r->problem.seed = 1;
    r->math_mode = "ieee";
}

static void fill_machine(const generator *g, result *r, int commit)
{
    r->device.kind = "cuda", r->device.name = "Made-up GPU", r->device.slug = "made-up-gpu";
    r->device.uuid = "GPU-0", r->device.runtime = "13.0";
    r->device.driver =
        g->options->plant && commit * 100 >= 70 * g->options->commits ? "590.10" : "580.159.04";
    r->device.sm_count = 132, r->device.compute_major = 9;
}

static result *make_result(generator *g, int commit, int op, int kernel, int dtype, int size)
{
    result *r = result_new();
    if (r == NULL)
        return NULL;
    fill_case(r, op, kernel, dtype, size);
    fill_machine(g, r, commit);
    fill_method(g->run, r);
    fill_resources(g, r, commit, op, kernel);
    r->status = status_of(g, commit, op, kernel, dtype, size, &r->reason);
    /* a hash that looks like one and is unlike its neighbours' */
    snprintf(r->commit, sizeof r->commit, "%016llx%016llx%08x",
             (unsigned long long)(commit + 1) * 0x9e3779b97f4a7c15u,
             (unsigned long long)(commit + 7) * 0xd1342543de82ef95u, commit);
    r->dirty = g->options->plant && op == 3 && commit == g->options->commits - 1;
    r->time = 1767268800 + 86400LL * commit + 60 * op + 3600 * (g->run - synthetic_runs);
    r->hashes.kernel = "00", r->verdict.status = "pass", r->output_check = "pass";
    r->flops = r->bytes = 1e6;
    if (result_is_timed(r))
        fill_modes(g, r, level_at(g, commit, op, kernel, dtype, size));
    return r;
}

static assay_status put(generator *g, result *r, assay_error *error)
{
    ingest_record record = {0};
    ingest_outcome outcome;
    assay_status status = r ? ingest_record_make(r, &record, error)
                            : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
    if (status == ASSAY_OK)
        status = ingest_writer_put(g->writer, &record, &outcome, error);
    ingest_record_release(&record);
    return status;
}

static assay_status put_run(generator *g, int commit, assay_error *error)
{
    const int cases = g->options->ops * KERNELS * DTYPES * SIZES;
    for (int i = 0; i < cases; i++) {
        const int size = i % SIZES, dtype = i / SIZES % DTYPES, kernel = i / (SIZES * DTYPES) % KERNELS;
        const int op = i / (SIZES * DTYPES * KERNELS);
        const assay_status status = put(g, make_result(g, commit, op, kernel, dtype, size), error);
        if (status != ASSAY_OK)
            return status;
    }
    return ASSAY_OK;
}

static assay_status put_commit(generator *g, int commit, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; status == ASSAY_OK && i < (g->options->methods ? SYNTHETIC_RUNS : 1); i++) {
        const synthetic_run *run = &synthetic_runs[i];
        const int at = commit * 100, commits = g->options->commits;
        g->run = run;
        if (!g->options->methods || (at >= run->first * commits && at < run->last * commits))
            status = put_run(g, commit, error);
    }
    return status;
}

assay_status synthetic_write(const char *path, const synthetic_options *options, assay_error *error)
{
    generator g = {.options = options, .random = 20260};
    history *h = NULL;
    if (options->ops > OPS || options->ops < 1 || options->commits < 1)
        return assay_error_set(error, ASSAY_ERR_INVALID, "1 to %d ops and at least a commit are expected",
                               OPS);
    unlink(path);
    assay_status status = history_open(path, HISTORY_WRITE, &h, error);
    if (status == ASSAY_OK)
        status = db_exec(&h->base, "PRAGMA synchronous=OFF; BEGIN", error);
    if (status == ASSAY_OK)
        status = ingest_writer_open(h, &g.writer, error);
    for (int commit = 0; status == ASSAY_OK && commit < options->commits; commit++)
        status = put_commit(&g, commit, error);
    if (status == ASSAY_OK)
        status = db_exec(&h->base,
                         "UPDATE revision SET time = first_run, subject = 'Commit number ' || id || ' of a "
                         "made-up history'; COMMIT",
                         error);
    if (g.writer)
        ingest_writer_close(g.writer);
    history_close(h);
    return status;
}
