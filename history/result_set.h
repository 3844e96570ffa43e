/* One side of a comparison: results from a file, a folder or the history, each with the midmeans of its
 * repetitions. Compares nothing. */
#ifndef ASSAY_HISTORY_RESULT_SET_H
#define ASSAY_HISTORY_RESULT_SET_H

#include "history/history.h"
#include "results/result.h"
#include <stdio.h>

typedef struct set_result {
    result *r;                         /* without samples */
    double *midmeans_us[TIMING_MODES]; /* of the repetitions of each mode (statistics/describe.h); NAN where
                                          one has no times */
} set_result;

typedef struct result_set {
    char label[4200]; /* what was given: path, or "commit 764557b7c863" */
    set_result *results;
    int count, capacity;
    int unreadable; /* files that could not be used; named in the messages */
    int borrowed;   /* the results belong to other sets */
} result_set;

void result_set_release(result_set *set);

/* Takes over `r`, also on failure. Midmeans come from its samples, else from its quantiles, else they are the
 * medians. */
assay_status result_set_add(result_set *set, result *r, assay_error *error);

/* Both sets' results under the label of the first. They stay the property of `a` and `b`, which must live as
 * long. */
assay_status result_set_join(const result_set *a, const result_set *b, result_set *out, assay_error *error);

/* All results below a file or folder. ASSAY_ERR_INVALID: not there, or no result in it. Unusable files are
 * counted, named in `messages` (may be NULL) and left out. */
assay_status result_set_load_path(const char *path, result_set *set, FILE *messages, assay_error *error);

/* All results in the history of the revision that begins with `commit`. ASSAY_ERR_INVALID: no such commit. */
assay_status result_set_load_commit(history *h, const char *commit, result_set *set, assay_error *error);

#endif
