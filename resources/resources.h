/* What a compiled CUDA module needs of the hardware, known without a GPU: registers, spills, stack, shared memory, block size,
 * occupancy, code size and instruction mix of each kernel and architecture.
 *
 * Two halves. `resources_inspect` collects the metrics when a module is compiled (assay-module, `assay resources --source`); they
 * go into the module record as "resources" (docs/formats-programs.md). The rest only reads such an object: it needs no compiler, no ELF
 * library and no CUDA, so reports and checks work anywhere. */
#ifndef ASSAY_RESOURCES_H
#define ASSAY_RESOURCES_H

#include "core/workspace.h"
#include "resources/module_inspection.h"
#include <assay/status.h>
#include <jansson.h>

/* Collect the metrics of a module just compiled; the `inspect` of a module_request. Never fails: what could not be read is null
 * with a reason beside it. New reference. */
json_t *resources_inspect(const module_inspection *inspection);

/* The part of one architecture ("sm_90a": "summary" and "kernels"), borrowed, or NULL. */
const json_t *resources_of_arch(const json_t *resources, const char *arch);

/* The architecture whose code a card of compute capability "9.0" runs: the specific one (sm_90a) if it is there, else the newest of the
 * same major number that is not newer. NULL if there is none. Borrowed from `resources`. */
const char *resources_arch_for(const json_t *resources, const char *compute);

/* The summary of the architecture that a card runs, with "arch" in front, for its results; null where there are no metrics. New
 * reference. */
json_t *resources_for_card(const json_t *resources, const char *compute);

/* Limits that a budget of op.json may set on each kernel of a variant. */
enum { RESOURCES_LIMIT_COUNT = 6 };
extern const char *const resources_limit_names[RESOURCES_LIMIT_COUNT];

/* One kernel that needs more than its budget. */
typedef struct resources_excess {
    const char *arch, *kernel, *limit; /* borrowed */
    double value, budget;
} resources_excess;

/* Hold the metrics of one dtype against a variant's budget: {"sm_90a": {"registers": 128, "spill_bytes": 0, "f32": {"registers":
 * 168}}}, where a dtype's own limits replace those beside it. Architectures that were not compiled are not looked at; a limit
 * whose metric is not known is an excess with value NAN. Calls `each` for every excess and returns how many there are; `checked` gets
 * how many metrics were compared. */
int resources_check(const json_t *resources, const json_t *budget, const char *dtype,
                    void (*each)(void *context, const resources_excess *excess), void *context, int *checked);

/* "budgets.VARIANT" of an op's op.json, a new reference; *budget is NULL, and the status ASSAY_OK, where there is none. */
assay_status resources_read_budget(const workspace_op *op, const char *variant, json_t **budget,
                                   assay_error *error);

/* A budget that the metrics of a variant's dtypes keep: `by_dtype` is {"f32": resources, ...}. Spills, stack and warnings may not grow;
 * registers have an eighth of slack, rounded up to the unit in which they are given out. A dtype has limits of its own where it
 * needs more than another. New reference. */
json_t *resources_propose_budget(const json_t *by_dtype);

/* The metric that a limit is compared with, NAN where it is not known. */
double resources_metric(const json_t *kernel, const char *limit);

#endif
