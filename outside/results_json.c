/* Results as JSON: see results_json.h. */
#include "outside/results_json.h"
#include "core/json_file.h"
#include "core/list.h"
#include "results/results_folder.h"
#include <stdio.h>
#include <unistd.h>

typedef struct collector {
    const case_filter *filter;
    json_t *list;
} collector;

static int matches(const case_filter *filter, const result *r)
{
    return list_selects(filter->ops, r->id.op) &&
           list_selects(filter->dtypes, assay_dtype_name(r->id.dtype)) &&
           list_selects(filter->sizes, r->id.size) &&
           (r->id.kind != RESULT_VARIANT || list_selects_variant(filter->variants, r->id.name));
}

static json_t *times_json(const result_times *t)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "mean_us", json_number(t->mean_us), "low_us",
                     json_number(t->low_us), "high_us", json_number(t->high_us), "median_us",
                     json_number(t->median_us), "gbs", json_number(t->gbs), "tflops", json_number(t->tflops),
                     "percent_of_bound", json_number(t->percent_of_roofline));
}

static json_t *one_json(const result *r)
{
    char name[RESULT_FULL_NAME_MAX];
    json_t *modes = json_object();
    result_full_name(&r->id, name, sizeof name);
    for (int mode = 0; mode < TIMING_MODES; mode++)
        if (result_get(r, (timing_mode)mode))
            json_object_set_new(modes, timing_mode_name((timing_mode)mode),
                                times_json(result_get(r, (timing_mode)mode)));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "op", r->id.op, "name", name, "kind",
                     result_kind_name(r->id.kind), "dtype", assay_dtype_name(r->id.dtype), "size", r->id.size,
                     "status", result_status_name(r->status), "reason", r->reason, "launches", r->launches,
                     "modes", modes);
}

static assay_status take(void *context, results_item *item, assay_error *error)
{
    collector *c = context;
    (void)error;
    if (item->kind == RESULTS_RESULT && matches(c->filter, item->result))
        json_array_append_new(c->list, one_json(item->result));
    result_free(item->result);
    return ASSAY_OK;
}

/* Problems and configurations that were asked for by name lie apart from the build's (core/tuned_variant.h). */
static assay_status take_named(void *context, results_item *item, assay_error *error)
{
    collector *c = context;
    const int named = item->kind == RESULTS_RESULT &&
                      (list_has(c->filter->sizes ? c->filter->sizes : "", item->result->id.size) ||
                       list_has(c->filter->variants ? c->filter->variants : "", item->result->id.name));
    if (named)
        return take(context, item, error);
    result_free(item->result);
    return ASSAY_OK;
}

json_t *results_json(const char *results, const case_filter *filter)
{
    char folder[4200];
    collector c = {.filter = filter, .list = json_array()};
    snprintf(folder, sizeof folder, "%s/bench", results);
    if (access(folder, R_OK) != 0) /* a folder of archives */
        snprintf(folder, sizeof folder, "%s", results);
    results_each(folder, RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, take, &c, NULL);
    snprintf(folder, sizeof folder, "%s/configurations", results);
    if (access(folder, R_OK) == 0)
        results_each(folder, RESULTS_WITH_RESULTS, RESULT_LOAD_SUMMARY, take_named, &c, NULL);
    return c.list;
}
