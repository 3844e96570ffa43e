/* Verifying and timing configurations at shapes: see shape_work.h. */
#include "tune/tuner/shape_work.h"
#include "core/process.h"
#include "results/result_file.h"
#include "verify/verify.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    ROUND = 8, /* shapes that share the start of workers; a budget ends the work between rounds */
    LIST_BYTES = WORKSPACE_MAX_TUNED * (ASSAY_NAME_MAX + 1),
    MOST_JOBS = 8
};

typedef struct shape_round {
    int shapes[ROUND], count;
    char sizes[ROUND * (ASSAY_NAME_MAX + 1)];
} shape_round;

static void add_name(char *list, size_t bytes, const char *name)
{
    const size_t used = strlen(list);
    snprintf(list + used, bytes - used, "%s%s", used ? "," : "", name);
}

static const unsigned char *allowed_at(const shape_work *w, int shape)
{
    return w->allowed + (size_t)shape * (size_t)w->configuration_count;
}

/* As many configurations from *from on as a workspace holds, as variants of the op and as a list. Returns how many. */
static int list_configurations(const shape_work *w, const unsigned char *allowed, int *from,
                               char names[LIST_BYTES])
{
    int count = 0;
    names[0] = '\0';
    workspace_forget_tuned(w->ws);
    for (; *from < w->configuration_count && count < WORKSPACE_MAX_TUNED; (*from)++) {
        const tuned_variant *c = &w->configurations[*from];
        if (!w->hashes[*from][0] || (allowed && !allowed[*from]) ||
            workspace_add_tuned(w->ws, w->op, c, NULL) != ASSAY_OK)
            continue;
        add_name(names, LIST_BYTES, c->name);
        count++;
    }
    return count;
}

/* Cards share the cores among the processes that judge. */
static int count_jobs(const shape_work *w)
{
    const long share = sysconf(_SC_NPROCESSORS_ONLN) / 2 / w->cards;
    return w->cards < 2 ? 0 : share < 1 ? 1 : share < MOST_JOBS ? (int)share : MOST_JOBS;
}

static assay_status verify_sizes(const shape_work *w, const case_filter *filter, assay_error *error)
{
    verify_summary summary = {0};
    const verify_options options = {.quiet = 1,
                                    .unjudged_only = 1,
                                    .time_limit_s = w->options->evaluate.verify_limit_s,
                                    .jobs = count_jobs(w)};
    const assay_status status = verify_run(w->ws, filter, &options, &summary, error);
    verify_summary_release(&summary);
    return status;
}

/* ASSAY_ERR_CHECK is a configuration's, and its result says so. */
static assay_status time_sizes(const shape_work *w, const case_filter *filter, assay_error *error)
{
    bench_summary summary = {0};
    bench_options bench = w->options->evaluate.bench;
    assay_error own = {0};
    bench.modes = timing_mode_bit(w->options->evaluate.mode);
    bench.baselines = "";
    bench.shared = 1;
    const assay_status status = bench_run(w->ws, filter, &bench, &summary, &own);
    return status == ASSAY_OK || status == ASSAY_ERR_CHECK
               ? ASSAY_OK
               : assay_error_set(error, status, "%s", own.message);
}

/* `allowed` NULL: all that were compiled; `is_timed` 0: only verified. */
static assay_status work_on(const shape_work *w, const unsigned char *allowed, const char *sizes,
                            int is_timed, assay_error *error)
{
    char names[LIST_BYTES];
    assay_status status = ASSAY_OK;
    for (int from = 0; status == ASSAY_OK && from < w->configuration_count && !process_interrupted();) {
        if (list_configurations(w, allowed, &from, names) == 0)
            continue;
        const case_filter filter = {.ops = w->op->spec->name,
                                    .variants = names,
                                    .dtypes = assay_dtype_name(w->options->dtype),
                                    .sizes = sizes};
        status = verify_sizes(w, &filter, error);
        if (status == ASSAY_OK && is_timed && !process_interrupted())
            status = time_sizes(w, &filter, error);
    }
    workspace_forget_tuned(w->ws);
    return status;
}

static double read_time(const shape_work *w, int shape, int number)
{
    assay_case c = {.op = w->op, .dtype = w->options->dtype};
    char path[4400];
    result *r = NULL;
    double us = NAN;
    snprintf(c.variant, sizeof c.variant, "%s", w->configurations[number].name);
    snprintf(c.size, sizeof c.size, "%s", w->names[shape]);
    case_result_path(w->ws, &c, path, sizeof path);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) == ASSAY_OK &&
        strcmp(r->hashes.kernel, w->hashes[number]) == 0 && result_is_timed(r) &&
        result_has(r, w->options->evaluate.mode))
        us = result_get(r, w->options->evaluate.mode)->mean_us;
    result_free(r);
    return us;
}

static assay_status take_shape(const shape_work *w, int shape, shape_taken taken, void *context,
                               assay_error *error)
{
    double us[SHAPE_MOST_CONFIGURATIONS];
    for (int c = 0; c < w->configuration_count; c++)
        us[c] = w->hashes[c][0] && allowed_at(w, shape)[c] ? read_time(w, shape, c) : NAN;
    return taken(context, shape, us, error);
}

/* The next shapes of this process for which constraints allow the same configurations. Returns where the round after begins. */
static int next_round(const shape_work *w, int at, int step, shape_round *r)
{
    *r = (shape_round){.count = 0};
    for (; at < w->count && r->count < ROUND; at += step) {
        const int shape = w->order[at];
        if (r->count > 0 &&
            memcmp(allowed_at(w, shape), allowed_at(w, r->shapes[0]), (size_t)w->configuration_count) != 0)
            break;
        add_name(r->sizes, sizeof r->sizes, w->names[shape]);
        r->shapes[r->count++] = shape;
    }
    return at;
}

assay_status shape_work_run(const shape_work *w, int first, int step, shape_taken taken, void *context,
                            assay_error *error)
{
    shape_round r;
    /* Nothing is timed whose edge cases do not pass. */
    assay_status status = work_on(w, NULL, "edge", 0, error);
    for (int at = first; at < w->count && status == ASSAY_OK && !process_interrupted();) {
        if (at > first && w->until_s > 0 && process_clock_s() >= w->until_s)
            break;
        at = next_round(w, at, step, &r);
        status = work_on(w, allowed_at(w, r.shapes[0]), r.sizes, 1, error);
        for (int i = 0; i < r.count && status == ASSAY_OK && !process_interrupted(); i++)
            status = take_shape(w, r.shapes[i], taken, context, error);
    }
    return status;
}
