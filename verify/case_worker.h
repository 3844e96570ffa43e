/* Judging one case inside a worker process: loads the module, opens the device, runs the checks, builds the verdict. */
#ifndef ASSAY_VERIFY_CASE_WORKER_H
#define ASSAY_VERIFY_CASE_WORKER_H

#include "verify/check.h"
#include "core/workspace.h"

enum { VERIFY_DEFAULT_SEED = 20260 };

typedef struct case_request {
    const char *workspace, *op, *variant, *dtype, *size; /* size: a size of op.json, or "edge" */
    int bare; /* instead of a size: the small size and the edge cases, once each and on bare memory (bare.h) */
    int unread;         /* with bare: do not read the outputs back */
    const char *module; /* record of a module outside the workspace, or NULL */
    uint64_t seed;
} case_request;

/* What a request stands for once everything is loaded. Close with case_close, also on failure. */
typedef struct case_setup {
    workspace *ws;
    const workspace_op *op;
    assay_dtype dtype;
    module_record record;
    assay_device *device;
    const assay_op_impl *impl;
    check_subject subject;
    truth_store *kept; /* for further variants, or NULL */
} case_setup;

/* Load everything but the module's library and the device. */
assay_status case_open(const case_request *request, case_setup *setup, assay_error *error);
/* Take another variant of the same op, dtype and size: everything but its module stays. */
assay_status case_change(const case_request *request, case_setup *setup, assay_error *error);
/* Open the device, unless it is open, and load the module. ASSAY_ERR_CHECK: the module does not compile or lacks its entry point. */
assay_status case_start(case_setup *setup, assay_error *error);
void case_close(case_setup *setup);

/* Keep inputs and references from now on. Without it a setup that judges one variant needs no memory for them. */
void case_keep_truths(case_setup *setup);

/* Judge the case that the setup was opened for or changed to. ASSAY_OK and a new verdict, whose status tells the outcome; else the
 * harness failed. */
assay_status case_judge_opened(const case_request *request, case_setup *setup, json_t **verdict,
                               assay_error *error);
/* Open, judge, close. */
assay_status case_judge(const case_request *request, json_t **verdict, assay_error *error);

#endif
