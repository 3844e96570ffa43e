/* Pairing the results of two sets by case, and saying why a pair must not be compared. Inside the comparison only. */
#ifndef ASSAY_HISTORY_COMPARE_MATCH_H
#define ASSAY_HISTORY_COMPARE_MATCH_H

#include "history/compare.h"

/* The runs of one case on one side, borrowed from the set. */
typedef struct match_runs {
    const json_t **results;
    int count;
} match_runs;

typedef struct match_pair {
    match_runs base, changed; /* one may be empty */
    int same_card;            /* both hold runs of one card (UUID), and only those are left */
} match_pair;

typedef struct match_list {
    match_pair *pairs; /* owned, sorted by op, dtype, size, variant */
    int count;
    const json_t **base, **changed; /* storage of the runs */
} match_list;

/* All arms of the ops, dtypes and sizes asked for; which of them are to be compared says match_is_wanted(), the others may be controls.
 * Case: op, variant, dtype and size. Cards of which both sides have results are paired with themselves and the others' results stay alone;
 * without a common card all results of a case go together, which match_conflict will refuse. */
assay_status match_sets(const result_set *base, const result_set *changed, const compare_options *options,
                        match_list *list, assay_error *error);
void match_release(match_list *list);

/* 1 if the options ask for this variant or kind. */
int match_is_wanted(const match_pair *pair, const compare_options *options);

/* 1 and the reason if the runs differ in what makes times comparable and is not allowed to differ. */
int match_conflict(const match_pair *pair, unsigned allow, char *reason, size_t bytes);

#endif
