/* The verdict of a case as `assay verify` wrote it. This is the one place in report/ that knows the keys of
 * a verdict's file. */
#ifndef ASSAY_REPORT_VERDICT_RECORD_H
#define ASSAY_REPORT_VERDICT_RECORD_H

#include <assay/status.h>
#include <jansson.h>

typedef struct verdict_attempt {
    const char *time, *status, *reason;
} verdict_attempt;

/* Texts are never NULL and belong to the verdict. */
typedef struct verdict_record {
    const char *op, *name, *dtype, *size;
    const char *status, *reason, *rerun;
    const char *kernel_hash, *reference_hash, *op_json_hash; /* "" in files that do not say */
    const char *device_kind, *device_name, *device_uuid, *device_slug, *driver, *runtime, *commit;
    int dirty;
    double max_ulp,
        worst_ratio; /* the largest of all checks; the error as a part of its bound. NAN: no check has it */
    int attempt_count;
    verdict_attempt *attempts; /* oldest first */
    json_t *root;
} verdict_record;

/* Takes over `root`. NULL, with a reason in one line, if it is no verdict of this schema. */
verdict_record *verdict_record_read(json_t *root, char *reason, size_t reason_bytes);
void verdict_record_free(verdict_record *v);

int verdict_record_is(const verdict_record *v, const char *status); /* 0 for NULL */
const char *verdict_record_time(const verdict_record *v);           /* of the last attempt; "" if unknown */

#endif
