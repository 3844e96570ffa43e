/* Timing two versions in one process and comparing them: see versus.h. */
#include "optimize/versus.h"
#include "core/json_file.h"
#include "core/list.h"
#include "core/process.h"
#include "history/compare.h"
#include "results/result_file.h"
#include "results/results_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *versus_name(versus_verdict verdict)
{
    static const char *const names[] = {"faster", "same", "slower", "not timed"};
    return names[verdict];
}

void versus_release(versus *v)
{
    json_decref(v->cases);
    v->cases = NULL;
}

#define LONGEST_S 60.0

/* The results of one variant, under a name that both sides share. */
typedef struct side {
    const char *variant;
    const outside_request *request;
    result_set *set;
} side;

static assay_status take(void *context, results_item *item, assay_error *error)
{
    const side *s = context;
    result *r = item->kind == RESULTS_RESULT ? item->result : NULL;
    if (!r || strcmp(r->id.name, s->variant) != 0 || r->id.kind != RESULT_VARIANT ||
        !list_selects(s->request->dtypes, assay_dtype_name(r->id.dtype)) ||
        !list_selects(s->request->sizes, r->id.size)) {
        result_free(item->result);
        return ASSAY_OK;
    }
    snprintf(r->id.name, sizeof r->id.name, "kernel");
    return result_set_add(s->set, r, error);
}

static assay_status load(const outside *o, const char *variant, const outside_request *request,
                         result_set *set, assay_error *error)
{
    char folder[4400];
    side s = {.variant = variant, .request = request, .set = set};
    snprintf(folder, sizeof folder, "%s/bench", o->ws->results);
    snprintf(set->label, sizeof set->label, "%s", variant);
    return results_each(folder, RESULTS_WITH_RESULTS, RESULT_LOAD_SAMPLES, take, &s, error);
}

static json_t *case_json(const compare_case *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:s}", "dtype",
                     assay_dtype_name(c->id.dtype), "size", c->id.size, "measured",
                     c->counted ? c->counted : "us", "verdict", compare_verdict_name(c->verdict), "base_us",
                     json_number(c->base_us), "new_us", json_number(c->new_us), "speedup",
                     json_number(1.0 / c->ratio.ratio), "low", json_number(1.0 / c->ratio.high95), "high",
                     json_number(1.0 / c->ratio.low95), "reason", c->reason);
}

/* Instructions that were counted are a side of times on the CPU device; only times make speedups. */
static void sum_up(const compare_report *report, versus *out)
{
    double sum = 0, low = 0, high = 0;
    int faster = 0, slower = 0, timed = 0;
    for (int i = 0; i < report->count; i++) {
        const compare_case *c = &report->cases[i];
        json_array_append_new(out->cases, case_json(c));
        faster += c->verdict == COMPARE_FASTER;
        slower += c->verdict == COMPARE_SLOWER;
        if (c->counted || !isfinite(c->ratio.ratio) || c->ratio.ratio <= 0)
            continue;
        timed++;
        sum -= log(c->ratio.ratio);
        low -= log(c->ratio.high95);
        high -= log(c->ratio.low95);
    }
    out->verdict = timed == 0 ? VERSUS_NOT_TIMED
                   : slower   ? VERSUS_SLOWER
                   : faster   ? VERSUS_FASTER
                              : VERSUS_SAME;
    out->speedup = timed ? exp(sum / timed) : NAN;
    out->low = timed ? exp(low / timed) : NAN;
    out->high = timed ? exp(high / timed) : NAN;
}

static double bound_of(const result_set *set)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < set->count; i++) {
        const result_times *t = result_get(set->results[i].r, TIMING_COLD);
        if (!t || !isfinite(t->percent_of_roofline))
            continue;
        sum += t->percent_of_roofline;
        count++;
    }
    return count ? sum / count : NAN;
}

static assay_status compare(outside *o, const char *base, const char *changed, const outside_request *request,
                            versus *out, assay_error *error)
{
    result_set before = {.count = 0}, after = {.count = 0};
    compare_report report = {.count = 0};
    const compare_options options = {.modes = timing_mode_bit(TIMING_COLD)};
    assay_error why = {0};
    assay_status status = load(o, base, request, &before, error);
    if (status == ASSAY_OK)
        status = load(o, changed, request, &after, error);
    if (status == ASSAY_OK && before.count > 0 && after.count > 0)
        (void)compare_sets(&before, &after, &options, &report, &why); /* no pair to compare: not timed */
    if (status == ASSAY_OK) {
        sum_up(&report, out);
        out->percent_of_bound = bound_of(&after);
    }
    compare_report_release(&report);
    result_set_release(&before);
    result_set_release(&after);
    return status;
}

assay_status versus_run(outside *o, const char *base, const char *changed, const outside_request *request,
                        const bench_options *options, versus *out, assay_error *error)
{
    bench_summary summary = {0};
    bench_options own = *options;
    assay_error failed = {0};
    *out = (versus){.verdict = VERSUS_NOT_TIMED,
                    .speedup = NAN,
                    .low = NAN,
                    .high = NAN,
                    .percent_of_bound = NAN,
                    .cases = json_array()};
    own.baselines = "";
    own.modes = timing_mode_bit(TIMING_COLD); /* what is compared */
    if (own.bound_s < 0)
        own.bound_s = LONGEST_S; /* repetitions that are cut tell nothing of a slow kernel */
    own.force = 1;               /* both anew: only times of one process are compared */
    assay_status status = outside_bench(o, request, &own, &summary, &failed);
    if (status != ASSAY_OK && status != ASSAY_ERR_CHECK)
        return assay_error_set(error, status, "%s", failed.message);
    if (process_interrupted())
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "interrupted");
    return compare(o, base, changed, request, out, error);
}
