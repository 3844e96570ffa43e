/* assay-launch-case: launches one variant by itself, without the sampling that assay-bench-group does.
 *
 * --mode cold     nvbench-style cold times, as JSON on standard output; tools/crosscheck_cold.py sets them against the cold times
 * --mode profile  --launches (default 1) launches between the marks of a profiler; bench/run/counters.c and tools/crosscheck.py run it
 *                 under ncu. No blocking kernel: a profiler waits for each kernel, and would wait for that one in vain.
 * --mode profile-overhead  the same with the device layer's empty kernel after each launch: the profiler's own launch overhead, for tools/crosscheck.py */
#include "bench/run/crosscheck_cold.h"
#include "bench/run/problem_set.h"
#include "core/workspace.h"
#include "core/memory.h"
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 20260, MOST_LAUNCHES = 10000 };
static const char usage[] = "usage: assay-launch-case --workspace DIR --op OP --variant VARIANT --dtype "
                            "DTYPE --size SIZE --mode cold|profile|profile-overhead [--launches N]\n";

typedef struct options {
    const char *workspace, *op, *variant, *dtype, *size, *mode, *launches;
    int launch_count;
} options;

typedef struct call {
    assay_run_fn run;
    const void *args;
    assay_stream stream;
    assay_device *device;
} call;

static int is_mode(const char *name)
{
    return strcmp(name, "cold") == 0 || strcmp(name, "profile") == 0 || strcmp(name, "profile-overhead") == 0;
}

static int parse(int argc, char **argv, options *o)
{
    const struct {
        const char *name, **value;
    } known[] = {{"--workspace", &o->workspace}, {"--op", &o->op},     {"--variant", &o->variant},
                 {"--dtype", &o->dtype},         {"--size", &o->size}, {"--mode", &o->mode},
                 {"--launches", &o->launches}};
    char *end = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(known[k].name, argv[i]) != 0)
            k++;
        if (k == sizeof known / sizeof *known)
            return 0;
        *known[k].value = argv[i + 1];
    }
    o->launch_count = o->launches ? (int)strtol(o->launches, &end, 10) : 1;
    if (o->launch_count < 1 || o->launch_count > MOST_LAUNCHES || (end && *end))
        return 0;
    return argc % 2 == 1 && o->workspace && o->op && o->variant && o->dtype && o->size && o->mode &&
           is_mode(o->mode);
}

static assay_status launch(void *context)
{
    const call *c = context;
    return c->run(c->args, c->stream);
}

static assay_status launch_empty(void *context)
{
    return assay_device_launch_empty(((call *)context)->device, NULL);
}

static assay_status load(const workspace *ws, const options *o, const workspace_op **op, assay_dtype *dtype,
                         assay_run_fn *run, assay_error *error)
{
    assay_case which = {0};
    module_record record;
    char path[4400];
    *op = workspace_find_op(ws, o->op);
    if (!*op || !assay_dtype_parse(o->dtype, dtype) || !opspec_find_size((*op)->spec, o->size))
        return assay_error_set(error, ASSAY_ERR_INVALID, "unknown op, dtype or size: %s %s %s", o->op,
                               o->dtype, o->size);
    which.op = *op;
    which.dtype = *dtype;
    snprintf(which.variant, sizeof which.variant, "%s", o->variant);
    snprintf(which.size, sizeof which.size, "%s", o->size);
    case_module_path(ws, &which, path, sizeof path);
    assay_status status = module_record_read(path, &record, error);
    if (status == ASSAY_OK)
        status = module_load(&record, o->op, run, error);
    module_record_release(&record);
    return status;
}

static assay_status measure(const options *o, crosscheck_times *times, assay_error *error)
{
    workspace *ws = NULL;
    assay_device *device = NULL;
    const workspace_op *op = NULL;
    const assay_op_impl *impl = NULL;
    problem_set *set = NULL;
    assay_dtype dtype;
    call c = {0};
    assay_status status = workspace_open(o->workspace, &ws, error);
    if (status == ASSAY_OK)
        status = load(ws, o, &op, &dtype, &c.run, error);
    if (status == ASSAY_OK)
        status = workspace_load_impl(op, &impl, error);
    if (status == ASSAY_OK)
        status = assay_device_open("cuda", 0, &device, error);
    if (status == ASSAY_OK)
        status = problem_set_create(device, op->spec, impl, dtype,
                                    opspec_size_dims(opspec_find_size(op->spec, o->size), "cuda"), SEED, 0,
                                    &set, error);
    if (status == ASSAY_OK) {
        c.args = set->args[0];
        c.device = device;
        c.stream = assay_device_stream(device);
        const int with_empty = strcmp(o->mode, "profile-overhead") == 0;
        status = strcmp(o->mode, "cold") == 0 ? crosscheck_cold(launch, &c, c.stream, times, error)
                                              : crosscheck_profile(launch, with_empty ? launch_empty : NULL,
                                                                   &c, c.stream, o->launch_count, error);
    }
    problem_set_release(set);
    assay_device_close(device);
    if (ws)
        workspace_close(ws);
    return status;
}

int main(int argc, char **argv)
{
    memory_require_for_json();
    options o = {0};
    crosscheck_times times;
    assay_error error = {0};
    setlocale(LC_ALL, "C");
    if (!parse(argc, argv, &o)) {
        fputs(usage, stderr);
        return ASSAY_EXIT_USAGE;
    }
    const assay_status status = measure(&o, &times, &error);
    if (status != ASSAY_OK) {
        fprintf(stderr, "assay-launch-case: %s\n", error.message);
        return assay_status_exit(status);
    }
    if (strcmp(o.mode, "cold") == 0)
        printf("{\"samples\": %d, \"mean_us\": %.4f, \"median_us\": %.4f, \"noise_percent\": %.3f}\n",
               times.samples, times.mean_us, times.median_us, times.noise_percent);
    return ASSAY_EXIT_OK;
}
