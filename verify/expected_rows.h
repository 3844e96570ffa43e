/* Rows of a reference, and by them all of it, computed on several threads. */
#ifndef ASSAY_VERIFY_EXPECTED_ROWS_H
#define ASSAY_VERIFY_EXPECTED_ROWS_H

#include "verify/expected_output.h"

/* impl->reference_rows() on several threads. Status of the first part that failed. */
assay_status expected_rows_share(const assay_op_impl *impl, const assay_problem *host, const int64_t *rows,
                                 int64_t count, double *ref, double *scale);

/* 1: computed by the op's reference_rows, with the status of the first part that failed in *status. 0: the op's reference() is to do it: there
 * are no rows, the work is not worth threads, or a row alone costs far more than its share (a softmax over another dimension than the last). */
int expected_rows_compute(const assay_op_impl *impl, expected_output *t, assay_status *status);

#endif
