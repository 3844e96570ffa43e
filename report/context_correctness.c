/* The correctness section of an op's log: verdicts and the history of attempts. */
#include "report/report_context.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

static void verdict_cell(const report_entry *entry, char *out, size_t bytes)
{
    const verdict_record *v = entry ? entry->verdict : NULL;
    if (!v) {
        snprintf(out, bytes, "%s",
                 entry && entry->state == STATE_NOT_COMPILED ? "does not compile" : "not run");
        return;
    }
    size_t n = (size_t)snprintf(out, bytes, "%s", v->status);
    if (!verdict_record_is(v, "pass") && !verdict_record_is(v, "fail"))
        return;
    if (isfinite(v->max_ulp))
        n += (size_t)snprintf(out + n, bytes - n, v->max_ulp < 1e6 ? ", %.0f ULP" : ", %.1e ULP", v->max_ulp);
    if (isfinite(v->worst_ratio))
        snprintf(out + n, bytes - n, ", %.3g", v->worst_ratio);
}

/* A row of a kernel and dtype; none if no file speaks of it. `first` is the first of its entries. */
static void put_row(const report_model *model, const report_entry *first, json_t *out)
{
    const opspec *spec = spec_of(model, first->op);
    int attempts = 0, any = 0;
    json_t *row = json_object();
    context_put(row, "kernel", "%s", first->name);
    context_put(row, "dtype", "%s", report_dtype_name(spec, first->dtype));
    for (int s = 0; s <= spec->size_count; s++) {
        const report_entry *entry =
            report_find(model, first->op, first->dtype, RESULT_VARIANT, first->name, s);
        char cell[128];
        verdict_cell(entry, cell, sizeof cell);
        any |= entry && (entry->verdict || entry->state == STATE_NOT_COMPILED);
        attempts += entry && entry->verdict ? entry->verdict->attempt_count : 0;
        context_put(context_add(row, "cells"), "text", "%s", cell);
    }
    json_object_set_new(row, "attempts", json_integer(attempts));
    if (any)
        json_array_append(json_object_get(out, "verify_rows"), row);
    json_decref(row);
}

/* Every attempt that was not a pass. */
static void put_attempts(const report_model *model, const report_entry *entry, json_t *out)
{
    char name[256], reason[600];
    const verdict_record *v = entry->verdict;
    text_case(name, sizeof name, model, entry);
    for (int i = 0; i < v->attempt_count; i++) {
        const verdict_attempt *attempt = &v->attempts[i];
        if (strcmp(attempt->status, "pass") == 0)
            continue;
        text_markdown(reason, sizeof reason, attempt->reason, 160);
        json_t *item = context_add(out, "attempts");
        context_put(item, "case", "%s", name);
        json_object_set_new(item, "number", json_integer(i + 1));
        json_object_set_new(item, "count", json_integer(v->attempt_count));
        context_put(item, "time", "%s", attempt->time);
        context_put(item, "status", "%s", attempt->status);
        context_put(item, "reason", "%s", reason);
    }
}

/* 1 if a verdict on another size of the same kernel is of another source: then they say nothing of one
 * another. */
static int is_of_another_source(const report_model *model, const report_entry *huge)
{
    for (int s = 0; s <= spec_of(model, huge->op)->size_count; s++) {
        const report_entry *entry = report_find(model, huge->op, huge->dtype, RESULT_VARIANT, huge->name, s);
        if (entry && entry->verdict && strcmp(huge->verdict->kernel_hash, entry->verdict->kernel_hash) != 0)
            return 1;
    }
    return 0;
}

static void put_huge(const report_model *model, int op, json_t *out)
{
    for (int i = 0; i < model->huge_count; i++) {
        const report_entry *entry = &model->huge[i];
        char cell[128];
        if (entry->op != op)
            continue;
        json_t *row = context_add(out, "huge");
        verdict_cell(entry, cell, sizeof cell);
        context_put(row, "kernel", "%s", entry->name);
        context_put(row, "dtype", "%s", report_dtype_name(spec_of(model, op), entry->dtype));
        context_put(row, "text", "%s%s", cell,
                    is_of_another_source(model, entry) ? " (of another source than the other sizes)" : "");
        context_put(row, "time", "%s", verdict_record_time(entry->verdict));
        put_attempts(model, entry, out);
    }
    context_close_list(out, "huge");
}

void context_correctness(const report_model *model, int op, json_t *out)
{
    const opspec *spec = spec_of(model, op);
    const report_entry *last = NULL;
    int first, end;
    report_range(model, op, -1, &first, &end);
    for (int s = 0; s <= spec->size_count; s++)
        context_put(context_add(out, "verify_sizes"), "name", "%s",
                    s < spec->size_count ? spec->sizes[s].name : "edge cases");
    json_object_set_new(out, "verify_rows", json_array());
    for (int i = first; i < end; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->kind != RESULT_VARIANT)
            continue;
        if (!last || last->dtype != entry->dtype || strcmp(last->name, entry->name) != 0)
            put_row(model, entry, out);
        last = entry;
        if (entry->verdict)
            put_attempts(model, entry, out);
    }
    put_huge(model, op, out);
    context_close_list(out, "verify_rows");
    context_close_list(out, "attempts");
}
