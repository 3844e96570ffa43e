/* Comparison of a kernel's output with a reference, element by element.
 *
 * An element passes only if |out - ref| <= e + h is TRUE (so a NaN never passes by failing a test) and the bound is finite:
 * e = atol + rtol |ref| + stol scale is the error of the arithmetic, and h, half a unit in the last place of the output's dtype
 * at |ref| + e, is the one rounding to that dtype. Where the reference is NaN or infinite, the output must be NaN or the same
 * infinity at the same place. Where a finite reference overflows the output's dtype when rounded, infinity of its sign is right;
 * within e of that edge, infinity and the largest finite value are both right. Where the absolute terms of a sum
 * (`scale`) add up to more than binary32 holds, so that partial sums overflow, any infinity or NaN is right. An output that must be finite
 * and still holds the pattern it was poisoned with counts as never written.
 *
 * All elements together: the root of the mean square of the errors is at most that of half of e and of h together. Where the tolerance
 * has `rms`, the mean square of a 16-bit output's errors is not above that of independent roundings: (rms scale)^2 + atol^2 + h^2/2.
 * And the roundings of a 16-bit output go both ways. A mean error of half of h in one direction (up or down, towards 0 or away) is a
 * failure: results that are cut off have a mean of h. So it is in each part of the output: the indices of one dimension that leave the same
 * remainder by 2 to 8, the eighths of it, and the last index.
 *
 * Where the tolerance is 0, bits are compared: a zero keeps its sign and a NaN its payload.
 *
 * Outputs are compared in chunks so that no second copy of a large output is needed: compare_begin, any number of
 * compare_chunk in order, compare_end. One pass vectorised with statistics; only blocks in which something does not
 * pass are looked at again element by element. */
#ifndef ASSAY_VERIFY_COMPARE_H
#define ASSAY_VERIFY_COMPARE_H

#include "core/opspec.h"

enum { COMPARE_MISMATCHES = 8, COMPARE_REASON_MAX = 512 };

typedef struct compare_mismatch {
    int64_t index; /* linear index into the output */
    double got, expected, bound;
} compare_mismatch;

/* Directions in which the elements of a 16-bit output were rounded. Means are taken over groups of consecutive elements, whose spread
 * gives the uncertainty of the mean also where errors of neighbours depend on each other (one row's common factor). */
typedef struct compare_rounding {
    int64_t elements, groups;
    int in_group;           /* elements of the group that is being filled, and their sums */
    double away, up;        /* error / h, positive away from 0; and upwards */
    double sum[2], sum2[2]; /* over groups, of the means of the two */
    uint64_t seen[16];      /* a bit for each hash of an output's bits: how many distinct values there are */
} compare_rounding;

/* Mean square of the errors over what independent roundings leave on the average, for tolerances with `rms`; by groups, as above. */
typedef struct compare_squares {
    int64_t groups;
    int in_group;
    double error2, allowed2; /* of the group that is being filled */
    double sum, sum2;        /* over groups, of the ratio of the two */
} compare_squares;

/* The roundings of a part of the output: elements whose index in one dimension leaves a remainder, lies in an eighth of
 * it, or is the last. */
typedef struct compare_class {
    int64_t rows; /* that have such elements; each counts once */
    double away, up, away2, up2;
    uint64_t seen[2]; /* as compare_rounding.seen */
} compare_class;

enum { COMPARE_CLASS_RANK = 5, COMPARE_LARGEST_MODULUS = 8, COMPARE_SECTIONS = 8, COMPARE_CLASSES = 44 };

/* Those parts, of each dimension, and the row (elements along the last dimension) that is being read. */
typedef struct compare_classes {
    int rank;                                 /* 0: not followed */
    int64_t shape[COMPARE_CLASS_RANK], every; /* one row of `every` is looked at */
    int64_t row, end;                         /* its number, and the index behind it */
    int left_out, in_row, in_part[COMPARE_CLASSES];
    double away, up, part_away[COMPARE_CLASSES], part_up[COMPARE_CLASSES];
    uint64_t seen[2];
    compare_class of[COMPARE_CLASS_RANK][COMPARE_CLASSES];
} compare_classes;

typedef struct compare_result {
    int64_t elements;     /* compared so far */
    int64_t mismatches;   /* did not pass, for whatever reason */
    int64_t unwritten;    /* of these: still the poison pattern */
    int64_t nonfinite;    /* of these: NaN or infinity in the wrong place, or missing */
    double max_abs_error; /* over elements finite on both sides */
    double max_ulp; /* distance in units in the last place of the output dtype, to the rounded reference */
    double worst_ratio;   /* largest error / bound */
    double rel_frobenius; /* ||out - ref|| / ||ref||, set by compare_end */
    double rms_ratio;     /* root of the mean square of the errors over what it may be; set by compare_end */
    double
        bias; /* of 16-bit outputs: mean error / h in its direction, towards 0 or below; 0 where too few tell */
    double square_ratio; /* mean of compare_squares; 0 where the tolerance has no `rms` or too few tell */
    compare_mismatch first[COMPARE_MISMATCHES];
    int64_t worst_index; /* of the mismatch with the largest ratio; -1 if none */
    double worst_got, worst_expected;
    /* The rest is working state. */
    opspec_tolerance tolerance;
    int exact; /* the tolerance is 0: elements are moved, not computed with, and bits are compared */
    assay_dtype dtype;
    unsigned char poison;
    double sum_error2, sum_ref2, sum_allowed2;
    compare_rounding rounding;
    compare_squares squares;
    compare_classes classes;
    int64_t offset; /* index of an element less the number compared before it */
    int all_equal;
    uint32_t first_bits;
} compare_result;

/* Start comparing outputs of `dtype` (never F64). `poison` is the byte with which the output was filled before the run. */
void compare_begin(compare_result *result, assay_dtype dtype, const opspec_tolerance *tolerance, int poison);

/* The tensor that the elements belong to, so that roundings are also told by part of it. Before the first chunk; not needed. */
void compare_shape(compare_result *result, const assay_tensor *shape);

/* Compare the next `count` elements. `ref` has ref_dtype ASSAY_F64 or ASSAY_F32; `scale` may be NULL for none. */
void compare_chunk(compare_result *result, const void *out, const void *ref, assay_dtype ref_dtype,
                   const double *scale, int64_t count);

/* Instead of chunks, after compare_shape(): all elements at once, which lie in memory, by several threads. Groups of roundings end with the
 * pieces into which the output is divided, whatever the number of threads. */
void compare_all(compare_result *result, const void *out, const double *ref, const double *scale,
                 const assay_tensor *shape);

/* The next chunk starts at element `index` of the output, not where the last one ended (sampled rows). */
void compare_seek(compare_result *result, int64_t index);

/* Finish: ASSAY_OK, or ASSAY_ERR_CHECK with the reason in one line. `expected` elements had to be compared; any other
 * number is a failure, so comparing nothing passes only where nothing was there. `shape` is the output's tensor, which
 * names the indices of mismatches. */
assay_status compare_end(compare_result *result, const assay_tensor *shape, int64_t expected,
                         const char *name, char reason[COMPARE_REASON_MAX]);

/* "[3, 4]" for a linear index. */
void compare_format_index(const assay_tensor *shape, int64_t index, char *out, size_t out_bytes);

/* Largest error of one rounding to a dtype relative to the value: half a unit in the last place. */
double compare_rounding_error(assay_dtype dtype);

/* Smallest magnitude that rounds to infinity in a dtype, and the largest finite value. */
double compare_overflow_threshold(assay_dtype dtype);
double compare_largest_finite(assay_dtype dtype);

#endif
