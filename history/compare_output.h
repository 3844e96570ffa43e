/* A comparison's report as text for a terminal, Markdown for a pull request, JSON and JUnit. Decides nothing. */
#ifndef ASSAY_HISTORY_COMPARE_OUTPUT_H
#define ASSAY_HISTORY_COMPARE_OUTPUT_H

#include "history/compare.h"
#include <stdio.h>

typedef enum compare_format { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_JSON, COMPARE_JUNIT } compare_format;

/* `all`: text and Markdown list unchanged cases too. Write errors are left in the stream. */
void compare_write(const compare_report *report, compare_format format, int all, FILE *out);

/* "2 slower, 1 faster, 40 same, 3 inconclusive; 1 new" */
void compare_summary(const compare_report *report, char *out, size_t bytes);

#endif
