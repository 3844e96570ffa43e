/* Shared by the files of targets; not for others. */
#ifndef ASSAY_BENCH_TARGETS_INTERNAL_H
#define ASSAY_BENCH_TARGETS_INTERNAL_H

#include "report/targets/targets.h"

typedef struct row_rule { /* what a row of the file says of all its cells */
    const char *variant, *figure;
    int tf32; /* the math mode that kernel and peers must have: that of the dtype */
} row_rule;

typedef struct peer_rule {
    const json_t *names; /* NULL: all */
    int tf32;
} peer_rule;

/* "28.19 us", "1628 us", "21302 us": four digits, never an exponent. `out` has 24 bytes. */
void targets_time_text(double us, char *out);

/* A new cell at the end, NULL without memory. */
target_cell *targets_add_cell(target_list *list);

/* The condition's kind, wanted value and text; 0 if it has not exactly one kind. */
int targets_read_condition(const json_t *condition, target_cell *cell);
void targets_judge(const report_model *model, target_cell *cell, const json_t *condition,
                   const row_rule *rule);

/* One cell an op and dtype, with its worst size. */
assay_status targets_add_least_ratio(const report_model *model, const json_t *rule, target_list *list,
                                     assay_error *error);

/* "v4" means v4 and all that start with v4_. */
int targets_is_variant(const char *name, const char *wanted);
int targets_is_at(const report_entry *entry, const target_cell *cell);

typedef int (*targets_wanted)(const report_entry *entry, const void *context);

/* The fastest entry of a cell that counts and is wanted; `context` is a row_rule for targets_is_own, a peer_rule for targets_is_peer. Of entries
 * by several methods only those by the one that leads (report_model.h). */
const report_entry *targets_fastest(const report_model *model, const target_cell *cell, int figure,
                                    targets_wanted wanted, const void *context);
/* The fastest of those that were timed by `own`'s method; if there is none, the fastest of all, so that the reason can be named. */
const report_entry *targets_fastest_against(const report_model *model, const target_cell *cell, int figure,
                                            targets_wanted wanted, const void *context,
                                            const report_entry *own);
int targets_is_own(const report_entry *entry, const void *context);
int targets_is_peer(const report_entry *entry, const void *context);

int targets_took_turns(const report_entry *own, const report_entry *other);

/* measured = scale * the other's time / own time, and what it is compared with. */
void targets_compare_times(target_cell *cell, const report_entry *own, const report_entry *other, int figure,
                           double scale);

#endif
