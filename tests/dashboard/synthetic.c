/* The made-up history; see the header. Results go the way that `assay ingest` takes, without a file for each. */
#include "synthetic.h"
#include "history/database.h"
#include "history/ingest_rows.h"
#include "history/result_file.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const ops[] = {"add", "conv2d",     "gelu",    "layernorm", "matmul",    "matmul_bias_act",
                                  "mha", "reduce_sum", "rmsnorm", "softmax",   "transpose", "swiglu"};
static const char *const kernels[] = {"v1_baseline",   "v2_tiling",        "v3_coalesced", "v4_optimized",
                                      "v5_persistent", "peer_torch_eager", "peer_copy"};
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

/* The usual way comes first: it is the only one where there are no others. The older cold method, then others beside the usual one. */
const synthetic_run synthetic_runs[SYNTHETIC_RUNS] = {
    {"", "memset", 1, 0, 50, 100, 0.0, 1.0, 1.0, 1.0},
    {"in batches of 40", "memset", 0, 0, 0, 50, 0.7, 1.0, 1.0, 1.0},
    {"flush by reading", "read", 1, 0, 75, 100, 0.0, 0.9, 1.0, 0.5},
    {"clock locked at 1500 MHz", "memset", 1, 1500, 80, 100, 0.0, 1.3, 1.3, 1.2},
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

static json_t *make_method(const synthetic_run *run)
{
    json_t *method = json_pack("{s:i, s:s}", "repetitions", 10, "flush", run->flush);
    if (run->cold_batch > 0)
        json_object_set_new(method, "cold_batch", json_integer(run->cold_batch));
    if (run->locked_mhz > 0)
        json_object_set_new(method, "locked_mhz", json_integer(run->locked_mhz));
    return method;
}

static json_t *make_figure(generator *g, double level)
{
    const double mean = level * exp(g->options->noise * normal(g));
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:[f, f], s:f, s:f, s:f, s:b, s:i}", "mean_us", mean,
                     "median_us", mean * 0.999, "min_us", mean * 0.99, "p95_us", mean * 1.02, "stddev_us",
                     mean * 0.01, "ci95_us", mean * (1 - 0.8 * g->options->noise),
                     mean * (1 + 0.8 * g->options->noise), "gbs", 2e3, "tflops", 1.5, "percent_of_roof", 70.0,
                     "above_roof", 0, "samples", 400);
}

/* Odd ones, so that every status is seen: a peer that is not there, a kernel that is not timed any more, an unstable one. */
static const char *status_of(const generator *g, int commit, int op, int kernel, int dtype, int size,
                             const char **reason)
{
    const int last = commit == g->options->commits - 1;
    *reason = "";
    if (!g->options->plant)
        return "ok";
    if (op == 2 && kernel == 5 && dtype == 2)
        return *reason = "torch is not installed", "unavailable";
    if (op == 1 && kernel == 0 && size == 3 && last)
        return *reason = "the verdict is <b>fail</b> & \"no\"", "not timed";
    if (op == 0 && kernel == 1 && size == 0 && (last || commit % 17 == 3))
        return *reason = "thermal slowdown in 4 of 10 repetitions", "unstable";
    return "ok";
}

/* Hot figures of a quarter less, and none of what the method adds to cold ones. */
static json_t *make_figures(generator *g, double level, int kernel)
{
    const synthetic_run *run = g->run;
    const double cold = level * run->cold * (kernel == 5 ? run->peer : 1.0) + run->longer_us;
    json_t *figures = json_object();
    json_object_set_new(figures, "cold", make_figure(g, cold));
    if (g->options->methods)
        json_object_set_new(figures, "hot", make_figure(g, 0.75 * level * run->hot));
    return figures;
}

/* What the compiler says of layernorm changes with the commit that slows it: its kernels spill from then on. */
static json_t *make_resources(const generator *g, int commit, int op, int kernel)
{
    const int spills = g->options->plant && op == 3 && commit * 100 >= 80 * g->options->commits;
    if (kernel >= 5)
        return json_null();
    return json_pack("{s:s, s:i, s:i, s:i}", "arch", "sm_90a", "registers", spills ? 255 : 64 + kernel,
                     "spill_bytes", spills ? 96 : 0, "code_bytes", 4096);
}

static json_t *make_result(generator *g, int commit, int op, int kernel, int dtype, int size)
{
    char hash[48], time[32];
    const char *reason, *status = status_of(g, commit, op, kernel, dtype, size, &reason);
    /* a hash that looks like one and is unlike its neighbours' */
    snprintf(hash, sizeof hash, "%016llx%016llx%08x", (unsigned long long)(commit + 1) * 0x9e3779b97f4a7c15u,
             (unsigned long long)(commit + 7) * 0xd1342543de82ef95u, commit);
    result_time_text(1767268800 + 86400LL * commit + 60 * op + 3600 * (g->run - synthetic_runs), time);
    const double level = level_at(g, commit, op, kernel, dtype, size);
    const char *driver =
        g->options->plant && commit * 100 >= 70 * g->options->commits ? "590.10" : "580.159.04";
    const int timed = strcmp(status, "ok") == 0 || strcmp(status, "unstable") == 0;
    json_t *figures = timed ? make_figures(g, level, kernel) : json_object();
    return json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:{s:i}, s:{}, s:s, s:s, s:s, s:s, s:{s:s, s:i},"
        " s:{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s}, s:{s:s, s:b}, s:{s:s}, s:s, s:f, s:f, s:o,"
        " s:o, s:s, s:s, s:o}",
        "schema", 1, "op", ops[op], "variant", kernels[kernel], "dtype", dtypes[dtype], "size", sizes[size],
        "dims", "N", 256 << (2 * size), "params", "kind",
        kernel < 5    ? "variant"
        : kernel == 5 ? "peer"
                      : "bound",
        "status", status, "reason", reason, "math_mode", "ieee", "inputs", "distribution", "normal", "seed",
        1, "device", "kind", "cuda", "name", "Made-up GPU", "slug", "made-up-gpu", "uuid", "GPU-0",
        "sm_count", 132, "driver", driver, "runtime", "13.0", "compute", "9.0", "git", "commit", hash,
        "dirty", g->options->plant && op == 3 && commit == g->options->commits - 1, "verdict", "status",
        "pass", "source_sha256", "00", "flops", 1e6, "bytes", 1e6, "method", make_method(g->run), "figures",
        figures, "output_check", "pass", "time", time, "resources", make_resources(g, commit, op, kernel));
}

static assay_status put(generator *g, json_t *result, assay_error *error)
{
    ingest_record record;
    ingest_outcome outcome;
    assay_status status = result ? ingest_record_make(result, &record, error)
                                 : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a result");
    if (status == ASSAY_OK) {
        status = ingest_writer_put(g->writer, &record, &outcome, error);
        ingest_record_release(&record);
    }
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
        status = db_exec(h, "PRAGMA synchronous=OFF; BEGIN", error);
    if (status == ASSAY_OK)
        status = ingest_writer_open(h, &g.writer, error);
    for (int commit = 0; status == ASSAY_OK && commit < options->commits; commit++)
        status = put_commit(&g, commit, error);
    if (status == ASSAY_OK)
        status = db_exec(h,
                         "UPDATE revision SET time = first_run, subject = 'Commit number ' || id || ' of a "
                         "made-up history'; COMMIT",
                         error);
    if (g.writer)
        ingest_writer_close(g.writer);
    history_close(h);
    return status;
}
