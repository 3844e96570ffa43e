/* Work that was counted while a case ran, and not timed: equal at every load and clock, so a difference is
 * the code's. Inside the comparison only. A new count is one line of the table in compare_counts.c and a fact
 * of that name among a result's counters. */
#ifndef ASSAY_HISTORY_COMPARE_COUNTS_H
#define ASSAY_HISTORY_COMPARE_COUNTS_H

#include "history/compare_pairs.h"

int count_kinds(void);
/* The sides were counted and not timed (assay count --out): every number is exact, and any more of it is more. */
int pair_is_counted(const case_pair *pair);
/* Count `kind` of one launch on both sides, the least over the runs; 0 if a side has none, both have 0, or the problem or
 * card model differs. */
int find_count(const case_pair *pair, int kind, double *base, double *changed);
/* Fills `c` as a count: slower for more, faster for less, by more than the part `matters` of it; below 0 the part of the kind. */
void judge_count(compare_case *c, int kind, double matters, double base, double changed);

#endif
