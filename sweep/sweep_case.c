/* From verdicts and results to a case of a sweep: see sweep_case.h. */
#include "sweep/sweep_case.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/case_options.h"
#include "results/case_verdict.h"
#include "results/result_file.h"
#include <math.h>
#include <string.h>

static void end(sweep_case *c, sweep_status status, const char *reason)
{
    c->status = status;
    snprintf(c->reason, sizeof c->reason, "%s", reason);
    c->reason[strcspn(c->reason, "\n")] = '\0';
}

/* The verdict of a case of the workspace as it is now, or of a module that was judged just now. New reference; NULL: there is none. */
static json_t *read_verdict(const workspace *ws, const assay_case *which, const sweep_options *o)
{
    char path[4600], name[400];
    json_t *verdict = NULL;
    case_name(which, name, sizeof name);
    if (o->module_count > 0)
        snprintf(path, sizeof path, "%s/%s/verify/%s.json", ws->results, o->checked ? "checked" : "outside",
                 name);
    else if (case_is_verified(ws, which))
        case_verdict_path(ws, which, path, sizeof path);
    else
        return NULL;
    return json_file_read(path, &verdict, NULL) == ASSAY_OK ? verdict : NULL;
}

/* 1 if it passed. */
static int take_verdict(const workspace *ws, const assay_case *which, const sweep_options *o, sweep_case *c)
{
    json_t *verdict = read_verdict(ws, which, o);
    const char *status = json_get_text(verdict, "status", ""), *reason = json_get_text(verdict, "reason", "");
    const int passed = strcmp(status, "pass") == 0, failed = strcmp(status, "fail") == 0;
    char line[SWEEP_REASON];
    snprintf(line, sizeof line, "%s%s%.300s", failed ? "" : status, failed ? "" : ": ", reason);
    if (verdict && !passed)
        snprintf(c->command, sizeof c->command, "%s", json_get_text(verdict, "rerun", ""));
    if (verdict)
        end(c,
            passed                           ? SWEEP_RIGHT
            : strcmp(status, "skipped") == 0 ? SWEEP_REFUSED
                                             : SWEEP_WRONG,
            passed ? "" : line);
    c->unsupported = c->status == SWEEP_REFUSED && json_is_true(json_object_get(verdict, "unsupported"));
    json_decref(verdict);
    return passed;
}

static result *read_result(const workspace *ws, const assay_case *which)
{
    char path[4400];
    result *r = NULL;
    case_result_path(ws, which, path, sizeof path);
    return result_read_file(path, RESULT_LOAD_SUMMARY, &r, NULL) == ASSAY_OK ? r : NULL;
}

/* The fastest baseline among those that were asked for. */
static void take_best(const workspace *ws, const assay_case *which, const sweep_options *o, sweep_case *c)
{
    char name[ASSAY_NAME_MAX];
    for (list_item item = {0}; list_next(o->bench.baselines, &item);) {
        assay_case baseline = *which;
        snprintf(name, sizeof name, "%.*s", item.length, item.text);
        snprintf(baseline.variant, sizeof baseline.variant, RESULT_BASELINE_PREFIX "%.50s", name);
        result *r = read_result(ws, &baseline);
        const result_times *times =
            r && result_is_timed(r) && r->id.kind == RESULT_BASELINE ? result_get(r, o->mode) : NULL;
        if (times && !(times->mean_us >= c->best_us)) {
            c->best_us = times->mean_us;
            snprintf(c->best, sizeof c->best, "%s", name);
        }
        result_free(r);
    }
}

static void take_times(const workspace *ws, const assay_case *which, const sweep_options *o, sweep_case *c)
{
    result *r = read_result(ws, which);
    const result_times *times = r && result_is_timed(r) ? result_get(r, o->mode) : NULL;
    if (r && strcmp(r->output_check, "fail") == 0)
        end(c, SWEEP_WRONG, r->reason);
    else if (r && result_is_too_large(r))
        end(c, SWEEP_REFUSED, r->reason);
    else if (
        r &&
        !times) /* a kernel that is wrong in its edge cases is wrong; those that could not be judged say nothing */
        end(c,
            strstr(r->reason, "correctness: missing") || strstr(r->reason, "correctness: stale")
                ? SWEEP_RIGHT
                : SWEEP_WRONG,
            r->reason);
    if (times && c->status == SWEEP_RIGHT) {
        c->time_us = times->mean_us;
        take_best(ws, which, o, c);
        c->ratio = c->best_us / c->time_us;
        if (isfinite(c->ratio))
            c->status = SWEEP_COMPARED;
    }
    result_free(r);
}

void sweep_take_case(const workspace *ws, const assay_case *which, const sweep_options *o, sweep_case *c)
{
    char options[1024];
    *c = (sweep_case){.shape = c->shape, .dtype = which->dtype, .time_us = NAN, .best_us = NAN, .ratio = NAN};
    snprintf(c->variant, sizeof c->variant, "%s", which->variant);
    case_options(ws, which, NULL, options, sizeof options);
    snprintf(c->command, sizeof c->command, "assay %s %s %s%s%s", o->timed ? "bench" : "verify",
             which->op->spec->name, options, o->timed ? " --modes " : "",
             o->timed ? timing_mode_name(o->mode) : "");
    if (take_verdict(ws, which, o, c) && o->timed)
        take_times(ws, which, o, c);
}
