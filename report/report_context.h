/* Builds the JSON objects that the templates are rendered with. Internal to report/. */
#ifndef ASSAY_REPORT_REPORT_CONTEXT_H
#define ASSAY_REPORT_REPORT_CONTEXT_H

#include "report/report_rows.h"
#include <jansson.h>

/* Set a printf-style text at a key. */
void context_put(json_t *object, const char *key, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* Append a new object to the array at `key` (made if it is not there); the reference is borrowed. */
json_t *context_add(json_t *object, const char *key);
/* Make sure that an array is at `key`, so that a template may use an empty list. Sets has_KEY to whether it
 * has items. */
void context_close_list(json_t *object, const char *key);

/* device, time, commit, dirty, cpu: what every report begins with. */
void context_identity(const report_model *model, json_t *out);

/* Everything that templates/op_log.md may name. `roofline` is the plot's path relative to the log, or "".
 * New reference. */
json_t *context_op_log(const report_model *model, int op, const char *roofline);

/* The parts of it, one a file. */
void context_analysis(const report_model *model, int op, json_t *out);
void context_kernels(const report_model *model, int op, json_t *out);
void context_correctness(const report_model *model, int op, json_t *out);
void context_benchmark(const report_model *model, int op, json_t *out);
void context_environment(const report_model *model, int op, json_t *out);

/* Times that cannot be taken at face value (above the roofline bound, unstable, stale, wrong output), one
 * line each, as list "flags", and results that are not shown, as list "left_out". op < 0: all ops. */
void context_flags(const report_model *model, int op, json_t *out);

#endif
