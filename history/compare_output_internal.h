/* Shared by the files of compare_output.h. */
#ifndef ASSAY_HISTORY_COMPARE_OUTPUT_INTERNAL_H
#define ASSAY_HISTORY_COMPARE_OUTPUT_INTERNAL_H

#include "history/compare_output.h"

/* "softmax v4_optimized bf16 large" with `between` as a blank, and mode or count behind it if it is not cold.
 */
void compare_case_name(const compare_case *c, const char *between, char *out, size_t bytes);
/* Of a time "7.86", "71.9", "1235"; of a count all digits, for it is exact; "-" for NAN. */
void compare_format_case_value(const compare_case *c, double value, char *out, size_t bytes);
/* "+2.1%", "-" for NAN. */
void compare_format_change(double ratio, char *out, size_t bytes);
/* The verdict for a reader: of a count "more" and "fewer" in place of "slower" and "faster". */
const char *compare_verdict_word(compare_verdict verdict, int counted);
/* "2 slower, 1 faster, 40 same, 3 inconclusive; 900 missing, 1 new" */
void compare_summary(const compare_report *report, char *out, size_t bytes);

/* What the numbers rest on: tests, runs, and what was done to them before they were judged. Items with
 * `between` in the middle. */
void compare_evidence(const compare_case *c, const char *between, char *out, size_t bytes);
/* "load 0.3 -> 2.4, SM clock 1980 -> 1755 MHz"; "" where nothing is known. */
void compare_machine(const machine_state *base, const machine_state *changed, char *out, size_t bytes);

void compare_write_markdown(const compare_report *report, int all, FILE *out);
void compare_write_junit(const compare_report *report, FILE *out);
void compare_write_json(const compare_report *report, FILE *out);

#endif
