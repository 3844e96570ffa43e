/* The comparison loop and its report; compare.h states the rule. Built without -ffast-math or contraction: the rule
 * depends on how NaN compares. */
#include "verify/compare.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1024, LANES = 2 };

/* Of the errors' mean square. Roundings may all be as large as h (sums of two 16-bit numbers end in ties), but the error of the arithmetic is
 * on the average within half of its bound, which is for the worst element. */
#define ARITHMETIC_VARIANCE (1.0 / 4)
enum { FEWEST_FOR_MEAN = 4096 };

/* A mean error of half of h is a bias, if it is as many standard deviations off and at least 400 of the 1024 hashes of an output's bits
 * occur: then there are some 500 different values, and roundings that agree by chance need a deviation of ten. */
enum { GROUP = 256, FEWEST_GROUPS = 16, FEWEST_DISTINCT = 400, MOST_UNITS = 8, MOST_ARITHMETIC = 32 };
#define BIAS_DEVIATIONS 6.0
#define MOST_BIAS       0.5

/* Two lanes in the compilers' own vector type: explicit lanes let sums and maxima vectorise in a fixed order, which
 * plain loops over floating-point numbers must not. */
typedef double lanes __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));

typedef struct block {
    double got[BLOCK], ref[BLOCK], scale[BLOCK];
    float rounded[BLOCK]; /* reference in binary32 */
    int count, padded;
} block;

double compare_overflow_threshold(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 65520.0 : dtype == ASSAY_BF16 ? 0x1.ffp127 : 0x1.ffffffp127;
}

double compare_largest_finite(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 65504.0 : dtype == ASSAY_BF16 ? 0x1.fep127 : 0x1.fffffep127;
}

static uint32_t load_bits(const void *data, assay_dtype dtype, int64_t index)
{
    if (dtype == ASSAY_F32)
        return ((const uint32_t *)data)[index];
    return ((const uint16_t *)data)[index];
}

double compare_load(const void *data, assay_dtype dtype, int64_t index)
{
    switch (dtype) {
    case ASSAY_F32:
    case ASSAY_TF32: /* never a tensor's */
        return (double)((const float *)data)[index];
    case ASSAY_F16:
        return (double)assay_f16_to_float(((const uint16_t *)data)[index]);
    case ASSAY_BF16:
        return (double)assay_bf16_to_float(((const uint16_t *)data)[index]);
    case ASSAY_F64:
        break;
    }
    return ((const double *)data)[index];
}

double compare_rounding_error(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 0x1p-11 : dtype == ASSAY_BF16 ? 0x1p-8 : 0x1p-24;
}

/* Half of the smallest subnormal number. */
static double smallest_half_unit(assay_dtype dtype)
{
    return dtype == ASSAY_F16 ? 0x1p-25 : dtype == ASSAY_BF16 ? 0x1p-134 : 0x1p-150;
}

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

/* Units in the last place: bit patterns mapped to integers that are ordered like the values. */
static inline int32_t ordered32(uint32_t bits)
{
    const int32_t value = (int32_t)bits;
    return value < 0 ? INT32_MIN - value : value;
}

static inline uint32_t distance32(uint32_t a, uint32_t b)
{
    const int32_t x = ordered32(a), y = ordered32(b);
    return x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x;
}

static inline int32_t ordered16(uint16_t bits)
{
    return bits & 0x8000 ? -(int32_t)(bits & 0x7fff) : (int32_t)bits;
}

static inline uint32_t distance16(uint16_t a, uint16_t b)
{
    const int32_t d = ordered16(a) - ordered16(b);
    return (uint32_t)(d < 0 ? -d : d);
}

static uint32_t ulp_distance(uint32_t got_bits, double ref, assay_dtype dtype)
{
    const float rounded = (float)ref;
    if (dtype == ASSAY_F32)
        return distance32(got_bits, assay_float_bits(rounded));
    return distance16((uint16_t)got_bits,
                      dtype == ASSAY_F16 ? assay_float_to_f16(rounded) : assay_float_to_bf16(rounded));
}

static uint32_t block_max_ulp(const block *b, const void *out, assay_dtype dtype)
{
    uint32_t worst = 0;
    const uint32_t *words = out;
    const uint16_t *halves = out;
    if (dtype == ASSAY_F32) {
        for (int i = 0; i < b->count; i++) {
            const uint32_t d = distance32(words[i], assay_float_bits(b->rounded[i]));
            worst = d > worst ? d : worst;
        }
    } else if (dtype == ASSAY_BF16) {
        for (int i = 0; i < b->count; i++) {
            const uint32_t d = distance16(halves[i], assay_float_to_bf16(b->rounded[i]));
            worst = d > worst ? d : worst;
        }
    } else {
        for (int i = 0; i < b->count; i++) {
            const uint32_t d = distance16(halves[i], assay_float_to_f16(b->rounded[i]));
            worst = d > worst ? d : worst;
        }
    }
    return worst;
}

/* Convert one block to double and pad it to whole vectors with zeros, which pass and count for nothing. */
static void load_block(block *b, const void *out, assay_dtype dtype, const void *ref, assay_dtype ref_dtype,
                       const double *scale)
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
static int pass_block(compare_result *result, const block *b)
{
    const double atol = result->tolerance.atol, rtol = result->tolerance.rtol, stol = result->tolerance.stol;
    const double unit = compare_rounding_error(result->dtype), least = smallest_half_unit(result->dtype);
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
    return fmax(smallest_half_unit(dtype), power * compare_rounding_error(dtype));
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
    result->max_ulp = fmax(result->max_ulp, (double)ulp_distance(bits, ref, result->dtype));
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

/* The group is full: its means. */
static void close_group(compare_rounding *r)
{
    const double mean[2] = {r->away / r->in_group, r->up / r->in_group};
    for (int i = 0; i < 2; i++) {
        r->sum[i] += mean[i];
        r->sum2[i] += mean[i] * mean[i];
    }
    r->groups++;
    r->in_group = 0;
    r->away = r->up = 0;
}

/* Which way elements were rounded. Left out are those without a direction that chance decides: near 0, where results are subnormal or
 * flushed, near the largest value, where they overflow, and where the arithmetic may be off by so much more than a rounding that its own bias is
 * seen (the tail of gelu cancels). */
static void track_rounding(compare_result *result, const block *b, const void *out)
{
    const double low = result->dtype == ASSAY_F16 ? 0x1p-13 : 0x1p-124,
                 high = compare_largest_finite(result->dtype) / 2,
                 unit = compare_rounding_error(result->dtype);
    compare_rounding *r = &result->rounding;
    for (int i = 0; i < b->count; i++) {
        const double got = b->got[i], ref = b->ref[i], magnitude = fabs(ref);
        if (!(magnitude >= low && magnitude <= high && fabs(got) <= high))
            continue;
        union {
            double value;
            uint64_t bits;
        } power = {.value = magnitude};
        power.bits &= UINT64_C(0x7ff0000000000000);
        const double half = power.value * unit;
        if (result->tolerance.atol + result->tolerance.rtol * magnitude +
                result->tolerance.stol * b->scale[i] >
            MOST_ARITHMETIC * half)
            continue;
        const double units = (got - ref) / half;
        const double kept = units > MOST_UNITS ? MOST_UNITS : units < -MOST_UNITS ? -MOST_UNITS : units;
        r->up += kept;
        r->away += ref > 0 ? kept : -kept;
        const uint32_t hash = load_bits(out, result->dtype, i) * 0x9e3779b1u >> 22;
        r->seen[hash / 64] |= UINT64_C(1) << hash % 64;
        r->elements++;
        if (++r->in_group == GROUP)
            close_group(r);
    }
}

/* The mean error in units of h and in the direction in which it is larger, if there is enough to tell; else 0. */
static double rounding_bias(const compare_rounding *r)
{
    double worst = 0;
    int distinct = 0;
    for (size_t i = 0; i < sizeof r->seen / sizeof r->seen[0]; i++)
        distinct += __builtin_popcountll(r->seen[i]);
    if (r->groups < FEWEST_GROUPS || distinct < FEWEST_DISTINCT)
        return 0;
    const double n = (double)r->groups;
    for (int i = 0; i < 2; i++) {
        const double mean = r->sum[i] / n, variance = fmax(r->sum2[i] / n - mean * mean, 0) / (n - 1);
        if (fabs(mean) > BIAS_DEVIATIONS * sqrt(variance) && fabs(mean) > fabs(worst))
            worst = mean;
    }
    return worst;
}

/* Whether every element so far has the same bits: a hint in the reason, given up at the first difference. */
static void track_constant(compare_result *result, const void *out, int count)
{
    if (result->elements == 0)
        result->first_bits = load_bits(out, result->dtype, 0);
    for (int i = 0; i < count && result->all_equal; i++)
        result->all_equal = load_bits(out, result->dtype, i) == result->first_bits;
}

void compare_chunk(compare_result *result, const void *out, const void *ref, assay_dtype ref_dtype,
                   const double *scale, int64_t count)
{
    const size_t out_bytes = assay_dtype_bytes(result->dtype), ref_bytes = assay_dtype_bytes(ref_dtype);
    block b;
    for (int64_t first = 0; first < count; first += BLOCK) {
        const char *block_out = (const char *)out + (size_t)first * out_bytes;
        b.count = count - first < BLOCK ? (int)(count - first) : BLOCK;
        load_block(&b, block_out, result->dtype, (const char *)ref + (size_t)first * ref_bytes, ref_dtype,
                   scale ? scale + first : NULL);
        track_constant(result, block_out, b.count);
        if (!result->exact && result->dtype != ASSAY_F32)
            track_rounding(result, &b, block_out);
        if (!result->exact && pass_block(result, &b)) {
            result->max_ulp = fmax(result->max_ulp, (double)block_max_ulp(&b, block_out, result->dtype));
        } else {
            for (int i = 0; i < b.count; i++)
                examine_element(result, result->offset + result->elements + i,
                                load_bits(block_out, result->dtype, i), b.got[i], b.ref[i], b.scale[i]);
        }
        result->elements += b.count;
    }
}

void compare_seek(compare_result *result, int64_t index)
{
    result->offset = index - result->elements;
}

void compare_format_index(const assay_tensor *shape, int64_t index, char *out, size_t out_bytes)
{
    int64_t position[ASSAY_MAX_RANK] = {0};
    for (int d = shape->rank - 1; d >= 0; d--) {
        position[d] = shape->shape[d] > 0 ? index % shape->shape[d] : 0;
        index = shape->shape[d] > 0 ? index / shape->shape[d] : 0;
    }
    size_t used = (size_t)snprintf(out, out_bytes, "[");
    for (int d = 0; d < shape->rank && used < out_bytes; d++)
        used +=
            (size_t)snprintf(out + used, out_bytes - used, "%s%lld", d ? ", " : "", (long long)position[d]);
    if (used < out_bytes)
        snprintf(out + used, out_bytes - used, "]");
}

/* One line that names the most telling cause first: unwritten, a constant output, NaN or infinity, then size of error. */
static void describe_failure(const compare_result *result, const assay_tensor *shape, const char *name,
                             char *reason)
{
    char at[72], hint[64] = "";
    const long long wrong = result->mismatches, all = result->elements;
    compare_format_index(shape, result->first[0].index, at, sizeof at);
    if (result->unwritten > 0) {
        snprintf(reason, COMPARE_REASON_MAX,
                 "%lld of %lld elements of %s were never written (they hold the poison pattern), first "
                 "mismatch at %s",
                 (long long)result->unwritten, all, name, at);
        return;
    }
    if (result->all_equal && all > 1)
        snprintf(hint, sizeof hint, "; the whole output is the constant %.6g", result->first[0].got);
    if (result->nonfinite > 0) {
        snprintf(reason, COMPARE_REASON_MAX,
                 "%lld of %lld elements of %s are wrong, %lld of them NaN or infinity out of place, first at "
                 "%s: got "
                 "%.9g, expected %.9g%s",
                 wrong, all, name, (long long)result->nonfinite, at, result->first[0].got,
                 result->first[0].expected, hint);
        return;
    }
    char worst[72];
    compare_format_index(shape, result->worst_index, worst, sizeof worst);
    snprintf(reason, COMPARE_REASON_MAX,
             "%lld of %lld elements of %s are out of tolerance, first at %s: got %.9g, expected %.9g; worst "
             "at %s: got "
             "%.9g, expected %.9g, %.3g times the bound%s",
             wrong, all, name, at, result->first[0].got, result->first[0].expected, worst, result->worst_got,
             result->worst_expected, result->worst_ratio, hint);
}

/* Every element is within its bound; are all of them together what a right kernel leaves? */
static void describe_failure_together(const compare_result *result, const char *name, char *reason)
{
    const long long all = result->elements;
    if (fabs(result->bias) > MOST_BIAS)
        snprintf(reason, COMPARE_REASON_MAX,
                 "the roundings of %s are biased: the mean error of %lld elements is %.2f of half a unit in "
                 "the last "
                 "place in one direction; are results cut off instead of rounded?",
                 name, (long long)result->rounding.elements, fabs(result->bias));
    else if (!result->exact && all >= FEWEST_FOR_MEAN && result->rms_ratio > 1)
        snprintf(reason, COMPARE_REASON_MAX,
                 "each of %lld elements of %s is within its bound, but the root of their mean square error "
                 "is %.2f "
                 "times what it may be (relative Frobenius error %.3g)",
                 all, name, result->rms_ratio, result->rel_frobenius);
}

assay_status compare_end(compare_result *result, const assay_tensor *shape, int64_t expected,
                         const char *name, char reason[COMPARE_REASON_MAX])
{
    reason[0] = '\0';
    result->rel_frobenius = result->sum_error2 > 0 ? sqrt(result->sum_error2) / sqrt(result->sum_ref2) : 0.0;
    if (result->elements != expected) {
        snprintf(reason, COMPARE_REASON_MAX, "%lld of %lld elements of %s were compared",
                 (long long)result->elements, (long long)expected, name);
        return ASSAY_ERR_CHECK;
    }
    if (result->sum_allowed2 > 0 && isfinite(result->sum_allowed2))
        result->rms_ratio = sqrt(result->sum_error2 / result->sum_allowed2);
    result->bias = rounding_bias(&result->rounding);
    if (result->mismatches > 0)
        describe_failure(result, shape, name, reason);
    else
        describe_failure_together(result, name, reason);
    return reason[0] == '\0' ? ASSAY_OK : ASSAY_ERR_CHECK;
}
