/* Judging one case: its problems are run by a worker and compared here. A sized case is one problem; "edge" is every edge case of op.json
 * and the automatic ones. */
#ifndef ASSAY_VERIFY_CASE_H
#define ASSAY_VERIFY_CASE_H

#include "verify/check.h"
#include "core/workspace.h"

enum { VERIFY_DEFAULT_SEED = 20260 };

typedef struct case_request {
    const workspace *ws;
    const workspace_op *op;
    const char *variant;
    int outside; /* 1: a kernel from outside the tree, which runs the edge cases of every variant */
    assay_dtype dtype;
    const char *size; /* a size of op.json, "edge" or "huge" */
    int exact; /* instead of a size: the small size and the edge cases, once each and on exact-size allocations (exact.h) */
    int unread;                     /* with exact: do not read the outputs back */
    int every_check, first_failure; /* of verify_options */
    const char *edges;              /* likewise */
    uint64_t seed;
    const char *
        claims; /* the extras that a kernel from outside claims, comma-separated; NULL: as op.json says of the variant */
} case_request;

/* What the kernels of one op, dtype and size share. */
typedef struct case_setup {
    const assay_op_impl *impl;
    expected_store *kept; /* contents and their references for further kernels, or NULL */
} case_setup;

/* Load the op's reference. `keep`: there are several kernels, for which contents and references are kept. Close with case_close. */
assay_status case_open(const case_request *request, int keep, case_setup *setup, assay_error *error);
void case_close(case_setup *setup);

/* Where a case's module record lies, and the record. ASSAY_ERR_ENVIRONMENT: it is not built. */
assay_status case_find_record(const case_request *request, const char *module, module_record *record,
                              assay_error *error);

/* 1 if no kernel has to run for the verdict, which *verdict then is: the module does not compile, or the device does not have the size. */
int case_judge_unrun(const case_request *request, const module_record *record, json_t **verdict);

/* Judge the record's kernel in `w`. ASSAY_OK and a new verdict, also where the worker was lost over it; else the harness failed. */
assay_status case_judge(const case_request *request, const case_setup *setup, const module_record *record,
                        worker *w, json_t **verdict, assay_error *error);

#endif
