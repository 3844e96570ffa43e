/* How times, states and paths read in Markdown and on the terminal. C locale throughout. */
#ifndef ASSAY_REPORT_REPORT_TEXT_H
#define ASSAY_REPORT_REPORT_TEXT_H

#include "report/report_rows.h"
#include "report/text_buffer.h"

/* "72.31", with as many decimals as make the number useful: three up to 10, two up to 100, one up to 1000.
 * "-" for NAN. */
void text_us(char *out, size_t bytes, double us);
/* "72.31 ± 0.05": the mean and half of its 95% interval, decimals by the interval. */
void text_us_interval(char *out, size_t bytes, const report_times *times);
/* Three significant digits with a unit prefix: "201 MB", "33.6 MFLOP". */
void text_scaled(char *out, size_t bytes, double value, const char *unit);
/* Three significant digits, without an exponent. */
void text_intensity(char *out, size_t bytes, double intensity);
/* "1.23x"; "0.998x" where two decimals would hide that it is below 1; "-" for NAN. */
void text_ratio(char *out, size_t bytes, double ratio);

/* What a table shows for an entry: a time, or the state in words with its reason, shortened to `limit`
 * characters of reason. `entry` may be NULL. */
void text_cell(char *out, size_t bytes, const report_entry *entry, timing_mode mode, int limit);
/* One word or two for a state: "failed", "does not compile"... */
const char *text_state(report_state state);

/* Copy with '|' escaped, line breaks as blanks, cut after `limit` characters (0: not cut) with an ellipsis. */
void text_markdown(char *out, size_t bytes, const char *text, int limit);

/* "M=256, N=256, causal=true": dimensions and parameters of a size as op.json has them for the device. */
void text_dims(char *out, size_t bytes, const report_model *model, int op, int size);
/* "baseline torch_eager", "v4_optimized", with the math mode where it is not the usual. */
void text_kernel(char *out, size_t bytes, const report_row *row);
/* "add.v4_optimized.f32.large", as files and commands name it. */
void text_case(char *out, size_t bytes, const report_model *model, const report_entry *entry);

/* The file `path` as seen from `folder`, with "../"; absolute where they share nothing but the root. Either
 * may be relative to the current folder. */
void text_relative(char *out, size_t bytes, const char *folder, const char *path);

/* Title and technique of a kernel file: the first line and the body of its head comment, the "Tunables:"
 * line left out. */
void text_head_comment(const char *source, text_buffer *title, text_buffer *technique);

#endif
