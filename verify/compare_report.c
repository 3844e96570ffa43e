/* The end of a comparison, in words; see compare.h. */
#include "verify/compare_parts.h"
#include <math.h>
#include <stdio.h>

enum { FEWEST_FOR_MEAN = 4096 };
#define MOST_BIAS 0.5 /* mean error in units of h; results that are cut off have 1 */

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
static void describe_failure_together(compare_result *result, const char *name, char *reason)
{
    const long long all = result->elements;
    char where[80] = "";
    const double part = compare_classes_worst(&result->classes, where, sizeof where);
    if (fabs(result->bias) > MOST_BIAS)
        snprintf(reason, COMPARE_REASON_MAX,
                 "the roundings of %s are biased: the mean error of %lld elements is %.2f of half a unit in "
                 "the last "
                 "place in one direction; are results cut off instead of rounded?",
                 name, (long long)result->rounding.elements, fabs(result->bias));
    else if (fabs(part) > MOST_BIAS)
        snprintf(reason, COMPARE_REASON_MAX,
                 "the roundings of %s are biased where %s: the mean error there is %.2f of half a unit in "
                 "the last place in one direction; are results cut off instead of rounded?",
                 name, where, fabs(part));
    else if (result->square_ratio > 1)
        snprintf(reason, COMPARE_REASON_MAX,
                 "each of %lld elements of %s is within its bound, but their mean square error is %.2f times "
                 "that of the roundings that the op allows; is something held in fewer bits?",
                 all, name, result->square_ratio);
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
    result->bias = compare_rounding_bias(&result->rounding);
    result->square_ratio = compare_square_ratio(&result->squares);
    if (result->mismatches > 0)
        describe_failure(result, shape, name, reason);
    else
        describe_failure_together(result, name, reason);
    return reason[0] == '\0' ? ASSAY_OK : ASSAY_ERR_CHECK;
}
