/* Results as files and texts: one reader and one writer. The keys are in docs/formats-results.md. */
#ifndef ASSAY_RESULTS_RESULT_FILE_H
#define ASSAY_RESULTS_RESULT_FILE_H

#include "results/result.h"

/* Reports need no samples, which are nine tenths of a file and of the time of reading it. */
typedef enum result_load { RESULT_LOAD_SUMMARY, RESULT_LOAD_SAMPLES } result_load;

/* Read a file. *out is owned by the caller. ASSAY_ERR_FORMAT with file and key: broken JSON, another
 * schema, an unknown status, kind, dtype or mode, a dimension that is negative or too large, a name that
 * could not be part of a file's name, a time that is none. Safe to call from several threads once
 * json_object_seed() was called. */
assay_status result_read_file(const char *path, result_load load, result **out, assay_error *error);
/* The same for a text in memory; `where` is what messages call it. */
assay_status result_read_text(const char *text, size_t bytes, const char *where, result_load load,
                              result **out, assay_error *error);

/* Write FILE atomically, with Google Benchmark's report where the result has one. */
assay_status result_write_file(const char *path, const result *r, assay_error *error);
/* Put the result's counters into the file at PATH, which stays as it is otherwise: samples and Google
 * Benchmark's report are not loaded for it. */
assay_status result_write_counters(const char *path, const result *r, assay_error *error);
/* One line without newline, without Google Benchmark's report; what result_read_text() reads. malloc'ed.
 * Without samples: the repetitions keep their means, medians, health and counts. */
assay_status result_write_text(const result *r, result_load load, char **text, size_t *bytes,
                               assay_error *error);

/* A method as text, equal for equal methods, and back. The candidates that it alternated with are left
 * out: they change when a variant is added. ASSAY_ERR_FORMAT for a text that is none. */
assay_status result_method_text(const result_method *method, char **text, assay_error *error);
assay_status result_method_parse(const char *text, result_method *out, assay_error *error);

/* Dims, parameters as text with sorted names: equal for equal problems, "{}" for none. malloc'ed, NULL
 * without memory. */
char *result_dims_text(const result_problem *problem);
char *result_params_text(const result_problem *problem);

#endif
