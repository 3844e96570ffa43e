/* One side of a comparison: result documents from a file, a folder or the history, reduced to what a comparison needs. */
#ifndef ASSAY_HISTORY_RESULT_SET_H
#define ASSAY_HISTORY_RESULT_SET_H

#include "history/history.h"
#include <stdio.h>

typedef struct result_set {
    char label[4200]; /* what was given: path, or "commit 764557b7c863" */
    json_t **results; /* owned; reduced, see result_reduce() */
    int count, capacity;
    int unreadable; /* files that could not be used; named in the messages */
} result_set;

void result_set_release(result_set *set);

/* What a comparison needs of an `assay` object, a tenth of it: the case, what makes it comparable, and of each figure `locations`, those of
 * its repetitions' samples (statistics/describe.h) in microseconds, `turns`, their places in the order of all arms' turns (-1: not known), and `reasons`, all clock event reasons met. Takes over `assay`; new reference.
 */
json_t *result_reduce(json_t *assay);

/* Takes over `assay`, also on failure. */
assay_status result_set_add(result_set *set, json_t *assay, assay_error *error);

/* Both sets' results, under the label of the first. */
assay_status result_set_join(const result_set *a, const result_set *b, result_set *out, assay_error *error);

/* Everything below a file or folder. ASSAY_ERR_INVALID: not there, or no result in it. Unusable files are counted, named in `messages`
 * (may be NULL) and left out. */
assay_status result_set_load_path(const char *path, result_set *set, FILE *messages, assay_error *error);

/* Everything in the history of the revision that begins with `commit`. ASSAY_ERR_INVALID: no such commit. */
assay_status result_set_load_commit(history *h, const char *commit, result_set *set, assay_error *error);

#endif
