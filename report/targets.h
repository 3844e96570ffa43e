/* Targets: what the best kernels should reach, relative to a copy of the same bytes and to the best baseline
 * of the same run. The rules are one table in targets.c, the same for every card. Reads results through the
 * report's model, so a time that a report would not count (stale, unstable, above its roofline bound, of a
 * wrong output) does not count here. */
#ifndef ASSAY_REPORT_TARGETS_H
#define ASSAY_REPORT_TARGETS_H

#include "report/report_rows.h"
#include <jansson.h>

typedef enum target_verdict {
    TARGET_MET,
    TARGET_MISSED,
    TARGET_NOT_MEASURED,
    TARGET_VERDICTS
} target_verdict;

/* A rule at one op, dtype and size. */
typedef struct target {
    int op, dtype, size;
    const char *rule; /* ">= 97% of a copy" */
    timing_mode mode;
    const report_entry *kernel, *against; /* the fastest kernel; the copy or best baseline. NULL: none */
    double ratio;                         /* time of `against` over the kernel's; NAN: not measured */
    target_verdict verdict;
    char reason[256]; /* why it was not measured */
} target;

typedef struct target_list {
    target *items; /* in the order of ops, dtypes, rules and sizes */
    int count, capacity;
    int counts[TARGET_VERDICTS];
    int without_results; /* op x dtype of which nothing was measured: not among the items */
} target_list;

/* Judge every case of the filter's ops, dtypes and sizes. The model must outlive the list. Release also
 * after a failure. ASSAY_ERR_INVALID: the results are of the CPU device. */
assay_status targets_judge(const report_model *model, const case_filter *filter, target_list *list,
                           assay_error *error);
void targets_release(target_list *list);

/* A line a rule, op and dtype with its worst size, or, with `all`, a line a size; as aligned columns or as
 * Markdown. Ends with the counts. */
void targets_print(const report_model *model, const target_list *list, int all, int markdown, FILE *out);
/* {"device", "commit", "time", "met", "missed", "not_measured", "targets": [...]}. New reference. */
json_t *targets_json(const report_model *model, const target_list *list);

#endif
