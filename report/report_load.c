/* Filling the model: what state each case is in, its share of the roofline bound, the card's identity. Formats nothing. */
#include "report/report_load.h"
#include "report/report_overhead.h"
#include "report/report_read.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

static void set_state(report_entry *entry, report_state state, const char *reason)
{
    entry->state = state;
    snprintf(entry->reason, sizeof entry->reason, "%s", reason);
    for (char *c = entry->reason; *c; c++) /* one line, whatever a kernel's message held */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
}

/* A verdict that is not a pass decides; 0 if there is none or it passed. */
static int judge_by_verdict(report_entry *entry, const char *status, const char *reason)
{
    char text[256];
    if (!*status || strcmp(status, "pass") == 0)
        return 0;
    snprintf(text, sizeof text, "%s%s%.200s", status, *reason ? ": " : "", reason);
    if (strcmp(status, "does not compile") == 0)
        set_state(entry, STATE_NOT_COMPILED, reason);
    else if (strcmp(status, "fail") == 0)
        set_state(entry, STATE_FAILED, reason);
    else if (strcmp(status, "crash") == 0 || strcmp(status, "timeout") == 0)
        set_state(entry, STATE_FAILED, text);
    else
        set_state(entry, STATE_NOT_TIMED, text);
    return 1;
}

/* 1 if the results are this workspace's own, not brought from elsewhere. */
static int is_own(const report_model *model)
{
    const size_t length = strlen(model->ws->results_base);
    return length > 0 && strncmp(model->results, model->ws->results_base, length) == 0 &&
           model->results[length] == '/';
}

/* 1 if the workspace's module is of another source now than the times are of. */
static int module_changed(const report_model *model, const report_entry *entry, const module_record *module)
{
    const char *then = entry->result->hashes.kernel;
    return is_own(model) && strcmp(entry->result->device.kind, model->ws->device) == 0 &&
           module->source_sha256[0] && then[0] && strcmp(module->source_sha256, then) != 0;
}

static void judge_timed(const report_model *model, report_entry *entry, const module_record *module)
{
    const result *r = entry->result;
    const char *then = r->hashes.kernel, *checked = entry->verdict ? entry->verdict->kernel_hash : "";
    if (strcmp(r->output_check, "fail") == 0)
        set_state(entry, STATE_WRONG_OUTPUT, "the output of the timed runs was wrong");
    else if (entry->kind == RESULT_VARIANT && !entry->verdict && strcmp(r->verdict.status, "pass") != 0)
        set_state(entry, STATE_NOT_TIMED, "it has times but no passing verdict");
    else if (*then && *checked && strcmp(then, checked) != 0)
        set_state(entry, STATE_STALE, "times and verdict are of different sources");
    else if (module_changed(model, entry, module))
        set_state(entry, STATE_STALE, "the source changed after it was timed");
    else
        set_state(entry, r->status == RESULT_OK ? STATE_TIMED : STATE_UNSTABLE, r->reason);
}

/* A kernel in Python is a variant of builds for a GPU alone (docs/triton.md), and its results are read by others, too. */
static int is_in_python(const workspace_op *op, const char *variant)
{
    char path[4400];
    snprintf(path, sizeof path, "%s/%s.py", op->spec->directory, variant);
    return access(path, F_OK) == 0;
}

/* 1 if the workspace has sources and the variant is not among them. A bundle has none, and lists the
 * variants it was made of. */
static int is_removed(const report_model *model, const report_entry *entry)
{
    const workspace_op *op = &model->ws->ops[entry->op];
    if (entry->kind != RESULT_VARIANT || !*model->ws->source)
        return 0;
    for (int i = 0; i < op->variant_count; i++)
        if (strcmp(op->variants[i], entry->name) == 0)
            return 0;
    return !is_in_python(op, entry->name);
}

static void judge(const report_model *model, report_entry *entry, const module_record *module)
{
    const result *r = entry->result;
    if (is_removed(model, entry))
        set_state(entry, STATE_REMOVED, "its source file is no longer there; delete its files or restore it");
    else if (r && r->status == RESULT_UNAVAILABLE)
        set_state(entry, STATE_UNAVAILABLE, r->reason);
    else if (entry->verdict && judge_by_verdict(entry, entry->verdict->status, entry->verdict->reason))
        return;
    else if (r && result_is_timed(r))
        judge_timed(model, entry, module);
    else if (strcmp(module->status, "does not compile") == 0)
        set_state(entry, STATE_NOT_COMPILED, "");
    else if (r && judge_by_verdict(entry, r->verdict.status, r->reason))
        return;
    else if (r)
        set_state(entry, STATE_NOT_TIMED, *r->reason ? r->reason : "no reason was recorded");
    else if (entry->verdict)
        set_state(entry, STATE_NOT_TIMED, "verified, not timed yet");
    else
        set_state(entry, STATE_MISSING, "");
}

/* Entries of one module are neighbours, so its record is read once. */
static void judge_all(report_model *model)
{
    module_record module = {0};
    const report_entry *last = NULL;
    for (int i = 0; i < model->count; i++) {
        report_entry *entry = &model->entries[i];
        if (!last || last->op != entry->op || last->dtype != entry->dtype || last->kind != entry->kind ||
            strcmp(last->name, entry->name) != 0) {
            const opspec *spec = model->ws->ops[entry->op].spec;
            char path[4608];
            module_record_release(&module);
            module = (module_record){0};
            snprintf(path, sizeof path, "%s/%s.%s.%s.json", model->ws->modules, spec->name, entry->name,
                     report_dtype_name(spec, entry->dtype));
            if (entry->kind == RESULT_VARIANT && module_record_read(path, &module, NULL) != ASSAY_OK)
                module = (module_record){0};
        }
        judge(model, entry, &module);
        last = entry;
    }
    module_record_release(&module);
}

/* The least time that an arithmetic rate in TFLOP/s and a bandwidth in GB/s allow; NAN without a bandwidth:
 * then there is no bound. A copy has no work, so an unknown rate does not matter to it. */
static double least_us(const result *r, double tflops, double gbs)
{
    const double memory_us = r->bytes / gbs * 1e-3;
    const double compute_us = r->flops > 0 && isfinite(tflops) ? r->flops / tflops * 1e-6 : 0.0;
    return isfinite(memory_us) && memory_us > 0 ? fmax(memory_us, compute_us) : NAN;
}

/* The share of the bound follows from the time and the ceilings, so it is derived here for all results
 * alike. Less time than the best ceilings allow is a measuring error; but not where caches may hold the
 * data, as those of a processor do: then the bound of memory is none, and there is no share of it. */
static void derive_roofline(const report_model *model, report_entry *entry)
{
    const result *r = entry->result;
    const int tf32 = report_is_tf32(entry);
    const double usual = least_us(r, report_compute_bound(model, entry->op, entry->dtype, tf32, NULL),
                                  report_bandwidth(model, NULL));
    const double least = least_us(r, report_possible_compute(model, entry->op, entry->dtype, tf32),
                                  report_possible_bandwidth(model));
    const int caches_hold_data = strcmp(r->device.kind, "cuda") != 0;
    for (int m = 0; m < TIMING_MODES; m++) {
        report_times *times = &entry->times[m];
        const int has_bound = !caches_hold_data && timing_mode_get((timing_mode)m)->has_bound;
        times->percent_of_roofline = 100 * usual / times->mean_us;
        times->above_roofline = has_bound && times->mean_us < least; /* false for NAN */
        if (!has_bound && times->percent_of_roofline > 100)
            times->percent_of_roofline = NAN;
    }
}

static void take_times(report_entry *entry)
{
    for (int m = 0; m < TIMING_MODES; m++) {
        const result_times *t = entry->result ? result_get(entry->result, (timing_mode)m) : NULL;
        entry->times[m] = t ? (report_times){t->mean_us, t->low_us, t->high_us, NAN, 0}
                            : (report_times){NAN, NAN, NAN, NAN, 0};
    }
}

static void set_device(report_model *model, const char *name, const char *slug, const char *kind,
                       const char *commit, int dirty)
{
    snprintf(model->device, sizeof model->device, "%s", *name ? name : "unknown device");
    snprintf(model->slug, sizeof model->slug, "%s", slug);
    snprintf(model->commit, sizeof model->commit, "%s", *commit ? commit : "unknown");
    model->cpu = strcmp(kind, "cpu") == 0;
    model->dirty = dirty;
}

/* Card, commit and time of the report are those of the newest result, or of the newest verdict where nothing
 * was timed. */
static void identify(report_model *model)
{
    const result *newest = NULL;
    const verdict_record *last = NULL;
    for (int i = 0; i < model->count; i++) {
        const result *r = model->entries[i].result;
        const verdict_record *v = model->entries[i].verdict;
        newest = r && (!newest || r->time > newest->time) ? r : newest;
        last = v && (!last || strcmp(verdict_record_time(v), verdict_record_time(last)) > 0) ? v : last;
    }
    if (newest) {
        set_device(model, newest->device.name, newest->device.slug, newest->device.kind, newest->commit,
                   newest->dirty);
        result_time_text(newest->time, model->time);
    } else if (last) {
        set_device(model, last->device_name, last->device_slug, last->device_kind, last->commit, last->dirty);
        snprintf(model->time, sizeof model->time, "%s", verdict_record_time(last));
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
    for (int i = 0; i < model->count; i++)
        take_times(&model->entries[i]);
    report_correct_overhead(model);
    for (int i = 0; i < model->count; i++)
        if (model->entries[i].result)
            derive_roofline(model, &model->entries[i]);
    identify(model);
    if (model->file_count == 0 && model->unreadable.count == 0)
        return assay_error_set(
            error, ASSAY_ERR_INVALID,
            "%s: no results to report (no verify/*.json, no bench/*.json): run 'assay bench' first, or "
            "name another folder",
            model->results);
    return ASSAY_OK;
}
