/* How a result was measured, in words: what makes the times of one kernel differ though nothing of the kernel does. One rule for
 * comparisons, which refuse two results of two methods, for trends and exports, which keep methods apart, and for reports and targets, which
 * set a kernel against none but results of its own method. `method` is the object of that name in a result (docs/formats.md); what else it
 * holds (repetitions, lengths, `cold_rotation`: one place in memory or the mean over many) makes times more or less certain, not other. */
#ifndef ASSAY_CORE_METHOD_WORDS_H
#define ASSAY_CORE_METHOD_WORDS_H

#include <jansson.h>
#include <stddef.h>

enum { METHOD_LABEL_BYTES = 96 };

/* Of a whole result, the usual included: "flush by memset, cold launches alone in the queue, clock locked at 1500 MHz". */
void method_words(const json_t *method, char *out, size_t bytes);

/* Of one figure on a device of one kind, only what is not usual and bears on it: "flush by reading, in batches of 40, clock locked at 1500
 * MHz"; "" for flushing by memset, launches alone in the queue and a clock that is free. As far as the method goes, two times of a figure
 * may be compared where these are equal. */
void method_label(const json_t *method, const char *device_kind, const char *figure, char *out, size_t bytes);
/* Of one figure, the usual included: "flush by memset, launches in batches of 40", "launches alone in the queue" of `cold_read`, "clock not
 * locked" of a figure that nothing else bears on. For readers; method_label() decides. */
void method_of_figure(const json_t *method, const char *device_kind, const char *figure, char *out,
                      size_t bytes);

#endif
