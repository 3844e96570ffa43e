/* Phase 3, first half: verdicts and attempts. */
#include "report/report_context.h"
#include "core/json_file.h"
#include "report/report_text.h"
#include <math.h>
#include <string.h>

static const opspec *spec_of(const report_model *model, int op)
{
    return model->ws->ops[op].spec;
}

/* The largest of a number over the checks of a verdict; NAN if no check has it. */
static double worst_of(const json_t *verdict, const char *key)
{
    size_t i;
    json_t *check;
    double worst = NAN;
    json_array_foreach(json_object_get(verdict, "checks"), i, check)
    {
        const double value = json_get_number(check, key, NAN);
        if (isfinite(value) && !(worst >= value))
            worst = value;
    }
    return worst;
}

static void verdict_cell(const report_entry *entry, char *out, size_t bytes)
{
    if (!entry || !entry->verdict) {
        snprintf(out, bytes, "%s",
                 entry && entry->state == STATE_NOT_COMPILED ? "does not compile" : "not run");
        return;
    }
    const char *status = json_get_text(entry->verdict, "status", "");
    if (strcmp(status, "pass") != 0 && strcmp(status, "fail") != 0) {
        snprintf(out, bytes, "%s", status);
        return;
    }
    const double ulp = worst_of(entry->verdict, "max_ulp"), ratio = worst_of(entry->verdict, "worst_ratio");
    size_t n = (size_t)snprintf(out, bytes, "%s", status);
    if (isfinite(ulp))
        n += (size_t)snprintf(out + n, bytes - n, ulp < 1e6 ? ", %.0f ULP" : ", %.1e ULP", ulp);
    if (isfinite(ratio))
        snprintf(out + n, bytes - n, ", %.3g", ratio);
}

static int attempts_of(const report_entry *entry)
{
    return entry && entry->verdict ? (int)json_array_size(json_object_get(entry->verdict, "attempts")) : 0;
}

static void put_row(const report_model *model, const report_entry *first, json_t *out)
{
    const opspec *spec = spec_of(model, first->op);
    json_t *row = context_add(out, "verify_rows");
    int attempts = 0;
    context_put(row, "kernel", "%s", first->name);
    context_put(row, "dtype", "%s", report_dtype_name(spec, first->dtype));
    for (int s = 0; s <= spec->size_count; s++) {
        const report_entry *entry = report_find(model, first->op, first->name, first->dtype, s);
        char cell[128];
        verdict_cell(entry, cell, sizeof cell);
        attempts += attempts_of(entry);
        context_put(context_add(row, "cells"), "text", "%s", cell);
    }
    json_object_set_new(row, "attempts", json_integer(attempts));
}

/* Every attempt that was not a pass, and one line for a verdict without a record of attempts. */
static void put_attempts(const report_model *model, const report_entry *entry, json_t *out)
{
    char name[256], reason[600];
    const json_t *attempts = json_object_get(entry->verdict, "attempts");
    const size_t count = json_array_size(attempts);
    text_case(name, sizeof name, model, entry);
    for (size_t i = 0; i < (count ? count : 1); i++) {
        const json_t *attempt = count ? json_array_get(attempts, i) : entry->verdict;
        const char *status = json_get_text(attempt, "status", "");
        if (strcmp(status, "pass") == 0)
            continue;
        text_markdown(reason, sizeof reason, json_get_text(attempt, "reason", ""), 160);
        json_t *item = context_add(out, "attempts");
        context_put(item, "case", "%s", name);
        json_object_set_new(item, "number", json_integer((json_int_t)i + 1));
        json_object_set_new(item, "count", json_integer((json_int_t)(count ? count : 1)));
        context_put(item, "time", "%s", json_get_text(attempt, "time", ""));
        context_put(item, "status", "%s", status);
        context_put(item, "reason", "%s", reason);
    }
}

/* 1 if a verdict on another size of the same kernel is of another source: then they say nothing of one another. */
static int is_of_another_source(const report_model *model, const report_entry *huge)
{
    const char *source = json_get_text(huge->verdict, "source_sha256", "");
    for (int s = 0; s <= spec_of(model, huge->op)->size_count; s++) {
        const report_entry *entry = report_find(model, huge->op, huge->name, huge->dtype, s);
        const char *other = entry ? json_get_text(entry->verdict, "source_sha256", source) : source;
        if (strcmp(source, other) != 0)
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
        const json_t *attempts = json_object_get(entry->verdict, "attempts");
        const size_t count = json_array_size(attempts);
        context_put(row, "time", "%s",
                    count ? json_get_text(json_array_get(attempts, count - 1), "time", "") : "");
        put_attempts(model, entry, out);
    }
    context_close_list(out, "huge");
}

void context_correctness(const report_model *model, int op, json_t *out)
{
    const opspec *spec = spec_of(model, op);
    const report_entry *last = NULL;
    for (int s = 0; s <= spec->size_count; s++)
        context_put(context_add(out, "verify_sizes"), "name", "%s",
                    s < spec->size_count ? spec->sizes[s].name : "edge cases");
    for (int i = 0; i < model->count; i++) {
        const report_entry *entry = &model->entries[i];
        if (entry->op != op || entry->kind != REPORT_VARIANT)
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
