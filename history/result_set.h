/* One side of a comparison: result documents from a file, a folder or the history, reduced to what a comparison needs. */
#ifndef ASSAY_HISTORY_RESULT_SET_H
#define ASSAY_HISTORY_RESULT_SET_H

#include "history.h"
#include <stdio.h>

typedef struct result_set {
    char label[4200]; /* what was given: path, or "commit 764557b7c863" */
    json_t **
        results; /* owned; `assay` objects whose repetitions have `location_us` (compare_stats.h) instead of samples */
    int count, capacity;
    int unreadable; /* files that could not be used; named in the messages */
} result_set;

void result_set_release(result_set *set);

/* Reduce an `assay` object in place: every repetition gets `location_us` and loses its samples. */
void result_reduce(json_t *assay);

/* Takes over `assay`, also on failure. */
assay_status result_set_add(result_set *set, json_t *assay, assay_error *error);

/* Everything below a file or folder. ASSAY_ERR_INVALID: not there, or no result in it. Unusable files are counted, named in `messages`
 * (may be NULL) and left out. */
assay_status result_set_load_path(const char *path, result_set *set, FILE *messages, assay_error *error);

/* Everything in the history of the revision that begins with `commit`. ASSAY_ERR_INVALID: no such commit. */
assay_status result_set_load_commit(history *h, const char *commit, result_set *set, assay_error *error);

#endif
