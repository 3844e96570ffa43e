/* The comparison loop and its report; compare.h states the rule. Built without -ffast-math or contraction: the rule
 * depends on how NaN compares. */
#include "verify/compare.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1024, LANES = 2 };

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
    lanes max_error = {0}, max_ratio = {0}, sum_error2 = {0}, sum_ref2 = {0};
    mask all = {-1, -1};
    for (int i = 0; i < b->padded; i += LANES) {
        const lanes got = load_lanes(b->got + i), ref = load_lanes(b->ref + i);
        const lanes difference = got - ref;
        const lanes error = MAGNITUDE(difference);
        const lanes bound = atol + rtol * MAGNITUDE(ref) + stol * load_lanes(b->scale + i);
        all &= (error <= bound) & (bound <= DBL_MAX);
        const lanes ratio = error / bound; /* 0 / 0 is NaN and stays out of the maximum */
        max_error = MAXIMUM(max_error, error);
        max_ratio = MAXIMUM(max_ratio, ratio);
        sum_error2 += error * error;
        sum_ref2 += ref * ref;
    }
    int64_t ok[LANES];
    memcpy(ok, &all, sizeof ok);
    if (!(ok[0] & ok[1]))
        return 0;
    double error[LANES], ratio[LANES], e2[LANES], r2[LANES];
    memcpy(error, &max_error, sizeof error), memcpy(ratio, &max_ratio, sizeof ratio);
    memcpy(e2, &sum_error2, sizeof e2), memcpy(r2, &sum_ref2, sizeof r2);
    result->max_abs_error = fmax(result->max_abs_error, largest_lane(error));
    result->worst_ratio = fmax(result->worst_ratio, largest_lane(ratio));
    result->sum_error2 += e2[0] + e2[1];
    result->sum_ref2 += r2[0] + r2[1];
    return 1;
}

/* The rule for one element, with the cases that the fast pass leaves out. */
static int element_passes(double got, double ref, double bound, double scale, assay_dtype dtype)
{
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
        return (got > 0) == (ref > 0) && fabs(ref) + bound >= compare_overflow_threshold(dtype);
    return fabs(got - ref) <= bound;
}

/* Elements that are only moved keep every bit, the sign of a zero among them; of a NaN only that it is one. */
static int moved_unchanged(uint32_t bits, double got, double ref, assay_dtype dtype)
{
    return isnan(ref) ? isnan(got)
                      : !isnan(got) && ulp_distance(bits, ref, dtype) == 0 && !signbit(got) == !signbit(ref);
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
    const double bound =
        result->tolerance.atol + result->tolerance.rtol * fabs(ref) + result->tolerance.stol * scale;
    const int passes = result->exact ? moved_unchanged(bits, got, ref, result->dtype)
                                     : element_passes(got, ref, bound, scale, result->dtype);
    if (!passes)
        record_mismatch(result, index, got, ref, bound, bits);
    if (!isfinite(got) || !isfinite(ref))
        return;
    const double error = fabs(got - ref), ratio = error > 0 ? error / bound : 0;
    result->max_abs_error = fmax(result->max_abs_error, error);
    result->max_ulp = fmax(result->max_ulp, (double)ulp_distance(bits, ref, result->dtype));
    result->sum_error2 += error * error;
    result->sum_ref2 += ref * ref;
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
    if (result->mismatches == 0)
        return ASSAY_OK;
    describe_failure(result, shape, name, reason);
    return ASSAY_ERR_CHECK;
}
