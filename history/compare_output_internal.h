/* Shared by the files of compare_output.h. */
#ifndef ASSAY_HISTORY_COMPARE_OUTPUT_INTERNAL_H
#define ASSAY_HISTORY_COMPARE_OUTPUT_INTERNAL_H

#include "history/compare_output.h"

/* "softmax.v4_optimized.bf16.large", and the figure behind it if it is not cold. */
void compare_case_name(const compare_case *c, char *out, size_t bytes);
/* "71.92", "-" for NAN. */
void compare_format_us(double us, char *out, size_t bytes);
/* "+2.13%", "-" for NAN. */
void compare_format_change(double ratio, char *out, size_t bytes);

/* What was done to the numbers before they were judged, and the reason; one line, "" for nothing. */
void compare_remark(const compare_case *c, char *out, size_t bytes);

void compare_write_markdown(const compare_report *report, int all, FILE *out);
void compare_write_junit(const compare_report *report, FILE *out);

#endif
