/* Reading a results folder: files each verdict and result under its entry. Derives nothing. */
#include "report/report_read.h"
#include "core/json_file.h"
#include "report/report_select.h"
#include "results/results_folder.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file is named after its case; a line of an archive, "bench/add.jsonl:7", is not. */
static int is_named_after(const char *file, const result_case *id, char *expected, size_t bytes)
{
    const char *base = file_base_name(file);
    const size_t length = strlen(base);
    result_file_name(id, expected, bytes);
    return length < 5 || strcmp(base + length - 5, ".json") != 0 || strcmp(expected, base) == 0;
}

/* Set the indices of the op, dtype and size that a case names. 0 and a reason if this workspace cannot place
 * it. */
static int place(const workspace *ws, const result_case *id, const char *file, report_entry *out,
                 char *reason, size_t bytes)
{
    char expected[4 * ASSAY_NAME_MAX];
    const workspace_op *op = workspace_find_op(ws, id->op);
    if (!is_named_after(file, id, expected, sizeof expected))
        return snprintf(reason, bytes, "its content speaks of %s: renamed or damaged", expected), 0;
    if (!op)
        return snprintf(reason, bytes, "the workspace has no op '%s'", id->op), 0;
    *out = (report_entry){.op = (int)(op - ws->ops), .kind = id->kind, .dtype = -1, .size = -1};
    snprintf(out->name, sizeof out->name, "%s", id->name);
    for (int i = 0; i < op->spec->dtype_count; i++)
        if (op->spec->dtypes[i] == id->dtype)
            out->dtype = i;
    if (strcmp(id->size, "edge") == 0)
        out->size = op->spec->size_count;
    if (strcmp(id->size, "huge") == 0)
        out->size = REPORT_HUGE;
    for (int i = 0; i < op->spec->size_count; i++)
        if (strcmp(op->spec->sizes[i].name, id->size) == 0)
            out->size = i;
    if (out->dtype < 0)
        return snprintf(reason, bytes, "op.json of '%s' has no dtype '%s'", id->op,
                        assay_dtype_name(id->dtype)),
               0;
    if (out->size < 0)
        return snprintf(reason, bytes, "op.json of '%s' has no size '%s'", id->op, id->size), 0;
    return 1;
}

static int append(report_entry **list, int *count, int *capacity, const report_entry *entry)
{
    if (*count == *capacity) {
        const int larger = *capacity ? 2 * *capacity : 256;
        report_entry *grown = realloc(*list, (size_t)larger * sizeof *grown);
        if (!grown)
            return 0;
        *list = grown;
        *capacity = larger;
    }
    (*list)[(*count)++] = *entry;
    return 1;
}

static int add_entry(report_model *model, const report_entry *entry)
{
    return entry->size == REPORT_HUGE ? append(&model->huge, &model->huge_count, &model->huge_capacity, entry)
                                      : append(&model->entries, &model->count, &model->capacity, entry);
}

/* Why a result that has a place cannot be used; "" if it can. */
static void check_result(const report_entry *entry, const result *r, char *reason, size_t bytes)
{
    *reason = '\0';
    if (entry->size == REPORT_HUGE)
        snprintf(reason, bytes, "large-tensor checks are never timed");
    else if (result_is_timed(r) && !result_has(r, TIMING_COLD))
        snprintf(reason, bytes, "status is '%s' but there is no time of the mode cold",
                 result_status_name(r->status));
}

static void take_result(report_model *model, const results_item *item)
{
    result *r = item->result;
    report_entry entry;
    char reason[512];
    if (place(model->ws, &r->id, item->name, &entry, reason, sizeof reason))
        check_result(&entry, r, reason, sizeof reason);
    entry.result = r;
    if (*reason)
        report_notes_add(&model->unreadable, item->name, reason);
    if (!*reason && add_entry(model, &entry))
        model->file_count++;
    else
        result_free(r);
}

static int place_verdict(const report_model *model, const verdict_record *v, const char *file,
                         report_entry *entry, char *reason, size_t bytes)
{
    result_case id;
    result_split_name(v->name, 0, &id);
    snprintf(id.op, sizeof id.op, "%s", v->op);
    snprintf(id.size, sizeof id.size, "%s", v->size);
    if (!assay_dtype_parse(v->dtype, &id.dtype))
        return snprintf(reason, bytes, "unknown dtype '%s'", v->dtype), 0;
    return place(model->ws, &id, file, entry, reason, bytes);
}

static void take_verdict(report_model *model, const results_item *item)
{
    report_entry entry;
    char reason[512];
    verdict_record *v = verdict_record_read(item->verdict, reason, sizeof reason);
    const int usable = v && place_verdict(model, v, item->name, &entry, reason, sizeof reason);
    entry.verdict = v;
    if (!usable)
        report_notes_add(&model->unreadable, item->name, reason);
    if (usable && add_entry(model, &entry))
        model->file_count++;
    else
        verdict_record_free(v);
}

/* Of shapes and values by hand or drawn, of kernels from outside, of watched runs: they lie apart, and no table of the op's sizes has them. */
static int lies_apart(const char *name)
{
    static const char *const folders[] = {"configurations/", "outside/", "checked/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(name, folders[i], strlen(folders[i])) == 0)
            return 1;
    return 0;
}

static void release_item(results_item *item)
{
    if (item->kind == RESULTS_RESULT)
        result_free(item->result);
    else if (item->kind == RESULTS_VERDICT)
        json_decref(item->verdict);
}

static assay_status take_item(void *context, results_item *item, assay_error *error)
{
    report_model *model = context;
    (void)error;
    if (lies_apart(item->name))
        release_item(item);
    else if (item->kind == RESULTS_RESULT)
        take_result(model, item);
    else if (item->kind == RESULTS_VERDICT)
        take_verdict(model, item);
    else {
        /* a line number reads better with the word */
        char reason[512];
        snprintf(reason, sizeof reason, "%s%s",
                 item->reason[0] >= '0' && item->reason[0] <= '9' ? "line " : "", item->reason);
        report_notes_add(&model->unreadable, item->name, reason);
    }
    return ASSAY_OK;
}

static void take_ceilings(report_model *model, const json_t *root)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(root, "ceilings"), i, item)
    {
        const double median = json_get_number(item, "median", NAN);
        if (model->ceiling_count == REPORT_MAX_CEILINGS || !(median > 0))
            continue;
        report_ceiling *c = &model->ceilings[model->ceiling_count++];
        snprintf(c->name, sizeof c->name, "%s", json_get_text(item, "name", ""));
        snprintf(c->unit, sizeof c->unit, "%s", json_get_text(item, "unit", ""));
        c->median = median;
        c->low = json_get_number(item, "min", NAN);
        c->high = json_get_number(item, "max", NAN);
        c->theoretical = json_get_number(item, "theoretical", NAN);
        c->possible = fmax(median, fmax(c->high, c->theoretical));
    }
}

static void read_ceilings(report_model *model)
{
    char path[4608];
    json_t *root = NULL;
    assay_error error = {0};
    snprintf(path, sizeof path, "%s/ceilings.json", model->results);
    if (access(path, F_OK) != 0)
        return;
    if (json_file_read(path, &root, &error) != ASSAY_OK)
        report_notes_add(&model->unreadable, "ceilings.json",
                         strlen(error.message) > strlen(path) ? error.message + strlen(path) + 1 : "");
    else if (json_get_number(root, "schema", 0) != 1)
        report_notes_add(&model->unreadable, "ceilings.json", "not schema 1");
    else
        take_ceilings(model, root);
    json_decref(root);
}

/* A case of the workspace that no file speaks of still has a row. */
static void add_known_cases(report_model *model)
{
    for (int o = 0; o < model->ws->op_count; o++) {
        const workspace_op *op = &model->ws->ops[o];
        for (int v = 0; v < op->variant_count; v++)
            for (int d = 0; d < op->spec->dtype_count; d++)
                for (int s = 0; s < op->spec->size_count; s++) {
                    if (!opspec_variant_has_dtype(op->spec, op->variants[v], op->spec->dtypes[d]))
                        continue;
                    report_entry entry = {.op = o, .kind = RESULT_VARIANT, .dtype = d, .size = s};
                    snprintf(entry.name, sizeof entry.name, "%s", op->variants[v]);
                    add_entry(model, &entry);
                }
    }
}

static int compare(const void *a, const void *b)
{
    return report_entry_compare(a, b);
}

/* One entry a case: it has the verdict and the result; of several results, which lie in several folders, the
 * newest. */
static void merge(report_entry *to, const report_entry *from)
{
    if (from->verdict) {
        verdict_record_free((verdict_record *)to->verdict);
        to->verdict = from->verdict;
    }
    if (from->result && (!to->result || from->result->time >= to->result->time)) {
        result_free((result *)to->result);
        to->result = from->result;
    } else
        result_free((result *)from->result);
}

static void sort_and_merge(report_model *model)
{
    int kept = 0;
    if (model->count > 0)
        qsort(model->entries, (size_t)model->count, sizeof *model->entries, compare);
    for (int i = 0; i < model->count; i++) {
        if (kept && report_entry_compare(&model->entries[kept - 1], &model->entries[i]) == 0)
            merge(&model->entries[kept - 1], &model->entries[i]);
        else
            model->entries[kept++] = model->entries[i];
    }
    model->count = kept;
    if (model->huge_count > 0)
        qsort(model->huge, (size_t)model->huge_count, sizeof *model->huge, compare);
}

void report_read_files(report_model *model)
{
    /* a folder that is not there has no results: report_model_read() says so */
    results_each(model->results, RESULTS_WITH_RESULTS | RESULTS_WITH_VERDICTS, RESULT_LOAD_SUMMARY, take_item,
                 model, NULL);
    read_ceilings(model);
    add_known_cases(model);
    sort_and_merge(model);
    report_select(model);
}
