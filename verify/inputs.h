/* Test inputs: seeded, equal on every machine and device, in the case's dtype, with patterns of special values.
 *
 * Tensor t of a problem takes its values from stream t of random.h and its special positions from stream t + 64, so
 * that one tensor's content does not depend on another's shape. Values are rounded to the tensor's dtype to nearest
 * even. Nothing is ever all zeros: zeros make a wrong kernel look right. */
#ifndef ASSAY_VERIFY_INPUTS_H
#define ASSAY_VERIFY_INPUTS_H

#include "core/opspec.h"

/* Fill the already allocated host input tensors of `problem` by the distributions of op.json ("normal": mean 0,
 * variance 1; "uniform": [-1, 1)). `special` is NULL or "" for that alone, or puts a pattern on top:
 *   nonfinite    about one element in 512 becomes NaN (of either sign, with a payload), +inf or -inf, and each of the three at least once where there
 *                is room: sparse, so that most rows of a product stay finite and are still compared
 *   denormal     every second element, by counter, is subnormal in the dtype
 *   signed_zero  half of the elements are zeros of either sign
 *   zeros_nonfinite  both: zeros meet infinities, which makes NaN of a product that a kernel may leave out
 *   special_pairs  of inputs 0 and 1 every pair meets of inf, -inf, NaN, 0, -0, 1 and the largest finite value
 *                of either sign
 *   huge         magnitudes from half the largest finite value up to it, either sign
 *   overflowing_squares  input 0 times 2^66 (not in f16): its squares are beyond binary32, its values far from it
 *   opposite_scales  inputs 0, 2, .. times 2^-124, inputs 1, 3, .. times 2^124 (f16: 2^-13 and 2^13)
 *   opposite_scales_reversed  input 0 times 2^124, input 1 times 2^-124 (f16: 2^13 and 2^-13)
 *   masked_rows  of the first input's rows along the last dimension, row 3i is entirely -inf and row 3i + 1 has -inf
 *                in about half of its places
 *   large_mean   10000 is added to every element
 *   outliers     of the first input's rows along the last dimension, 300 is added to the first element of row 3i and -10000 to
 *                the last one of row 3i + 1; in row 3i + 2, 20000 is added to the first element and 10000 to all others
 *   cancelling   10000 is added to every second element of a row and -10000 to the others, the other way round in the next
 *                row, so that sums along the last dimension and along the one before nearly cancel
 *   huge_scores  for attention. q (input 0): rows of 1, of -1 and of 1/(32 K) in turn; k (input 1): row j of its S has the value
 *                K (255 - 8 (m % 16)) / 128 / 2^(m / 16), divisions of m without a rest, m = (S - 1) / 2 - j / 2: rows are equal in pairs
 *                and grow from pair to pair. K is 2^83 and 2^59 in turn from head to head; in every second two heads the rows come in
 *                reverse order.
 *                f16: rows of 2^15 and -2^15, K = 2^15, for S up to about 900
 *   log_uniform  magnitudes from the smallest normal number up to half of the largest one, every power of two as likely as any other, either sign
 *   log_uniform_middle  the same from 2^-16 to 2^16 (f16: 2^-10 to 2^5), whose squares and sums do not overflow
 *   small_weights  for attention, with the default scale: one of a head's keys is ahead of all others by 7.6, 9.6 and 11.6 in turn, so
 *                that each of these has a weight of e^-7.6 = 5e-4 and less of the largest, and all of them together matter
 *   few_values   each element one of -2, -1, 0, 1, 2: elements equal their neighbours, those of other tensors and the largest of their row
 *   halfway      input 0 from 1 to 256, the others half a unit in its last place, either sign: a sum of two lies halfway between two values
 *   peaks        300 is added to one element of each row of input 0: the last one of row 2i, any of row 2i + 1
 *   negative_mean  -10000 is added to every element
 *   small        input 0 times 2^-13
 *   constant     all elements of tensor t are (t + 3) / 4
 * ASSAY_ERR_INVALID: unknown pattern. */
assay_status inputs_fill(assay_problem *problem, const opspec *spec, uint64_t seed, const char *special,
                         assay_error *error);

/* The same values, rounded to the case's `dtype` but stored in binary32: `problem`'s tensors are ASSAY_F32. This is the form
 * in which a reference reads them, and inputs_narrow gives the bits of the dtype back. */
assay_status inputs_fill_widened(assay_problem *problem, const opspec *spec, assay_dtype dtype, uint64_t seed,
                                 const char *special, assay_error *error);

/* Other contents than inputs_fill_widened's of `seed`: those of seed + 1, but the input inputs_kept() keeps its values. A kernel that knows
 * contents again by one input alone is so given two contents that differ in the others. */
assay_status inputs_fill_others(assay_problem *problem, const opspec *spec, assay_dtype dtype, uint64_t seed,
                                const char *special, assay_error *error);
/* The number of that input, which follows from the seed and the shapes; -1 where there is but one. */
int inputs_kept(const assay_problem *problem, uint64_t seed);

/* Overwrite a few elements of each input with others of the same tensor, so that they stay values of its distribution and pattern: one in
 * the first row along the last dimension (which a sampled check always looks at), INPUTS_CHANGED - 1 anywhere. `problem`'s tensors are
 * ASSAY_F32. Which ones follows from the seed. */
enum { INPUTS_CHANGED = 3 };
void inputs_change_few(assay_problem *problem, uint64_t seed);

/* Widen `count` elements from a dtype to binary32, exactly. F64 is rounded. */
void inputs_widen(const void *from, assay_dtype dtype, int64_t count, float *to);

/* Round `count` elements to a dtype, to nearest even: the inverse of inputs_widen on its results. */
void inputs_narrow(const float *from, assay_dtype dtype, int64_t count, void *to);

#endif
