/* Pairing the results of two sets by case, and saying why a pair must not be compared. Inside the comparison
 * only. */
#ifndef ASSAY_HISTORY_COMPARE_PAIRS_H
#define ASSAY_HISTORY_COMPARE_PAIRS_H

#include "history/comparison.h"

/* The runs of one case on one side, borrowed from the set. */
typedef struct case_runs {
    const set_result **results;
    int count;
} case_runs;

typedef struct case_pair {
    case_runs base, changed; /* one may be empty */
    int same_card;           /* both hold runs of one card (UUID), and only those are left */
} case_pair;

typedef struct pair_list {
    case_pair *pairs; /* owned, sorted by op, dtype, size, name */
    int count;
    const set_result **base, **changed; /* storage of the runs */
} pair_list;

/* All candidates of the ops, dtypes and sizes asked for; pair_is_wanted() says which of them are to be
 * compared, the others may be controls. Cards of which both sides have results are paired with themselves and
 * the others' results stay alone; without a common card all results of a case go together, which
 * pair_conflict() will refuse. */
assay_status pair_sets(const result_set *base, const result_set *changed, const compare_options *options,
                       pair_list *list, assay_error *error);
void pair_list_release(pair_list *list);

/* 1 if the options ask for this variant or kind. */
int pair_is_wanted(const case_pair *pair, const compare_options *options);

/* A result of the pair: the first of BASE, else of NEW. */
const result *pair_any(const case_pair *pair);
/* The side that is NEW's if `side` is not 0. */
const case_runs *pair_side(const case_pair *pair, int side);

/* The parts of `mask` (identity.h) in which a run differs from the first, and in `words` (may be NULL) how; 0
 * if none does. */
unsigned pair_differs(const case_pair *pair, timing_mode mode, unsigned mask, char *words, size_t bytes);

/* 1 and the reason if the runs differ in what makes times of a mode comparable and is not allowed to differ.
 */
int pair_conflict(const case_pair *pair, timing_mode mode, unsigned allow, char *reason, size_t bytes);

/* 1 if all runs have the same machine code (by its hash, or else by those of source, compiler and flags), or a
 * baseline's version, and what else decides a time of the mode is equal, too. */
int pair_is_unchanged(const case_pair *pair, timing_mode mode);

/* Two results of one op, dtype and size. */
int same_problem(const result *a, const result *b);

#endif
