/* Results in few files: an archive OP.jsonl holds the results (in a folder `bench`) or the verdicts (in a
 * folder `verify`) of one op, one a line. results_folder.h reads archives as it reads single files; for
 * results that are kept, such as the committed reference. */
#ifndef ASSAY_RESULTS_RESULTS_ARCHIVE_H
#define ASSAY_RESULTS_RESULTS_ARCHIVE_H

#include "results/result_file.h"
#include <jansson.h>

typedef struct results_archive results_archive;

/* Archives below FOLDER; nothing is written before results_archive_close(). NULL without memory. */
results_archive *results_archive_open(const char *folder);
/* Append a line; lines keep the order in which they come. With RESULT_LOAD_SAMPLES samples or quantiles
 * are kept. */
assay_status results_archive_add(results_archive *archive, const result *r, result_load load,
                                 assay_error *error);
/* A verdict; its op is a member of it. */
assay_status results_archive_add_verdict(results_archive *archive, const json_t *verdict, assay_error *error);
/* Write all archives, each atomically, and free. `write` 0: free only, after a failure. *files (may be
 * NULL) gets how many were written. */
assay_status results_archive_close(results_archive *archive, int write, int *files, assay_error *error);

#endif
