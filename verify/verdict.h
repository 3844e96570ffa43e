/* The verdict of a case as JSON (docs/formats-results.md), put together from check reports. */
#ifndef ASSAY_VERIFY_VERDICT_H
#define ASSAY_VERIFY_VERDICT_H

#include "verify/check.h"
#include "core/workspace.h"

/* What a verdict is about. */
typedef struct verdict_subject {
    const char *op, *variant, *size;
    assay_dtype dtype;
    const assay_device_info *device; /* NULL where no device was opened */
    const char *source_sha256;
    uint64_t seed;
} verdict_subject;

/* A verdict without checks, status or reason yet. New reference. */
json_t *verdict_create(const verdict_subject *subject, const assay_problem *shapes, const opspec_dims *dims,
                       const opspec *spec);

/* Append a report's items to "checks"; `prefix` (an edge case's name) may be "". `required` 0: an extra that the kernel does not claim; what
 * fails of it says "required": false. */
void verdict_add_report(json_t *verdict, const char *prefix, const check_report *report, int required,
                        const opspec *spec);

/* Count an edge case of an extra in "extras": {NAME: {"claimed", "passed", "failed", "reason"}}, the reason of the first that failed. */
void verdict_add_extra(json_t *verdict, const char *name, int claimed, const char *edge,
                       const check_report *report);

/* Set "status", "reason" and "seconds". */
void verdict_finish(json_t *verdict, const char *status, const char *reason, double seconds);

/* 1 if the verdict holds whatever was judged before in the same process, and what follows it there is not in doubt either: a pass, and what
 * never ran (it does not compile, or refuses the problem). 0 for failures, and where memory was missing. */
int verdict_stands(const json_t *verdict);
/* 1 if the kernel failed by an error of the device: the kernel's fault, or the device is gone. */
int verdict_blames_device(const json_t *verdict);

const char *verdict_status_name(check_verdict verdict);

/* UTC, "2026-01-31T12:00:00Z". */
void verdict_time(char out[32]);

#endif
