/* Result files of cases that are not measured: refused, crashed, timed out. */
#include "bench/plan/plan.h"
#include "core/json_file.h"
#include "results/case_verdict.h"
#include "results/identity.h"
#include <stdio.h>
#include <string.h>

static void name_case(const planned_group *g, const char *variant, assay_case *c)
{
    *c = (assay_case){.op = g->op, .dtype = g->dtype};
    snprintf(c->variant, sizeof c->variant, "%s", variant);
    snprintf(c->size, sizeof c->size, "%s", g->size);
}

int planned_module(const plan *p, const planned_group *g, const char *variant, module_record *record)
{
    assay_case c;
    char path[4400];
    name_case(g, variant, &c);
    case_module_path(p->ws, &c, path, sizeof path);
    memset(record, 0, sizeof *record);
    return module_record_read(path, record, NULL) == ASSAY_OK;
}

/* 1 if the file there says the same of the same already, so that its time stays that of the finding. */
static int says_the_same(const result_group *common, const bench_record *record)
{
    char path[4400];
    result *there = NULL;
    result_path(common, record->name, path, sizeof path);
    if (result_read_file(path, RESULT_LOAD_SUMMARY, &there, NULL) != ASSAY_OK)
        return 0;
    result *now = result_begin(common, record, NULL);
    const int same = now && strcmp(result_status_name(there->status), record->status) == 0 &&
                     strcmp(there->reason, record->reason) == 0 &&
                     result_differs(there, now, TIMING_MODES, IDENTITY_FRESH, "", NULL, 0) == 0;
    result_free(now);
    result_free(there);
    return same;
}

static assay_status write_record(const plan *p, const planned_group *g, const bench_record *record,
                                 assay_error *error)
{
    const result_group common = {.ws = p->ws,
                                 .op = g->op,
                                 .dtype = g->dtype,
                                 .size = g->size,
                                 .device = &p->device,
                                 .method = &g->method};
    return says_the_same(&common, record) ? ASSAY_OK : result_write(&common, record, error);
}

assay_status untimed_result_write(const plan *p, const planned_group *g, const char *name, const char *status,
                                  const char *reason, assay_error *error)
{
    bench_record record = {.mode_count = 0};
    module_record module;
    const char *baseline = result_baseline_in(name);
    const int has_module = !baseline && planned_module(p, g, name, &module);
    case_verdict verdict = {.status = ""};
    assay_case c;
    snprintf(record.name, sizeof record.name, "%s", name);
    record.kind = !baseline                       ? RESULT_VARIANT
                  : strcmp(baseline, "copy") == 0 ? RESULT_UNRANKED_BASELINE
                                                  : RESULT_BASELINE;
    snprintf(record.math_mode, sizeof record.math_mode, "%s",
             g->dtype == ASSAY_TF32 || strstr(name, "tf32") ? "tf32" : "ieee");
    record_set_status(&record, status, "%s", reason);
    if (has_module) {
        name_case(g, name, &c);
        record.module = &module;
        case_verdict_read(p->ws, &c, &module, &verdict);
        record.verdict = verdict.document;
    }
    const assay_status written = write_record(p, g, &record, error);
    case_verdict_release(&verdict);
    if (has_module)
        module_record_release(&module);
    return written;
}

assay_status untimed_result_refuse(const plan *p, const planned_group *g, const char *variant,
                                   assay_error *error)
{
    module_record module;
    assay_case c;
    case_verdict verdict = {.status = "missing"};
    char reason[RECORD_REASON_MAX];
    const int has_module = planned_module(p, g, variant, &module);
    if (has_module) {
        name_case(g, variant, &c);
        case_verdict_read(p->ws, &c, &module, &verdict);
        case_verdict_explain(&verdict, reason, sizeof reason);
        module_record_release(&module);
    } else {
        snprintf(reason, sizeof reason,
                 "correctness: missing: the module was not built; build it and run assay verify");
    }
    case_verdict_release(&verdict);
    return untimed_result_write(p, g, variant, "not timed", reason, error);
}
