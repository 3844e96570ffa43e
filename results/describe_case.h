/* Filling a result with what is known before anything is timed: the same code for a result that bench
 * writes and for the one that a result on disk is held against (identity.h). Reads op.json's values, a
 * module's record and the machine; times nothing. */
#ifndef ASSAY_RESULTS_DESCRIBE_CASE_H
#define ASSAY_RESULTS_DESCRIBE_CASE_H

#include "core/workspace.h"
#include "results/result.h"

/* Case, problem and the hashes of reference and op.json. `full_name` is the variant's or the baseline's
 * with its prefix. Dimensions are those of the device's kind. A reference without a hash beside it (built
 * by an older version) leaves that one "". */
assay_status describe_case(result *r, const workspace_op *op, const char *full_name, int unranked,
                           assay_dtype dtype, const char *size, const char *device_kind, assay_error *error);

/* What the module was made of: toolchain, tunables, hash of the kernel. */
void describe_module(result *r, const module_record *module);
void describe_device(result *r, const assay_device_info *info);
/* This machine, and its load at this moment. */
void describe_host(result *r);

/* The hash of reference.c with its headers, which the build writes beside the shared object; "" if it is
 * not there. */
void reference_hash(const workspace_op *op, char out[65]);

#endif
