/* Budgets of counts: "budgets.VARIANT.counts" of op.json beside those of registers and spills, {"sectors_per_request": 16,
 * "shared_conflicts": 0, "bf16": {"sectors_per_request": 8}}, where a dtype's own limits replace those beside it. They hold at the op's
 * size `small`, on the architecture that the device ptx stands for when nothing else is asked. */
#ifndef ASSAY_COUNTS_BUDGET_H
#define ASSAY_COUNTS_BUDGET_H

#include "counts/counts.h"

/* The limits of a variant; a new reference, NULL with ASSAY_OK where it has none. */
assay_status counts_budget_read(const workspace_op *op, const char *variant, json_t **budget,
                                assay_error *error);

typedef struct counts_excess {
    const char *limit; /* a name of counts_figure_names */
    double value, budget;
    const char *file; /* the line with the most of it, borrowed from the counts; NULL: there is none */
    uint32_t line;
} counts_excess;

/* Calls `each` for every figure over its limit and returns how many there are; *checked gets how many figures were compared. A figure that
 * says nothing (no requests) keeps any limit. */
int counts_budget_check(const case_counts *counts, const json_t *budget, const char *dtype,
                        void (*each)(void *context, const counts_excess *excess), void *context,
                        int *checked);

/* Limits that these counts keep: instructions with an eighth of slack for another release of the compiler, the rest as counted. New
 * reference. */
json_t *counts_budget_propose(const case_counts *counts);

#endif
