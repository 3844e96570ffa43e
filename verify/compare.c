/* The comparison loop; compare.h states the rule. compare_values.c has what it knows of dtypes, compare_rounding.c the direction of
 * roundings, compare_report.c the words. Built without -ffast-math or contraction: the rule
 * depends on how NaN compares. */
#include "verify/compare_parts.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = 2 };

/* Of the errors' mean square. Roundings may all be as large as h (sums of two 16-bit numbers end in ties), but the error of the arithmetic is
 * on the average within half of its bound, which is for the worst element. */
#define ARITHMETIC_VARIANCE (1.0 / 4)

/* Two lanes in the compilers' own vector type: explicit lanes let sums and maxima vectorise in a fixed order, which
 * plain loops over floating-point numbers must not. */
typedef double lanes __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));

void compare_begin(compare_result *result, assay_dtype dtype, const opspec_tolerance *tolerance, int poison)
{
    *result = (compare_result){
        .worst_index = -1,
        .tolerance = *tolerance,
        .dtype = dtype,
        .poison = (unsigned char)poison,
        .all_equal = 1,
        .exact = tolerance->atol == 0 && tolerance->rtol == 0 && tolerance->stol == 0,
    };
}

/* Convert one block to double and pad it to whole vectors with zeros, which pass and count for nothing. */
static void load_block(compare_block *b, const void *out, assay_dtype dtype, const void *ref,
                       assay_dtype ref_dtype, const double *scale)
{
    const int count = b->count;
    if (dtype == ASSAY_F32)
        for (int i = 0; i < count; i++)
            b->got[i] = (double)((const float *)out)[i];
    else if (dtype == ASSAY_BF16)
        for (int i = 0; i < count; i++)
            b->got[i] = (double)assay_bf16_to_float(((const uint16_t *)out)[i]);
    else
        for (int i = 0; i < count; i++)
            b->got[i] = (double)assay_f16_to_float(((const uint16_t *)out)[i]);
    if (ref_dtype == ASSAY_F64)
        memcpy(b->ref, ref, (size_t)count * sizeof b->ref[0]);
    else
        for (int i = 0; i < count; i++)
            b->ref[i] = (double)((const float *)ref)[i];
    if (scale)
        memcpy(b->scale, scale, (size_t)count * sizeof b->scale[0]);
    else
        memset(b->scale, 0, (size_t)count * sizeof b->scale[0]);
    for (int i = 0; i < count; i++)
        b->rounded[i] = (float)b->ref[i];
    b->padded = (count + LANES - 1) / LANES * LANES;
    for (int i = count; i < b->padded; i++)
        b->got[i] = b->ref[i] = b->scale[i] = 0.0;
}

static inline lanes load_lanes(const double *from)
{
    lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}

#define MAGNITUDE(v) ((lanes)((mask)(v)&INT64_MAX))
/* The power of two at or below a magnitude; 0 for subnormal numbers, infinity for NaN and infinity. */
#define POWER(v) ((lanes)((mask)(v)&INT64_C(0x7ff0000000000000)))
/* Lanes of x that are greater than m replace them; a NaN in x compares false and stays out. */
#define MAXIMUM(m, x) ((lanes)(((mask)(x) & ((x) > (m))) | ((mask)(m) & ~((x) > (m)))))

static double largest_lane(const double v[LANES])
{
    return v[0] > v[1] ? v[0] : v[1];
}

/* The rule for a whole block. Statistics are taken over only if every element passes: returns 1 then, else 0. */
static int pass_block(compare_result *result, const compare_block *b)
{
    const double atol = result->tolerance.atol, rtol = result->tolerance.rtol, stol = result->tolerance.stol;
    const double unit = compare_rounding_error(result->dtype),
                 least = compare_smallest_half_unit(result->dtype);
    const lanes smallest = {least, least};
    lanes max_error = {0}, max_ratio = {0}, sum_error2 = {0}, sum_ref2 = {0}, sum_allowed2 = {0};
    mask all = {-1, -1};
    for (int i = 0; i < b->padded; i += LANES) {
        const lanes got = load_lanes(b->got + i), ref = load_lanes(b->ref + i);
        const lanes difference = got - ref;
        const lanes error = MAGNITUDE(difference);
        const lanes arithmetic = atol + rtol * MAGNITUDE(ref) + stol * load_lanes(b->scale + i);
        const lanes rounding = MAXIMUM(smallest, POWER(MAGNITUDE(ref) + arithmetic) * unit);
        const lanes bound = arithmetic + rounding;
        all &= (error <= bound) & (bound <= DBL_MAX);
        const lanes ratio = error / bound; /* 0 / 0 is NaN and stays out of the maximum */
        max_error = MAXIMUM(max_error, error);
        max_ratio = MAXIMUM(max_ratio, ratio);
        sum_error2 += error * error;
        sum_ref2 += ref * ref;
        sum_allowed2 += rounding * rounding + arithmetic * arithmetic * ARITHMETIC_VARIANCE;
    }
    int64_t ok[LANES];
    memcpy(ok, &all, sizeof ok);
    if (!(ok[0] & ok[1]))
        return 0;
    double error[LANES], ratio[LANES], e2[LANES], r2[LANES], a2[LANES];
    memcpy(error, &max_error, sizeof error), memcpy(ratio, &max_ratio, sizeof ratio);
    memcpy(e2, &sum_error2, sizeof e2), memcpy(r2, &sum_ref2, sizeof r2);
    memcpy(a2, &sum_allowed2, sizeof a2);
    result->max_abs_error = fmax(result->max_abs_error, largest_lane(error));
    result->worst_ratio = fmax(result->worst_ratio, largest_lane(ratio));
    result->sum_error2 += e2[0] + e2[1];
    result->sum_ref2 += r2[0] + r2[1];
    result->sum_allowed2 += a2[0] + a2[1];
    return 1;
}

/* The two parts of an element's bound. */
typedef struct element_bound {
    double arithmetic, rounding;
} element_bound;

static double half_unit(double magnitude, assay_dtype dtype)
{
    const double power = isfinite(magnitude) && magnitude > 0 ? ldexp(1, ilogb(magnitude)) : magnitude;
    return fmax(compare_smallest_half_unit(dtype), power * compare_rounding_error(dtype));
}

static element_bound bound_of(const compare_result *result, double ref, double scale)
{
    const double arithmetic =
        result->tolerance.atol + result->tolerance.rtol * fabs(ref) + result->tolerance.stol * scale;
    return (element_bound){arithmetic, result->exact ? 0 : half_unit(fabs(ref) + arithmetic, result->dtype)};
}

/* The rule for one element, with the cases that the fast pass leaves out. */
static int element_passes(double got, double ref, element_bound allowed, double scale, assay_dtype dtype)
{
    const double bound = allowed.arithmetic + allowed.rounding;
    if (isnan(ref))
        return isnan(got);
    if (isinf(ref))
        return got == ref;
    if (!isfinite(got) && scale >= compare_overflow_threshold(ASSAY_F32))
        return 1; /* partial sums overflow binary32, in which kernels accumulate: which infinity, or NaN, is a matter of order */
    if (!(bound <= DBL_MAX) || isnan(got))
        return 0;
    if (isinf(
            got)) /* right if the reference, or the edge of what is allowed around it, overflows the dtype */
        return (got > 0) == (ref > 0) && fabs(ref) + allowed.arithmetic >= compare_overflow_threshold(dtype);
    return fabs(got - ref) <= bound;
}

/* Elements that are only moved keep every bit, the sign of a zero and the payload of a NaN among them. */
static int moved_unchanged(uint32_t bits, double ref, assay_dtype dtype)
{
    const float rounded = (float)ref;
    return bits == (dtype == ASSAY_F32    ? assay_float_bits(rounded)
                    : dtype == ASSAY_BF16 ? assay_float_to_bf16(rounded)
                                          : assay_float_to_f16(rounded));
}

static int is_poison(uint32_t bits, assay_dtype dtype, unsigned char poison)
{
    return bits == (dtype == ASSAY_F32 ? 0x01010101u * poison : 0x0101u * poison);
}

static void record_mismatch(compare_result *result, int64_t index, double got, double ref, double bound,
                            uint32_t bits)
{
    if (result->mismatches < COMPARE_MISMATCHES)
        result->first[result->mismatches] = (compare_mismatch){index, got, ref, bound};
    result->mismatches++;
    if (is_poison(bits, result->dtype, result->poison))
        result->unwritten++;
    else if (!isfinite(got) || !isfinite(ref))
        result->nonfinite++;
}

static void examine_element(compare_result *result, int64_t index, uint32_t bits, double got, double ref,
                            double scale)
{
    const element_bound allowed = bound_of(result, ref, scale);
    const double bound = allowed.arithmetic + allowed.rounding;
    const int passes = result->exact ? moved_unchanged(bits, ref, result->dtype)
                                     : element_passes(got, ref, allowed, scale, result->dtype);
    if (!passes)
        record_mismatch(result, index, got, ref, bound, bits);
    if (!isfinite(got) || !isfinite(ref))
        return;
    const double error = fabs(got - ref), ratio = error > 0 ? error / bound : 0;
    result->max_abs_error = fmax(result->max_abs_error, error);
    result->max_ulp = fmax(result->max_ulp, (double)compare_ulp_distance(bits, ref, result->dtype));
    result->sum_error2 += error * error;
    result->sum_ref2 += ref * ref;
    result->sum_allowed2 +=
        allowed.rounding * allowed.rounding + allowed.arithmetic * allowed.arithmetic * ARITHMETIC_VARIANCE;
    if (!passes && (result->worst_index < 0 || ratio > result->worst_ratio)) {
        result->worst_index = index;
        result->worst_got = got;
        result->worst_expected = ref;
    }
    result->worst_ratio = fmax(result->worst_ratio, ratio);
}

/* Whether every element so far has the same bits: a hint in the reason, given up at the first difference. */
static void track_constant(compare_result *result, const void *out, int count)
{
    if (result->elements == 0)
        result->first_bits = compare_bits(out, result->dtype, 0);
    for (int i = 0; i < count && result->all_equal; i++)
        result->all_equal = compare_bits(out, result->dtype, i) == result->first_bits;
}

void compare_chunk(compare_result *result, const void *out, const void *ref, assay_dtype ref_dtype,
                   const double *scale, int64_t count)
{
    const size_t out_bytes = assay_dtype_bytes(result->dtype), ref_bytes = assay_dtype_bytes(ref_dtype);
    compare_block b;
    for (int64_t first = 0; first < count; first += COMPARE_BLOCK) {
        const char *block_out = (const char *)out + (size_t)first * out_bytes;
        b.count = count - first < COMPARE_BLOCK ? (int)(count - first) : COMPARE_BLOCK;
        load_block(&b, block_out, result->dtype, (const char *)ref + (size_t)first * ref_bytes, ref_dtype,
                   scale ? scale + first : NULL);
        track_constant(result, block_out, b.count);
        if (!result->exact && result->dtype != ASSAY_F32)
            compare_track_rounding(result, &b, block_out);
        if (!result->exact && pass_block(result, &b)) {
            result->max_ulp =
                fmax(result->max_ulp, (double)compare_block_max_ulp(&b, block_out, result->dtype));
        } else {
            for (int i = 0; i < b.count; i++)
                examine_element(result, result->offset + result->elements + i,
                                compare_bits(block_out, result->dtype, i), b.got[i], b.ref[i], b.scale[i]);
        }
        result->elements += b.count;
    }
}

void compare_seek(compare_result *result, int64_t index)
{
    result->offset = index - result->elements;
}
