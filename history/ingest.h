/* Filling the history from result files. The same result twice is one row, and the same result with samples
 * replaces one without. */
#ifndef ASSAY_HISTORY_INGEST_H
#define ASSAY_HISTORY_INGEST_H

#include "history/history.h"
#include <stdio.h>

typedef struct ingest_options {
    const char *source; /* git tree asked for the commits' times and subjects; NULL: do not ask */
    FILE *messages;     /* one line for each unusable file; NULL: silent */
} ingest_options;

typedef struct ingest_summary {
    int files;      /* that hold results */
    int added;      /* new rows */
    int known;      /* were there already */
    int completed;  /* were there without their samples */
    int unreadable; /* broken, or of another schema; named in the messages */
    int snapshots;  /* ceilings and environments, new ones */
} ingest_summary;

/* `paths`: result files, and folders that are searched for them: files OP.NAME.DTYPE.SIZE.json outside
 * folders called `verify`, and `ceilings.json` and `env.json`. Written in batches, each a transaction: after
 * a kill what was committed stays, and running again goes on. ASSAY_ERR_INVALID: a path is not there or there
 * is no result in any. ASSAY_ERR_FORMAT: some files were unusable, all others are in. ASSAY_ERR_IO: the
 * database cannot be written. */
assay_status history_ingest(history *h, const char *const *paths, int count, const ingest_options *options,
                            ingest_summary *summary, assay_error *error);

#endif
