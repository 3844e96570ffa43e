/* Checking a costly op's whole output without computing its whole reference: Freivalds' method plus sampled rows.
 *
 * Freivalds (1979): multiply output and expected output by a random sign vector x; a row of the output that is wrong gives a
 * residual r_i = |sum_j x_j (out_ij - ref_ij)| that is not small. The op computes r_i in O(size of the tensors).
 *
 * Threshold. If every element is within its own bound, |out_ij - ref_ij| <= b_ij, then x being independent of the errors
 * Hoeffding's inequality gives P(r_i > t) <= 2 exp(-t^2 / (2 sum_j b_ij^2)). With t = 8.9 ||b_i||, a right kernel fails one
 * row in 10^17. The bound itself is b_ij = atol + rtol |ref_ij| + stol scale_ij and half a unit in the last place, at most a
 * multiple of |ref_ij| that is taken into rtol here. |ref_ij| is at most (|out_ij| + atol + stol scale_ij) / (1 - rtol), and of the scales only their row sum m_i is known; we take sum_j scale_ij^2 <= 2 m_i^2 / n
 * (equality where they vary by as much as their mean; for products of random matrices they hardly vary). So
 *     ||b_i|| <= (sqrt(n) atol + rtol ||out_i|| + stol sqrt(2 / n) m_i) / (1 - rtol).
 * A tile or a row that is missing or misplaced is far above that; a single element that is off by little may not be, which
 * is what the sampled rows are for: first, last and random rows are compared element by element with the true reference. */
#ifndef ASSAY_VERIFY_SAMPLED_H
#define ASSAY_VERIFY_SAMPLED_H

#include "verify/compare.h"
#include "verify/launch.h"
#include "verify/expected_output.h"

/* Have the reference of the rows that `seed` picks in t->row_values. Contents that change make it void: set t->rows_known to 0. */
assay_status sampled_know_rows(const assay_op_impl *impl, expected_output *t, uint64_t seed,
                               assay_error *error);

/* Judge output 0 of the last run, knowing or computing the reference of its sampled rows. *result gets the statistics of the sampled rows. Status as launch_kernel. */
assay_status sampled_check(const check_subject *subject, guarded_problem *guarded, expected_output *t,
                           uint64_t seed, int poison, compare_result *result, uint64_t *hash,
                           char reason[LAUNCH_REASON_MAX], assay_error *error);

/* Compare the given rows of output 0 with the op's reference_rows, which reads the inputs of `host`. Status as launch_kernel. */
assay_status sampled_compare_rows(const check_subject *subject, guarded_problem *guarded,
                                  const assay_problem *host, const int64_t *rows, int64_t count,
                                  compare_result *result, char reason[LAUNCH_REASON_MAX], assay_error *error);

/* ||b_i|| times Hoeffding's factor for a row of n elements, whose output has the given norm and whose scales sum to
 * `magnitude`. */
double sampled_threshold(const opspec_tolerance *tolerance, assay_dtype dtype, int64_t n, double out_norm,
                         double magnitude);

/* Sorted, distinct row numbers: the first, the last and random ones between; returns how many (at most `most`). */
int64_t sampled_pick_rows(int64_t row_count, int64_t most, uint64_t seed, int64_t *rows);

#endif
