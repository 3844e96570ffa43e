/* Check reports -> verdict JSON. */
#include "verify/verdict.h"
#include "core/json_file.h"
#include "results/result.h"
#include "verify/launch.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

int verdict_stands(const json_t *verdict)
{
    const char *status = json_get_text(verdict, "status", "");
    if (strcmp(status, "skipped") == 0)
        return strstr(json_get_text(verdict, "reason", ""), "not enough memory") == NULL;
    return strcmp(status, "pass") == 0 || strcmp(status, "does not compile") == 0;
}

int verdict_blames_device(const json_t *verdict)
{
    return strstr(json_get_text(verdict, "reason", ""), LAUNCH_DEVICE_ERROR) != NULL;
}

const char *verdict_status_name(check_verdict verdict)
{
    return verdict == CHECK_PASS ? "pass" : verdict == CHECK_FAIL ? "fail" : "skipped";
}

void verdict_time(char out[32])
{
    result_time_text((int64_t)time(NULL), out);
}

static json_t *shape_json(const assay_tensor *tensor)
{
    json_t *shape = json_array();
    for (int d = 0; d < tensor->rank; d++)
        json_array_append_new(shape, json_integer(tensor->shape[d]));
    return shape;
}

/* Dimensions by name, or input shapes where an edge case names none. */
static json_t *dims_json(const opspec_dims *dims, const assay_problem *shapes, const opspec *spec)
{
    json_t *object = json_object();
    for (int i = 0; dims && i < dims->count; i++)
        json_object_set_new(object, dims->dim[i].name, json_integer(dims->dim[i].value));
    if (!dims && shapes)
        for (int i = 0; i < shapes->input_count; i++)
            json_object_set_new(object, spec->inputs[i].name, shape_json(&shapes->inputs[i]));
    return object;
}

static json_t *distribution_json(const opspec *spec)
{
    json_t *object = json_object();
    for (int i = 0; i < spec->input_count; i++)
        json_object_set_new(object, spec->inputs[i].name, json_string(spec->inputs[i].distribution));
    return object;
}

json_t *verdict_create(const verdict_subject *subject, const assay_problem *shapes, const opspec_dims *dims,
                       const opspec *spec)
{
    json_t *verdict = json_object(), *device = json_object(), *inputs = json_object();
    json_object_set_new(verdict, "schema", json_integer(1));
    json_object_set_new(verdict, "op", json_string(subject->op));
    json_object_set_new(verdict, "variant", json_string(subject->variant));
    json_object_set_new(verdict, "dtype", json_string(assay_dtype_name(subject->dtype)));
    json_object_set_new(verdict, "size", json_string(subject->size));
    json_object_set_new(verdict, "dims", dims_json(dims, shapes, spec));
    if (subject->device) {
        json_object_set_new(device, "kind", json_string(subject->device->kind));
        json_object_set_new(device, "name", json_string(subject->device->name));
        json_object_set_new(device, "slug", json_string(subject->device->slug));
    }
    json_object_set_new(verdict, "device", device);
    json_object_set_new(verdict, "source_sha256", json_string(subject->source_sha256));
    json_object_set_new(inputs, "seed", json_integer((json_int_t)subject->seed));
    json_object_set_new(inputs, "distribution", distribution_json(spec));
    json_object_set_new(verdict, "inputs", inputs);
    json_object_set_new(verdict, "checks", json_array());
    json_object_set_new(verdict, "deterministic", json_null());
    return verdict;
}

static json_t *mismatches_json(const check_item *item, const opspec *spec)
{
    json_t *list = json_array();
    const compare_result *r = &item->compared;
    const int count = r->mismatches < COMPARE_MISMATCHES ? (int)r->mismatches : COMPARE_MISMATCHES;
    for (int i = 0; i < count; i++) {
        json_t *entry = json_object(), *index = json_array();
        int64_t rest = r->first[i].index, position[ASSAY_MAX_RANK] = {0};
        for (int d = item->shape.rank - 1; d >= 0; d--) {
            position[d] = rest % item->shape.shape[d];
            rest /= item->shape.shape[d];
        }
        for (int d = 0; d < item->shape.rank; d++)
            json_array_append_new(index, json_integer(position[d]));
        json_object_set_new(entry, "output", json_string(spec->outputs[item->output].name));
        json_object_set_new(entry, "index", index);
        json_object_set_new(entry, "got", json_number(r->first[i].got));
        json_object_set_new(entry, "expected", json_number(r->first[i].expected));
        json_array_append_new(list, entry);
    }
    return list;
}

static json_t *item_json(const char *prefix, const check_item *item, int unsupported, const opspec *spec)
{
    const compare_result *r = &item->compared;
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] ? ": " : "", item->name);
    json_t *json = json_object(), *tolerance = json_object();
    json_object_set_new(json, "name", json_string(name));
    json_object_set_new(json, "status",
                        json_string(item->passed  ? "pass"
                                    : unsupported ? "skipped"
                                                  : "fail"));
    json_object_set_new(json, "reason", json_string(item->reason));
    json_object_set_new(json, "elements", json_integer(item->elements));
    json_object_set_new(json, "max_abs_error", json_number(r->max_abs_error));
    json_object_set_new(json, "max_ulp", json_number(r->max_ulp));
    json_object_set_new(json, "rel_frobenius", json_number(r->rel_frobenius));
    json_object_set_new(json, "worst_ratio", json_number(r->worst_ratio));
    json_object_set_new(json, "rms_ratio", json_number(r->rms_ratio));
    json_object_set_new(json, "bias", json_number(r->bias));
    json_object_set_new(tolerance, "atol", json_number(r->tolerance.atol));
    json_object_set_new(tolerance, "rtol", json_number(r->tolerance.rtol));
    json_object_set_new(tolerance, "stol", json_number(r->tolerance.stol));
    if (r->tolerance.rms > 0) {
        json_object_set_new(tolerance, "rms", json_number(r->tolerance.rms));
        json_object_set_new(json, "square_ratio", json_number(r->square_ratio));
    }
    json_object_set_new(json, "tolerance", tolerance);
    json_object_set_new(json, "mismatches", mismatches_json(item, spec));
    return json;
}

void verdict_add_extra(json_t *verdict, const char *name, int claimed, const char *edge,
                       const check_report *report)
{
    json_t *extras = json_object_get(verdict, "extras");
    if (!extras)
        json_object_set_new(verdict, "extras", extras = json_object());
    json_t *extra = json_object_get(extras, name);
    if (!extra)
        json_object_set_new(extras, name,
                            extra = json_pack("{s:b, s:i, s:i, s:s}", "claimed", claimed, "passed", 0,
                                              "failed", 0, "reason", ""));
    const char *key = report->verdict == CHECK_PASS ? "passed" : "failed";
    json_object_set_new(extra, key, json_integer(json_integer_value(json_object_get(extra, key)) + 1));
    if (report->verdict == CHECK_PASS || json_get_text(extra, "reason", "")[0] != '\0')
        return;
    char reason[LAUNCH_REASON_MAX + 192];
    snprintf(reason, sizeof reason, "edge case %s, %s", edge, report->reason);
    json_object_set_new(extra, "reason", json_string(reason));
}

void verdict_add_report(json_t *verdict, const char *prefix, const check_report *report, int required,
                        const opspec *spec)
{
    json_t *checks = json_object_get(verdict, "checks");
    for (int i = 0; i < report->item_count; i++) {
        json_t *item = item_json(prefix, &report->items[i], report->unsupported, spec);
        if (!required && !report->items[i].passed)
            json_object_set_new(item, "required", json_false());
        json_array_append_new(checks, item);
    }
    if (report->item_count == 0) { /* skipped before any run */
        json_t *json = json_object();
        json_object_set_new(json, "name", json_string(prefix[0] ? prefix : "memory"));
        json_object_set_new(json, "status", json_string(verdict_status_name(report->verdict)));
        json_object_set_new(json, "reason", json_string(report->reason));
        json_object_set_new(json, "elements", json_integer(0));
        json_array_append_new(checks, json);
    }
    /* Over several problems: deterministic only if every one of them was. */
    const json_t *before = json_object_get(verdict, "deterministic");
    if (report->deterministic >= 0)
        json_object_set_new(verdict, "deterministic",
                            json_boolean(report->deterministic && !json_is_false(before)));
}

void verdict_finish(json_t *verdict, const char *status, const char *reason, double seconds)
{
    json_object_set_new(verdict, "status", json_string(status));
    json_object_set_new(verdict, "reason", json_string(reason));
    json_object_set_new(verdict, "seconds", json_number(seconds));
}
