/* A kernel on exact-size allocations; see exact.h. */
#include "verify/exact.h"
#include "verify/inputs.h"
#include "verify/expected_output.h"
#include <stdio.h>
#include <string.h>

static assay_status run(const check_subject *subject, guarded_problem *guarded, const expected_output *t,
                        int unread, check_item *item, assay_error *error)
{
    uint64_t hash;
    const launch_mode mode = {.poison = GUARD_POISON_NAN, .unread = unread};
    const assay_status status = launch_kernel(subject, guarded, &t->host, &mode, item->reason, error);
    return status == ASSAY_OK && !unread
               ? check_outputs(subject, guarded, &t->host, t->scale, GUARD_POISON_NAN, item, &hash, error)
               : status;
}

static assay_status finish(check_report *report, check_item *item, assay_status status)
{
    item->passed = status == ASSAY_OK;
    if (status != ASSAY_ERR_CHECK && status != ASSAY_ERR_UNSUPPORTED)
        return status;
    report->verdict = status == ASSAY_ERR_CHECK ? CHECK_FAIL : CHECK_SKIPPED;
    report->unsupported = status == ASSAY_ERR_UNSUPPORTED;
    snprintf(report->reason, sizeof report->reason, "%s", item->reason);
    return ASSAY_OK;
}

static assay_status name_step(worker *w, const char *label, const char *name, assay_error *error)
{
    char text[ASSAY_NAME_MAX + 16];
    snprintf(text, sizeof text, "step: %s", label ? label : "");
    worker_name_step(w, label, name);
    return worker_add(w, (protocol_step){.kind = STEP_SAY, .bytes = (int64_t)strlen(text)}, text, error);
}

assay_status exact_check(const check_subject *subject, const assay_problem *shapes,
                         const check_options *options, check_report *report, assay_error *error)
{
    expected_output t = {0};
    guarded_problem guarded = {0};
    *report = (check_report){.deterministic = -1};
    check_item *item = check_begin(report, CHECK_EXACT_ALLOCATIONS);
    assay_status status = name_step(subject->worker, options->label, item->name, error);
    if (status == ASSAY_OK)
        status = expected_output_open(subject->impl, shapes, &t, error);
    if (status == ASSAY_OK)
        status = inputs_fill_widened(&t.host, subject->spec, shapes->dtype, options->seed, options->special,
                                     error);
    if (status == ASSAY_OK)
        status = expected_output_compute(subject->impl, &t, error);
    if (status == ASSAY_OK)
        status = guarded_open(subject->worker, subject->spec, shapes, GUARDED_EXACT, &guarded, error);
    if (status == ASSAY_OK)
        status = guarded_upload(&guarded, &t.host, error);
    if (status == ASSAY_OK)
        status = run(subject, &guarded, &t, options->unread, item, error);
    check_let_end(subject->worker);
    guarded_close(&guarded);
    expected_output_close(&t);
    return finish(report, item, status);
}
