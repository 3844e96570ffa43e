/* Candidates on the CPU device before they cost GPU time: see screen.h. */
#include "tune/evaluate/screen.h"
#include "build_module/compile.h"
#include "build_module/tuned_module.h"
#include "core/json_file.h"
#include "core/process.h"
#include "tune/evaluate/evaluate_internal.h"
#include "verify/verify.h"
#include <stdio.h>
#include <string.h>

static const char *const screened[] = {"small", "edge"};
enum { SCREENED = sizeof screened / sizeof *screened };

assay_status screen_open(const char *build, workspace **cpu, assay_error *error)
{
    const assay_status status = workspace_open(build, cpu, error);
    if (status != ASSAY_OK)
        return status;
    if (strcmp((*cpu)->device, "cpu") != 0 ||
        !json_is_object(json_object_get((*cpu)->manifest, "checked_toolchain"))) {
        workspace_close(*cpu);
        *cpu = NULL;
        return assay_error_set(error, ASSAY_ERR_INVALID,
                               "%s: a build for the CPU device without sanitizers is expected", build);
    }
    workspace_use_slug(*cpu, "cpu-simt");
    return ASSAY_OK;
}

/* The watched module of a candidate; 0 if there is none. */
static int make_module(const workspace *cpu, const workspace_op *op, assay_dtype dtype,
                       const tuned_variant *tuned, char *record, size_t bytes, assay_error *error)
{
    char source[4400];
    tuned_defines defines;
    module_record made;
    snprintf(record, bytes, "%s/checked/%s.%s.%s.json", cpu->path, op->spec->name, tuned->name,
             assay_dtype_name(dtype));
    snprintf(source, sizeof source, "%s/%s.cu", op->spec->directory, tuned->variant);
    module_request request = {.op = op, .source = source, .dtype = dtype, .record = record, .checked = 1};
    tuned_module_request(tuned, &defines, &request);
    if (module_compile(cpu, &request, &made, error) != ASSAY_OK)
        return 0;
    const int compiled = strcmp(made.status, "ok") == 0;
    module_record_release(&made);
    return compiled;
}

static void take_verdict(const workspace *cpu, const tune_subject *subject, const char *size,
                         tune_candidate *c)
{
    char path[4600];
    json_t *verdict = NULL;
    snprintf(path, sizeof path, "%s/checked/verify/%s.%s.%s.%s.json", cpu->results, subject->op->spec->name,
             c->tuned.name, assay_dtype_name(subject->dtype), size);
    if (json_file_read(path, &verdict, NULL) != ASSAY_OK)
        return;
    const char *status = json_get_text(verdict, "status", ""), *reason = json_get_text(verdict, "reason", "");
    if (strcmp(status, "fail") == 0 || strcmp(status, "crash") == 0)
        evaluate_fail(c, EVALUATION_FAILED_CORRECTNESS, "on the CPU device, %s: %s", size, reason);
    else if (strcmp(status, "timeout") == 0)
        evaluate_fail(c, EVALUATION_TIMEOUT, "on the CPU device, %s: %s", size, reason);
    json_decref(verdict);
}

assay_status screen_batch(workspace *cpu, const tune_subject *subject, tune_candidate *batch, int count,
                          double limit_s, assay_error *error)
{
    char records[EVALUATE_MOST][4400];
    const char *modules[EVALUATE_MOST];
    int of[EVALUATE_MOST], made = 0;
    const workspace_op *op = workspace_find_op(cpu, subject->op->spec->name);
    verify_summary summary = {0};
    assay_error own = {0};
    if (!op)
        return assay_error_set(error, ASSAY_ERR_INVALID, "%s has no op %s", cpu->path,
                               subject->op->spec->name);
    for (int i = 0; i < count && !process_interrupted(); i++) {
        if (batch[i].done || !batch[i].source_sha256[0] ||
            !make_module(cpu, op, subject->dtype, &batch[i].tuned, records[made], sizeof records[made], &own))
            continue;
        of[made] = i;
        modules[made] = records[made];
        made++;
    }
    if (made == 0 || process_interrupted())
        return own.status == ASSAY_OK ? ASSAY_OK : assay_error_set(error, own.status, "%s", own.message);
    const case_filter filter = {.sizes = "small,edge"};
    const verify_options options = {
        .quiet = 1, .checked = 1, .modules = modules, .module_count = made, .time_limit_s = limit_s};
    const assay_status status = verify_run(cpu, &filter, &options, &summary, error);
    verify_summary_release(&summary);
    for (int i = 0; i < made && status == ASSAY_OK && !process_interrupted(); i++)
        for (int s = 0; s < SCREENED && !batch[of[i]].done; s++)
            take_verdict(cpu, subject, screened[s], &batch[of[i]]);
    return status;
}
