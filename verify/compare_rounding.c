/* Which way the elements of an output were rounded; see compare.h. */
#include "verify/compare_parts.h"
#include <math.h>

/* A mean error of half of h is a bias, if it is as many standard deviations off and at least 400 of the 1024 hashes of an output's bits
 * occur: then there are some 500 different values, and roundings that agree by chance need a deviation of ten. */
enum { GROUP = 256, FEWEST_GROUPS = 16, FEWEST_DISTINCT = 400, MOST_UNITS = 8, MOST_ARITHMETIC = 32 };
#define DEVIATIONS 6.0

/* Errors of a rounding are spread evenly over +-h, with a mean square of h^2 / 3; the sum of two numbers of the dtype is a tie as often as
 * not, with h^2 / 2. */
#define ROUNDING_VARIANCE 0.5

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
static void track_square(compare_result *result, double got, double ref, double scale, double half)
{
    compare_squares *s = &result->squares;
    const double error = got - ref, arithmetic = result->tolerance.rms * scale, atol = result->tolerance.atol;
    s->error2 += error * error;
    s->allowed2 += arithmetic * arithmetic + atol * atol + half * half * ROUNDING_VARIANCE;
    if (++s->in_group < GROUP)
        return;
    const double ratio = s->error2 / s->allowed2;
    s->sum += ratio;
    s->sum2 += ratio * ratio;
    s->groups++;
    s->in_group = 0;
    s->error2 = s->allowed2 = 0;
}

void compare_track_rounding(compare_result *result, const compare_block *b, const void *out)
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
        if (result->tolerance.rms > 0)
            track_square(result, got, ref, b->scale[i], half);
        if (result->tolerance.atol + result->tolerance.rtol * magnitude +
                result->tolerance.stol * b->scale[i] >
            MOST_ARITHMETIC * half)
            continue;
        const double units = (got - ref) / half;
        const double kept = units > MOST_UNITS ? MOST_UNITS : units < -MOST_UNITS ? -MOST_UNITS : units;
        const double away = ref > 0 ? kept : -kept;
        r->up += kept;
        r->away += away;
        const uint32_t hash = compare_bits(out, result->dtype, i) * 0x9e3779b1u >> 22;
        r->seen[hash / 64] |= UINT64_C(1) << hash % 64;
        if (result->classes.rank > 0)
            compare_classes_add(&result->classes, result->offset + result->elements + i, away, kept, hash);
        r->elements++;
        if (++r->in_group == GROUP)
            close_group(r);
    }
}

/* The mean error in units of h and in the direction in which it is larger, if there is enough to tell; else 0. */
double compare_rounding_bias(const compare_rounding *r)
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
        if (fabs(mean) > DEVIATIONS * sqrt(variance) && fabs(mean) > fabs(worst))
            worst = mean;
    }
    return worst;
}

/* Above 1 only if it is so by that many standard deviations of its mean. */
double compare_square_ratio(const compare_squares *s)
{
    if (s->groups < FEWEST_GROUPS)
        return 0;
    const double n = (double)s->groups, mean = s->sum / n,
                 variance = fmax(s->sum2 / n - mean * mean, 0) / (n - 1);
    return mean > 1 && mean - DEVIATIONS * sqrt(variance) <= 1 ? 1 : mean;
}
