/* A comparison's report as text for a terminal, Markdown for a pull request, JSON and JUnit. Decides nothing.
 */
#ifndef ASSAY_HISTORY_COMPARE_OUTPUT_H
#define ASSAY_HISTORY_COMPARE_OUTPUT_H

#include "history/compare.h"
#include <stdio.h>

typedef enum compare_format { COMPARE_TEXT, COMPARE_MARKDOWN, COMPARE_JSON, COMPARE_JUNIT } compare_format;

/* `all`: text and Markdown list every case, not only what changed. `explain`: text has the evidence below
 * each line. Write errors are left in the stream. */
void compare_write(const compare_report *report, compare_format format, int all, int explain, FILE *out);

#endif
