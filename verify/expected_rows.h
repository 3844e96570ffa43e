/* Rows of a reference, and by them all of it, computed on several threads. */
#ifndef ASSAY_VERIFY_EXPECTED_ROWS_H
#define ASSAY_VERIFY_EXPECTED_ROWS_H

#include <assay/op.h>

/* impl->reference_rows() on several threads. Status of the first part that failed. */
assay_status expected_rows_share(const assay_op_impl *impl, const assay_problem *host, const int64_t *rows,
                                 int64_t count, double *ref, double *scale);

/* All of output 0, to the problem's own memory and `scale`. 1: done, status as above. 0: the op's reference() is to do it: there are no
 * rows, the work is not worth threads, or a row alone costs far more than its share (a softmax over another dimension than the last). */
int expected_rows_compute(const assay_op_impl *impl, const assay_problem *host, double *scale,
                          assay_status *status);

#endif
