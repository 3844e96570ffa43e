/* An archive as files for other tools, and T4 files as candidates of an archive. */
#ifndef ASSAY_TUNE_ARCHIVE_EXPORT_H
#define ASSAY_TUNE_ARCHIVE_EXPORT_H

#include "tune/archive/archive.h"
#include <jansson.h>
#include <stdio.h>

typedef enum archive_format {
    ARCHIVE_CSV,  /* RFC 4180: timestamp, name (OP.VARIANT.DTYPE.SIZE), ms, tflops, status, config (JSON) */
    ARCHIVE_JSON, /* an array of objects with everything but the long texts */
    ARCHIVE_T4    /* results[]: what benchmark hubs and Kernel Tuner read; both names of each time */
} archive_format;

/* 1 and *format for "csv", "json" or "t4". */
int archive_format_parse(const char *name, archive_format *format);

/* All candidates that match, oldest first, streamed. *rows (may be NULL) is their number. */
assay_status archive_export(archive *a, const archive_filter *filter, archive_format format, FILE *out,
                            long *rows, assay_error *error);

/* One candidate as JSON, long texts included where they are not "". New reference. */
json_t *archive_candidate_json(const archive_run *run, const archive_candidate *c);

/* The rows of a T4 file as one ended run of `problem`. Importing the same file twice adds nothing: the run's identifier is
 * a hash of the file. *added is the number of new candidates. ASSAY_ERR_FORMAT names file and row. */
assay_status archive_import_t4(archive *a, const char *path, const archive_problem *problem, long *added,
                               assay_error *error);

#endif
