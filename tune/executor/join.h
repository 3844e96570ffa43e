/* Joining what several machines measured: the results folder of one into that of another. */
#ifndef ASSAY_TUNE_EXECUTOR_JOIN_H
#define ASSAY_TUNE_EXECUTOR_JOIN_H

#include "tune/archive/archive.h"

typedef struct join_counts {
    archive_merge_counts archive;  /* of all cards together */
    long files_added, files_known; /* results and verdicts; known: `into` has them as new or newer */
} join_counts;

/* Add what lies in `from`, a folder with a folder for each card, to the folder `into`: archives by archive_merge(), results and verdicts
 * where the one that is there is older. In any order and any number of times. Cards stay apart. ASSAY_ERR_INVALID: no results there. */
assay_status join_results(const char *from, const char *into, join_counts *counts, assay_error *error);

#endif
