/* When a result is as good as the recorded one. */
#include "truth.h"
#include <math.h>
#include <stdlib.h>

static uint64_t magnitude(const truth_kind *k, uint64_t bits)
{
    return bits & ((1ull << (k->bits - 1)) - 1);
}

static int is_nan(const truth_kind *k, uint64_t bits)
{
    const uint64_t all = (1ull << (k->exponent + k->mantissa)) - 1,
                   infinity = all >> k->mantissa << k->mantissa;
    if (k->exponent == 4 && k->mantissa == 3) /* e4m3 has no infinity */
        return magnitude(k, bits) == all;
    return magnitude(k, bits) > infinity;
}

static double real(const truth_kind *k, uint64_t bits)
{
    const uint64_t a = magnitude(k, bits), m = a & ((1ull << k->mantissa) - 1);
    const int e = (int)(a >> k->mantissa), bias = (1 << (k->exponent - 1)) - 1;
    double v = e == 0 ? ldexp((double)m, 1 - bias - k->mantissa)
                      : ldexp((double)(m | 1ull << k->mantissa), e - bias - k->mantissa);
    if (e == (1 << k->exponent) - 1 && !(k->exponent == 4 && k->mantissa == 3))
        v = INFINITY;
    return bits >> (k->bits - 1) & 1 ? -v : v;
}

/* Position on the line of all floats: neighbours differ by one, both zeros are 0. */
static int64_t place(const truth_kind *k, uint64_t bits)
{
    const int64_t a = (int64_t)magnitude(k, bits);
    return bits >> (k->bits - 1) & 1 ? -a : a;
}

static int same_element(const truth_kind *k, const char *compare, uint64_t recorded, uint64_t got)
{
    if (recorded == got)
        return 1;
    if (k->class != CLASS_FLOAT || *compare == 'X')
        return 0;
    if (is_nan(k, recorded) || is_nan(k, got))
        return is_nan(k, recorded) && is_nan(k, got);
    if (*compare == 'N')
        return 0;
    const double bound = strtod(compare + 1, NULL), a = real(k, recorded), b = real(k, got);
    if (isinf(a) && isinf(b))
        return a == b;
    if (*compare == 'U')
        return llabs(place(k, recorded) - place(k, got)) <= (int64_t)bound;
    const double least = ldexp(1, 2 - (1 << (k->exponent - 1)));
    const double scale = *compare == 'R' ? fmax(fabs(a), least) : *compare == 'M' ? fmax(fabs(a), 1) : 1;
    return fabs(a - b) <= scale * exp2(-bound);
}

int truth_same(const truth_kind *kind, const char *compare, uint64_t recorded, uint64_t got)
{
    if (*compare == '-')
        return 1;
    const uint64_t mask = kind->bits == 64 ? ~0ull : (1ull << kind->bits) - 1;
    for (int e = 0; e < kind->elements; e++)
        if (!same_element(kind, compare, recorded >> (e * kind->bits) & mask, got >> (e * kind->bits) & mask))
            return 0;
    return 1;
}
