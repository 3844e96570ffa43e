/* Judging a kernel on tensors with more than 2^31 elements, where an index that is held in 32 bits goes wrong.
 *
 * Full inputs, a full reference and a full comparison would take tens of GB of host memory and minutes. Instead:
 *   - inputs are periodic. One period, about 2^24 elements and an odd multiple of a page, is drawn and uploaded, and repeated on the
 *     device. As no power of two is a multiple of it, an element that is 2^31 or 2^32 away holds another value: an index that wraps
 *     around reads something else. On the host the one period is mapped again and again, so that the op's reference sees the
 *     whole tensor in the memory of one period (periodic.h);
 *   - of output 0, rows are compared with the op's reference_rows: those with the first and the last element, those around every
 *     mark (2^31 and 2^32), those that inputs' elements at the marks belong to if rows go with them in proportion, and random ones;
 *   - every 256th of the outputs, in pieces spread evenly, is searched for elements that were never written;
 *   - guard zones are checked as always, inputs in pieces.
 * The kernel runs once, on outputs poisoned with NaN; what else the runs of check.h find out does not depend on the size. */
#ifndef ASSAY_VERIFY_HUGE_H
#define ASSAY_VERIFY_HUGE_H

#include "verify/check.h"

enum { HUGE_MARKS = 4 };

typedef struct huge_options {
    uint64_t seed;
    const char *label;
    int64_t period_pages;      /* of the first input; later ones take the next odd numbers */
    int64_t marks[HUGE_MARKS]; /* element numbers around which rows are compared; 0 ends the list early */
} huge_options;

/* Periods of about 2^24 elements, marks at 2^31 and 2^32. */
huge_options huge_default_options(uint64_t seed, const char *label);

/* Judge a problem given by shapes. Status and report as check_problem(): skipped with need and have where memory is short. */
assay_status huge_check(const check_subject *subject, const assay_problem *shapes,
                        const huge_options *options, check_report *report, assay_error *error);

/* Sorted, distinct rows of output 0 to compare, at most `most`; returns how many. Exposed for tests. */
int huge_pick_rows(const assay_problem *shapes, const huge_options *options, int most, int64_t *rows);

#endif
