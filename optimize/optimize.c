/* The run from its gate to its reports: see optimize.h. */
#include "optimize/optimize.h"
#include "core/json_file.h"
#include "core/process.h"
#include "optimize/environment_gate.h"
#include "optimize/loop.h"
#include "optimize/pages.h"
#include "outside/results_json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void optimize_summary_release(optimize_summary *summary)
{
    json_decref(summary->state);
    summary->state = NULL;
}

/* The device of the build, and whether what is used is new enough. */
static assay_status pass_gate(loop *l, assay_error *error)
{
    assay_device *device = NULL;
    int missing = 0;
    assay_status status =
        assay_device_open(l->base->device, l->options->bench.device_ordinal, &device, error);
    if (status != ASSAY_OK)
        return status;
    l->device = *assay_device_get_info(device);
    assay_device_close(device);
    json_t *gate =
        environment_gate(l->base, &l->device, l->options->use_ncu, l->options->bench.baselines, &missing);
    status = page_environment(l->out, gate, missing, error);
    json_decref(gate);
    if (status == ASSAY_OK && missing > 0)
        status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                                 "%d thing%s that this run uses %s missing or too old: see %s/env_check.md",
                                 missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are", l->out);
    return status;
}

static json_t *first_version(const loop *l)
{
    return json_array_get(json_object_get(l->state, "versions"), 0);
}

/* The kernel as given, the best version and the baselines, together: the numbers of benchmark.md and of the prompts. */
static assay_status time_all(loop *l, assay_error *error)
{
    outside o;
    char path[PATH_MAX], names[2][16];
    const int numbers[2] = {0, loop_best(l)};
    bench_summary summary = {0};
    assay_error failure = {0};
    assay_status status = loop_open(l, &o, error);
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; i < (numbers[1] > 0 ? 2 : 1) && status == ASSAY_OK; i++) {
        snprintf(names[i], sizeof names[i], "k%d", numbers[i]);
        loop_path(l, numbers[i], "kernel.cu", path);
        status = outside_add(&o, path, names[i], l->options->request.dtypes, error);
    }
    if (status == ASSAY_OK) {
        const assay_status timed =
            outside_bench(&o, &l->options->request, &l->options->bench, &summary, &failure);
        if (timed != ASSAY_OK && timed != ASSAY_ERR_CHECK)
            status = assay_error_set(error, timed, "%s", failure.message);
        else if (process_interrupted())
            status = assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted");
    }
    if (status == ASSAY_OK) {
        const case_filter filter = {
            .variants = o.variants, .dtypes = l->options->request.dtypes, .sizes = l->options->request.sizes};
        json_object_set_new(l->state, "results", results_json(o.ws->results, &filter));
        if (!json_object_get(first_version(l), "profile"))
            status = loop_profile(l, &o, first_version(l), names[0], error);
    }
    if (status == ASSAY_OK)
        status = loop_save(l, error);
    outside_close(&o);
    return status;
}

static void begin_version(loop *l)
{
    json_t *versions = json_object_get(l->state, "versions");
    json_array_append_new(versions, json_pack("{s:i, s:s, s:[]}", "version", (int)json_array_size(versions),
                                              "step", "ask", "tries"));
}

static assay_status do_step(loop *l, json_t *version, assay_error *error)
{
    const char *step = json_get_text(version, "step", "");
    return strcmp(step, "ask") == 0     ? loop_ask(l, version, error)
           : strcmp(step, "judge") == 0 ? loop_judge(l, version, error)
                                        : loop_time(l, version, error);
}

static assay_status iterate(loop *l, assay_error *error)
{
    assay_status status = ASSAY_OK;
    const char *stop = NULL;
    while (status == ASSAY_OK) {
        if (process_interrupted())
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted; run it again to go on");
        json_t *version = loop_current(l);
        if (version) {
            status = do_step(l, version, error);
            continue;
        }
        if (!json_object_get(l->state, "results"))
            status = time_all(l, error);
        else if ((stop = loop_stop_reason(l)) != NULL)
            break;
        else
            begin_version(l);
    }
    if (status == ASSAY_OK)
        json_object_set_new(l->state, "stopped", json_string(stop));
    return status;
}

static assay_status report(loop *l, assay_error *error)
{
    assay_status status = ASSAY_OK;
    char best[PATH_MAX], path[PATH_MAX], *source = NULL;
    size_t bytes = 0;
    if (!json_is_true(json_object_get(l->state, "reported")))
        status = time_all(l, error);
    json_object_set_new(l->state, "reported", json_true());
    if (status == ASSAY_OK)
        status = page_final_report(l->out, l->state, error);
    if (status == ASSAY_OK)
        status = page_benchmark(l->out, l->state, error);
    loop_path(l, loop_best(l), "kernel.cu", best);
    snprintf(path, sizeof path, "%s/best.cu", l->out);
    if (status == ASSAY_OK)
        status = text_file_read(best, &source, &bytes, error);
    if (status == ASSAY_OK)
        status = text_file_write(path, source, bytes, error);
    free(source);
    return status == ASSAY_OK ? loop_save(l, error) : status;
}

assay_status optimize_run(const workspace *base, const optimize_options *options, optimize_summary *summary,
                          assay_error *error)
{
    loop *l = calloc(1, sizeof *l);
    *summary = (optimize_summary){.resumed = 0};
    if (!l)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "not enough memory");
    l->base = base;
    l->options = options;
    assay_status status =
        workspace_find_op(base, options->op)
            ? make_folders(options->out, error)
            : assay_error_set(error, ASSAY_ERR_INVALID, "unknown op \"%s\"; `assay list` shows what there is",
                              options->op);
    char out[PATH_MAX];
    if (status == ASSAY_OK && (!realpath(options->out, out) || strlen(out) >= sizeof l->out))
        status = assay_error_set(error, ASSAY_ERR_INVALID, "cannot use the folder %s", options->out);
    if (status == ASSAY_OK) {
        snprintf(l->out, sizeof l->out, "%s", out);
        status = pass_gate(l, error);
    }
    if (status == ASSAY_OK)
        status = loop_load(l, &summary->resumed, error);
    if (status == ASSAY_OK)
        status = iterate(l, error);
    if (status == ASSAY_OK)
        status = report(l, error);
    summary->state = l->state;
    free(l);
    return status;
}
