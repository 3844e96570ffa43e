/* The model behind all reports: what state each case is in, the card's identity, roofs. Formats nothing. */
#include "report/report_model.h"
#include "core/json_file.h"
#include "report/report_floors.h"
#include "core/roof_rule.h"
#include "report/report_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int report_entry_compare(const report_entry *a, const report_entry *b)
{
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    const int by_name = strcmp(a->name, b->name);
    if (by_name)
        return by_name;
    if (a->dtype != b->dtype)
        return a->dtype < b->dtype ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

static void set_state(report_entry *entry, report_state state, const char *reason)
{
    entry->state = state;
    snprintf(entry->reason, sizeof entry->reason, "%s", reason);
    for (char *c = entry->reason; *c; c++) /* one line, whatever a kernel's message held */
        if (*c == '\n' || *c == '\r' || *c == '\t')
            *c = ' ';
}

/* A verdict that is not a pass decides; 0 if there is none or it passed. */
static int judge_by_verdict(report_entry *entry, const char *status, const char *reason)
{
    char text[256];
    if (!*status || strcmp(status, "pass") == 0)
        return 0;
    if (strcmp(status, "does not compile") == 0)
        set_state(entry, STATE_NOT_COMPILED, reason);
    else if (strcmp(status, "fail") == 0)
        set_state(entry, STATE_FAILED, reason);
    else if (strcmp(status, "crash") == 0 || strcmp(status, "timeout") == 0) {
        snprintf(text, sizeof text, "%s%s%.200s", status, *reason ? ": " : "", reason);
        set_state(entry, STATE_FAILED, text);
    } else {
        snprintf(text, sizeof text, "%s%s%.200s", status, *reason ? ": " : "", reason);
        set_state(entry, STATE_NOT_TIMED, text);
    }
    return 1;
}

/* 1 if the results are this workspace's own, not brought from elsewhere. */
static int is_own(const report_model *model)
{
    const size_t length = strlen(model->ws->results_base);
    return length > 0 && strncmp(model->results, model->ws->results_base, length) == 0 &&
           model->results[length] == '/';
}

/* 1 if the workspace's module is of another source now than the figures are of. */
static int module_changed(const report_model *model, const report_entry *entry, const json_t *module)
{
    const char *kind = json_get_text(json_object_get(entry->result, "device"), "kind", "");
    const char *now = json_get_text(module, "source_sha256", "");
    const char *then = json_get_text(entry->result, "source_sha256", "");
    return is_own(model) && strcmp(kind, model->ws->device) == 0 && *now && *then && strcmp(now, then) != 0;
}

static void judge_timed(const report_model *model, report_entry *entry, const json_t *module)
{
    const char *status = json_get_text(entry->result, "status", "");
    const char *then = json_get_text(entry->result, "source_sha256", "");
    const char *checked = json_get_text(entry->verdict, "source_sha256", then);
    const char *recorded = json_get_text(json_object_get(entry->result, "verdict"), "status", "");
    if (strcmp(json_get_text(entry->result, "output_check", "pass"), "fail") == 0)
        set_state(entry, STATE_WRONG_OUTPUT, "the output of the timed runs was wrong");
    else if (entry->kind == REPORT_VARIANT && !entry->verdict && strcmp(recorded, "pass") != 0)
        set_state(entry, STATE_NOT_TIMED, "it has figures but no passing verdict");
    else if (*then && strcmp(then, checked) != 0)
        set_state(entry, STATE_STALE, "figures and verdict are of different sources");
    else if (module_changed(model, entry, module))
        set_state(entry, STATE_STALE, "the source changed after it was timed");
    else
        set_state(entry, strcmp(status, "ok") == 0 ? STATE_TIMED : STATE_UNSTABLE,
                  json_get_text(entry->result, "reason", ""));
}

/* 1 if the workspace has sources and the variant is not among them. A bundle has none, and lists the variants it was made of. */
static int is_removed(const report_model *model, const report_entry *entry)
{
    const workspace_op *op = &model->ws->ops[entry->op];
    if (entry->kind != REPORT_VARIANT || !*model->ws->source)
        return 0;
    for (int i = 0; i < op->variant_count; i++)
        if (strcmp(op->variants[i], entry->name) == 0)
            return 0;
    return 1;
}

static void judge(const report_model *model, report_entry *entry, const json_t *module)
{
    const char *status = json_get_text(entry->result, "status", "");
    const char *reason = json_get_text(entry->result, "reason", "");
    if (is_removed(model, entry))
        set_state(entry, STATE_REMOVED, "its source file is no longer there; delete its files or restore it");
    else if (strcmp(status, "unavailable") == 0)
        set_state(entry, STATE_UNAVAILABLE, reason);
    else if (judge_by_verdict(entry, json_get_text(entry->verdict, "status", ""),
                              json_get_text(entry->verdict, "reason", "")))
        return;
    else if (strcmp(status, "ok") == 0 || strcmp(status, "unstable") == 0)
        judge_timed(model, entry, module);
    else if (strcmp(json_get_text(module, "status", ""), "does not compile") == 0)
        set_state(entry, STATE_NOT_COMPILED, "");
    else if (judge_by_verdict(entry, json_get_text(json_object_get(entry->result, "verdict"), "status", ""),
                              reason))
        return;
    else if (entry->result)
        set_state(entry, STATE_NOT_TIMED, *reason ? reason : "no reason was recorded");
    else if (entry->verdict)
        set_state(entry, STATE_NOT_TIMED, "verified, not timed yet");
    else
        set_state(entry, STATE_MISSING, "");
}

const char *report_figure_name(int figure)
{
    static const char *const names[REPORT_FIGURES] = {"cold",      "hot",       "burst",
                                                      "sustained", "cold_read", "host"};
    return names[figure];
}

static double possible_of(const report_model *model, const char *name)
{
    for (int i = 0; i < model->ceiling_count; i++)
        if (strcmp(model->ceilings[i].name, name) == 0)
            return model->ceilings[i].possible;
    return NAN;
}

static double best_rate(const report_model *model, int op, int dtype, int tf32,
                        double (*rate_of)(const report_model *, const char *), const char **label);

/* The share of the roof follows from the figure and the ceilings, so it is derived here for all results alike, whatever rule and
 * ceilings there were when they were timed. Less time than the best ceilings allow is a measuring error. */
static void derive_roof(const report_model *model, report_entry *entry)
{
    const char *unit = "";
    const int tf32 = report_is_tf32(entry);
    const double possible = best_rate(model, entry->op, entry->dtype, tf32, possible_of, &unit);
    const double roof = report_roof_tflops(model, entry->op, entry->dtype, tf32, entry->flops / entry->bytes);
    const double bandwidth = fmax(possible_of(model, "copy"), possible_of(model, "read"));
    const double least_us = fmax(entry->flops / possible * 1e-6, entry->bytes / bandwidth * 1e-3);
    for (int f = 0; f < REPORT_FIGURES; f++) {
        report_figure *figure = &entry->figures[f];
        if (!figure->present || !isfinite(roof))
            continue;
        figure->percent_of_roof = 100 * entry->flops / figure->mean_us * 1e-6 / roof;
        /* After a reading flush part of the output, and in host figures all data, may stay in the cache: no bound for these. */
        figure->above_roof = figure->mean_us < least_us && f != REPORT_COLD_READ && f != REPORT_HOST;
    }
}

static void derive_methods(report_model *model)
{
    for (int i = 0; i < model->count; i++) {
        report_entry *entry = &model->entries[i];
        const char *kind = json_get_text(json_object_get(entry->result, "device"), "kind", "");
        for (int f = 0; entry->result && f < REPORT_FIGURES; f++)
            method_label(json_object_get(entry->result, "method"), kind, report_figure_name(f),
                         entry->figures[f].method, sizeof entry->figures[f].method);
    }
}

static json_t *read_module(const workspace *ws, const report_entry *entry)
{
    const opspec *spec = ws->ops[entry->op].spec;
    char path[4608];
    snprintf(path, sizeof path, "%s/%s.%s.%s.json", ws->modules, spec->name, entry->name,
             report_dtype_name(spec, entry->dtype));
    json_t *record = NULL;
    return json_file_read(path, &record, NULL) == ASSAY_OK ? record : NULL;
}

static void judge_all(report_model *model)
{
    derive_methods(model);
    report_level_floors(model);
    json_t *module = NULL;
    const report_entry *last = NULL; /* entries of one module are neighbours */
    for (int i = 0; i < model->count; i++) {
        report_entry *entry = &model->entries[i];
        const int same = last && last->op == entry->op && last->dtype == entry->dtype &&
                         strcmp(last->name, entry->name) == 0;
        if (!same) {
            json_decref(module);
            module = entry->kind == REPORT_VARIANT ? read_module(model->ws, entry) : NULL;
        }
        judge(model, entry, module);
        derive_roof(model, entry);
        last = entry;
    }
    json_decref(module);
}

static void keep_newest(report_model *model, const char *time)
{
    if (strcmp(time, model->time) > 0)
        snprintf(model->time, sizeof model->time, "%s", time);
}

/* Card, commit and time of the report are those of the newest result, or verdict where nothing was timed. */
static void identify(report_model *model, int from_results)
{
    const char *newest = "";
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        const json_t *object = from_results ? entry->result : entry->verdict;
        const json_t *attempts = json_object_get(entry->verdict, "attempts");
        const char *time =
            from_results ? json_get_text(object, "time", "")
                         : json_get_text(json_array_get(attempts, json_array_size(attempts) - 1), "time", "");
        if (!object || (*model->device && strcmp(time, newest) <= 0))
            continue;
        newest = time;
        const json_t *device = json_object_get(object, "device"), *git = json_object_get(object, "git");
        snprintf(model->device, sizeof model->device, "%s", json_get_text(device, "name", "unknown device"));
        snprintf(model->slug, sizeof model->slug, "%s", json_get_text(device, "slug", ""));
        model->cpu = strcmp(json_get_text(device, "kind", ""), "cpu") == 0;
        snprintf(model->commit, sizeof model->commit, "%s", json_get_text(git, "commit", "unknown"));
        model->dirty = json_is_true(json_object_get(git, "dirty"));
        keep_newest(model, time);
    }
}

assay_status report_model_read(const workspace *ws, const char *results_dir, report_model *model,
                               assay_error *error)
{
    *model = (report_model){.ws = ws};
    snprintf(model->results, sizeof model->results, "%s", results_dir ? results_dir : ws->results);
    if (!*model->results)
        return assay_error_set(error, ASSAY_ERR_INVALID, "no results folder was given and no card is chosen");
    report_read_files(model);
    judge_all(model);
    identify(model, 1);
    if (!*model->device)
        identify(model, 0);
    if (model->file_count == 0 && model->unreadable_count == 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s: no results to report (no verify/*.json, no bench/*.json): run 'assay bench' first, or "
            "name another folder",
            model->results);
    return ASSAY_OK;
}

void report_model_release(report_model *model)
{
    for (int i = 0; i < model->count; i++) {
        json_decref(model->entries[i].verdict);
        json_decref(model->entries[i].result);
    }
    for (int i = 0; i < model->huge_count; i++)
        json_decref(model->huge[i].verdict);
    free(model->entries);
    free(model->huge);
    free(model->unreadable);
    *model = (report_model){0};
}

assay_status report_model_verdict(const report_model *model, assay_error *error)
{
    if (model->unreadable_count == 0)
        return ASSAY_OK;
    return assay_error_set(error, ASSAY_ERR_FORMAT, "%d file%s could not be read", model->unreadable_count,
                           model->unreadable_count > 1 ? "s" : "");
}

static int compare_key(const void *key, const void *entry)
{
    return report_entry_compare(key, entry);
}

const report_entry *report_find(const report_model *model, int op, const char *name, int dtype, int size)
{
    report_entry key = {.op = op, .dtype = dtype, .size = size};
    snprintf(key.name, sizeof key.name, "%s", name);
    for (int kind = REPORT_VARIANT; kind <= REPORT_BOUND; kind++) {
        key.kind = (report_kind)kind;
        const report_entry *found =
            bsearch(&key, model->entries, (size_t)model->count, sizeof *model->entries, compare_key);
        if (found)
            return found;
    }
    return NULL;
}

int report_has_time(const report_entry *entry, int figure)
{
    return entry && (entry->state == STATE_TIMED || entry->state == STATE_UNSTABLE) &&
           entry->figures[figure].present;
}

int report_op_has_files(const report_model *model, int op)
{
    for (int i = 0; i < model->count; i++)
        if (model->entries[i].op == op && (model->entries[i].verdict || model->entries[i].result))
            return 1;
    return 0;
}

const char *report_dtype_name(const opspec *spec, int dtype)
{
    const char *name = assay_dtype_name(spec->dtypes[dtype]);
    return name ? name : "?";
}

const char *report_display_name(const char *name)
{
    return strncmp(name, "peer_", 5) == 0 ? name + 5 : name;
}

int report_is_tf32(const report_entry *entry)
{
    return strcmp(json_get_text(entry->result, "math_mode", ""), "tf32") == 0;
}

int report_same_method(const report_entry *a, const report_entry *b, int figure)
{
    return strcmp(a->figures[figure].method, b->figures[figure].method) == 0;
}

int report_method_leads(const report_entry *a, const report_entry *b, int figure)
{
    const int usual_a = !*a->figures[figure].method, usual_b = !*b->figures[figure].method;
    if (usual_a != usual_b)
        return usual_a;
    return strcmp(json_get_text(a->result, "time", ""), json_get_text(b->result, "time", "")) > 0;
}

void report_method_words(const report_entry *entry, int figure, char *out, size_t bytes)
{
    method_of_figure(json_object_get(entry->result, "method"),
                     json_get_text(json_object_get(entry->result, "device"), "kind", ""),
                     report_figure_name(figure), out, bytes);
}

double report_ceiling_of(const report_model *model, const char *name)
{
    for (int i = 0; i < model->ceiling_count; i++)
        if (strcmp(model->ceilings[i].name, name) == 0)
            return model->ceilings[i].median;
    return NAN;
}

/* The largest rate that an op's arithmetic units allow by `rate_of`; NAN if none was measured. */
static double best_rate(const report_model *model, int op, int dtype, int tf32,
                        double (*rate_of)(const report_model *, const char *), const char **label)
{
    const opspec *spec = model->ws->ops[op].spec;
    roof_unit units[ROOF_MAX_UNITS];
    const int count = roof_rule_units(spec, spec->dtypes[dtype], tf32, units);
    double best = NAN;
    for (int i = 0; i < count; i++) {
        const double rate = rate_of(model, units[i].ceiling) / units[i].cost;
        if (!isfinite(rate) || rate <= best)
            continue;
        best = rate;
        *label = units[i].label;
    }
    return best;
}

double report_compute_roof(const report_model *model, int op, int dtype, int tf32, const char **name)
{
    const char *label = "";
    const double rate = best_rate(model, op, dtype, tf32, report_ceiling_of, &label);
    if (name)
        *name = label;
    return rate;
}

double report_bandwidth(const report_model *model, const char **name)
{
    const double copy = report_ceiling_of(model, "copy"), read = report_ceiling_of(model, "read");
    const int by_read = read > copy || !isfinite(copy);
    if (name)
        *name = by_read ? "read" : "copy";
    return by_read ? read : copy;
}

double report_roof_tflops(const report_model *model, int op, int dtype, int tf32, double intensity)
{
    const double compute = report_compute_roof(model, op, dtype, tf32, NULL);
    const double memory = report_bandwidth(model, NULL) * intensity * 1e-3;
    if (!isfinite(memory))
        return NAN;
    return isfinite(compute) && compute < memory ? compute : memory;
}
