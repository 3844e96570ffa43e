/* See report_select.h. */
#include "report/report_select.h"
#include "results/describe_case.h"
#include "results/identity.h"
#include <stdio.h>
#include <string.h>

enum {
    OF_THE_CASE = IDENTITY_BIT(IDENTITY_DIMS) | IDENTITY_BIT(IDENTITY_PARAMS) |
                  IDENTITY_BIT(IDENTITY_INPUTS) | IDENTITY_EXPECTED,
    OF_ALL = IDENTITY_MACHINE | IDENTITY_BIT(IDENTITY_METHOD)
};

/* Of the present method before others, then the newest: its machine and method are those that count. */
static int leads(const result *a, const result *b)
{
    const int present_a = a->method.version == RESULT_METHOD_VERSION,
              present_b = b->method.version == RESULT_METHOD_VERSION;
    return present_a != present_b ? present_a : a->time > b->time;
}

static const result *find_lead(const report_model *model)
{
    const result *lead = NULL;
    for (int i = 0; i < model->count; i++) {
        const result *r = model->entries[i].result;
        if (r && (!lead || leads(r, lead)))
            lead = r;
    }
    return lead;
}

/* What would be measured now: today's problem, on the lead's machine, by the lead's method in its present
 * version. NULL without memory. `lead` may be NULL. */
static result *describe_today(const report_model *model, const report_entry *entry, const result *lead)
{
    const workspace_op *op = &model->ws->ops[entry->op];
    result *today = result_new();
    if (!today || describe_case(today, op, entry->name, 0, op->spec->dtypes[entry->dtype],
                                report_size_name(op->spec, entry->size),
                                lead ? lead->device.kind : model->ws->device, NULL) != ASSAY_OK) {
        result_free(today);
        return NULL;
    }
    if (lead) { /* lent: the lead lives longer */
        today->device = lead->device;
        today->host = lead->host;
        today->method = lead->method;
    }
    today->method.version = RESULT_METHOD_VERSION;
    return today;
}

static void note_case(report_model *model, const report_entry *entry, const char *what, const char *reason)
{
    const opspec *spec = model->ws->ops[entry->op].spec;
    char of[200];
    snprintf(of, sizeof of, "%s of %s at %s", what, spec->name, report_size_name(spec, entry->size));
    report_note *note = report_notes_add(&model->left_out, of, reason);
    if (note)
        note->op = entry->op;
}

/* Another machine or method is one reason for all its results; else what the case's problem differs in. */
static int is_result_out(report_model *model, const report_entry *entry, const result_identity *today)
{
    result_identity own;
    char words[480] = "";
    int out = 0;
    if (identity_of(entry->result, TIMING_COLD, &own, NULL) != ASSAY_OK)
        return 0;
    if (identity_compare(&own, today, OF_ALL, " instead of ", words, sizeof words)) {
        report_notes_add(&model->left_out, "result", words);
        out = 1;
    } else if (identity_compare(&own, today, OF_THE_CASE, " instead of ", words, sizeof words)) {
        note_case(model, entry, "result", words);
        out = 1;
    }
    identity_release(&own);
    return out;
}

/* A verdict of another reference or op.json, or of an unknown one, says nothing of today's problem. */
static int is_verdict_out(report_model *model, const report_entry *entry, const result_hashes *today)
{
    const verdict_record *v = entry->verdict;
    const int reference = strcmp(v->reference_hash, today->reference) != 0;
    const int op_json = strcmp(v->op_json_hash, today->op_json) != 0;
    if (reference || op_json)
        note_case(model, entry, "verdict",
                  reference ? "of another or an unknown reference.c; `assay verify` makes new ones"
                            : "of another or an unknown op.json; `assay verify` makes new ones");
    return reference || op_json;
}

/* Of one op, dtype and size. */
static void select_size(report_model *model, int first, int end, int size, const result *lead)
{
    result *today = NULL;
    result_identity identity = {0};
    for (int i = first; i < end; i++) {
        report_entry *entry = &model->entries[i];
        if (entry->size != size || (!entry->result && !entry->verdict))
            continue;
        if (!today && !((today = describe_today(model, entry, lead)) &&
                        identity_of(today, TIMING_COLD, &identity, NULL) == ASSAY_OK))
            break;
        if (entry->result && is_result_out(model, entry, &identity)) {
            if (entry->result != lead)
                result_free((result *)entry->result);
            entry->result = NULL;
        }
        if (entry->verdict && is_verdict_out(model, entry, &today->hashes)) {
            verdict_record_free((verdict_record *)entry->verdict);
            entry->verdict = NULL;
        }
    }
    identity_release(&identity);
    result_free(today);
}

static int is_kept(const report_model *model, const result *r)
{
    for (int i = 0; i < model->count; i++)
        if (model->entries[i].result == r)
            return 1;
    return 0;
}

void report_select(report_model *model)
{
    const result *lead = find_lead(model);
    for (int o = 0; o < model->ws->op_count; o++)
        for (int d = 0; d < model->ws->ops[o].spec->dtype_count; d++) {
            int first, end;
            report_range(model, o, d, &first, &end);
            for (int s = 0; s <= model->ws->ops[o].spec->size_count; s++)
                select_size(model, first, end, s, lead);
        }
    if (lead && !is_kept(model, lead))
        result_free((result *)lead);
}
