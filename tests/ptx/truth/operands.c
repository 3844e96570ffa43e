/* Kinds of operands and the values that the cases try. */
#include "truth.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER(n, b, e)                   \
    {                                      \
        n, CLASS_INTEGER, b, e, 0, 0, 0, 0 \
    }
#define FLOAT(n, b, e, ex, m)             \
    {                                     \
        n, CLASS_FLOAT, b, e, ex, m, 0, 0 \
    }
#define BOUNDED(n, b, lo, hi)                \
    {                                        \
        n, CLASS_BOUNDED, b, 1, 0, 0, lo, hi \
    }

static const truth_kind kinds[] = {
    INTEGER("u8", 8, 1),
    INTEGER("s8", 8, 1),
    INTEGER("u16", 16, 1),
    INTEGER("s16", 16, 1),
    INTEGER("b16", 16, 1),
    INTEGER("u32", 32, 1),
    INTEGER("s32", 32, 1),
    INTEGER("b32", 32, 1),
    INTEGER("u64", 64, 1),
    INTEGER("s64", 64, 1),
    INTEGER("b64", 64, 1),
    INTEGER("u16x2", 16, 2),
    INTEGER("s16x2", 16, 2),
    INTEGER("u8x4", 8, 4),
    FLOAT("f16", 16, 1, 5, 10),
    FLOAT("f16x2", 16, 2, 5, 10),
    FLOAT("bf16", 16, 1, 8, 7),
    FLOAT("bf16x2", 16, 2, 8, 7),
    FLOAT("f32", 32, 1, 8, 23),
    FLOAT("tf32", 32, 1, 8, 23),
    FLOAT("f64", 64, 1, 11, 52),
    FLOAT("f16x4", 16, 4, 5, 10),
    FLOAT("bf16x4", 16, 4, 8, 7),
    FLOAT("f32x2", 32, 2, 8, 23),
    FLOAT("e4m3x2", 8, 2, 4, 3),
    FLOAT("e5m2x2", 8, 2, 5, 2),
    FLOAT("e4m3x4", 8, 4, 4, 3),
    FLOAT("e5m2x4", 8, 4, 5, 2),
    /* angles up to 2 pi, and floats up to 4: for functions and sums whose error is stated for such values */
    {"angle", CLASS_FLOAT, 32, 1, 8, 23, 0, 0x40c90fdb},
    {"unit", CLASS_FLOAT, 32, 1, 8, 23, 0, 0x40800000},
    {"unit64", CLASS_FLOAT, 64, 1, 11, 52, 0, 0x4010000000000000},
    {"unit16x2", CLASS_FLOAT, 16, 2, 5, 10, 0, 0x4400},
    {"unitb16x2", CLASS_FLOAT, 16, 2, 8, 7, 0, 0x4080},
    {"unite4m3x4", CLASS_FLOAT, 8, 4, 4, 3, 0, 0x48},
    {"unite5m2x4", CLASS_FLOAT, 8, 4, 5, 2, 0, 0x44},
    BOUNDED("shift", 32, 0, 70),
    BOUNDED("byte", 32, 0, 255),
    BOUNDED("bits", 32, 0, 40),
    BOUNDED("lane", 32, 0, 31),
    BOUNDED("few", 32, 0, 3),
    {"pred", CLASS_PREDICATE, 1, 1, 0, 0, 0, 1},
};

const truth_kind *truth_kind_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

int truth_kind_bytes(const truth_kind *kind)
{
    const int bits = kind->bits * kind->elements;
    return bits == 1 ? 1 : bits <= 16 ? 2 : bits / 8;
}

/* ---- numbers ---- */

static uint64_t next(uint64_t *state)
{ /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t mask_of(int bits)
{
    return bits == 64 ? ~0ull : (1ull << bits) - 1;
}

/* Integers that are ends of ranges, ordered so that the first ones matter most. */
static uint64_t special_integer(int bits, int index)
{
    const uint64_t top = 1ull << (bits - 1);
    /* clang-format off */
    const uint64_t table[] = {
        0, 1, ~0ull, top, top - 1, 2, top + 1, ~0ull - 1, 0x5555555555555555, 3, 0x80, 0x7f, 0xff, 0x100,
        top >> 1, 0xaaaaaaaaaaaaaaaa, 31, 32, 10, ~0ull - 6, 0x8000, 0x7fff, 0xffff, 0x10000,
        0x123456789abcdef, 0xffffff, 0x1000000, 0x1000001, 0x80000000, 0x7fffffff, 0xffffffff, 0x100000000,
        0x3ff, 7, 5, 0xfedcba9876543210};
    /* clang-format on */
    return table[index % (int)(sizeof table / sizeof *table)] & mask_of(bits);
}

/* A float of the kind's format, rounded to nearest from a double; beyond the range: infinity (formats without one: NaN). */
static uint64_t encode(const truth_kind *k, double value)
{
    const uint64_t sign = signbit(value) ? 1ull << (k->bits - 1) : 0;
    const int bias = (1 << (k->exponent - 1)) - 1;
    double a = fabs(value);
    int e = 0;
    if (a == 0)
        return sign;
    frexp(a, &e);
    e -= 1;
    if (e < 1 - bias)
        e = 1 - bias;
    const double q = nearbyint(ldexp(a, k->mantissa - e));
    const uint64_t code = q < (double)(1ull << k->mantissa)
                              ? (uint64_t)q
                              : ((uint64_t)(e + bias - 1) << k->mantissa) + (uint64_t)q;
    const uint64_t infinity = mask_of(k->exponent) << k->mantissa;
    return sign | (code > infinity ? infinity : code);
}

/* Zeros, subnormals, ends of ranges, ties, infinities and NaNs of the format, and ends of other formats' ranges. */
static uint64_t special_float(const truth_kind *k, int index)
{
    const uint64_t one = (mask_of(k->exponent - 1)) << k->mantissa, sign = 1ull << (k->bits - 1);
    const uint64_t infinity = mask_of(k->exponent) << k->mantissa, quiet = 1ull << (k->mantissa - 1);
    const uint64_t normal = 1ull << k->mantissa;
    /* clang-format off */
    const uint64_t bits[] = {
        0, sign, one, one | sign, infinity, infinity | quiet | 5, 1, infinity - 1, infinity | sign,
        one + 1, normal, normal - 1, sign | 1, infinity | 1, one - 1, sign | normal, sign | (infinity - 1),
        sign | infinity | quiet, normal + 1, sign | (normal - 1), 2, 3, infinity | (quiet - 1),
        sign | infinity | 3, one + 2, one + 3, (one + 1) | sign, infinity - 2, normal | quiet, quiet,
        sign | quiet, normal * 2, normal * 3 - 1};
    /* clang-format on */
    /* clang-format off */
    static const double numbers[] = {
        0.5, 1.5, 2.5, -2.5, 3.5, 2, -0.5, 3, 65504, 65519, 65520, 448, 464, 465, 57344, 61440, 1e-7,
        5.96e-8, 2.98e-8, 2.99e-8, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25, 255, 255.5, 256, 127, 128, -128,
        -128.5, -129, 32767, 32768, 65535, 65535.5, -32768.5, 0x1p23, 0x1p23 + 1, 0x1p22 + 0.5, 0x1p24,
        0x1p31, 0x1p32, -0x1p31, 0x1p63, 0x1p64, -0x1p63, 2147483520.0, 2147483647.0, 2147483648.5,
        4294967295.0, 4294967295.5, 0x1.fffffep127, 0x1.ffffffp127, 0x1p128, 0x1p-126, 0x1p-149, 0x1p-150,
        0x1.8p-150, 0x1p126, 0x1.8p126, 0x1p127, 0x1p-127, 3.14159265358979, 1.5707963267949,
        6.28318530717959, -3.14159265358979, 0.785398163397448, 10, 100, 1000, 1e10, 1e20, 1e-20,
        0x1.008p0, 0x1.018p0, 0x1.004p0, 0x1.00cp0, 0x1.001p0, 0x1.003p0, 0x1.02p0, 0x1.06p0, 0x1.000001p0,
        0x1.000003p0, -126, -127, -149, -150, 15.5, -14, -24.5, 0x1p-9, 0x1p-10, 0x1.8p-10, 0x1p-16,
        0x1p-17, 0x1.8p-17, 0x1p-133, 0x1p-134, 0x1.8p-134, 0x1.fep127, 0x1.fffp15};
    /* clang-format on */
    const int first = (int)(sizeof bits / sizeof *bits), second = (int)(sizeof numbers / sizeof *numbers);
    index %= first + second;
    return index < first ? bits[index] & mask_of(k->bits) : encode(k, numbers[index - first]);
}

enum { SPECIALS_INTEGER = 36, SPECIALS_FLOAT = 145 };

static int specials(const truth_kind *k)
{
    switch (k->class) {
    case CLASS_INTEGER:
        return SPECIALS_INTEGER;
    case CLASS_FLOAT:
        return SPECIALS_FLOAT;
    default:
        return (int)(k->high - k->low + 1);
    }
}

/* Floats stay below the kind's largest magnitude where it has one: they are drawn between it and its negative. */
static uint64_t special(const truth_kind *k, int index)
{
    if (k->class == CLASS_INTEGER)
        return special_integer(k->bits, index);
    if (k->class != CLASS_FLOAT)
        return k->low + (uint64_t)index % (k->high - k->low + 1);
    const uint64_t bits = special_float(k, index), sign = 1ull << (k->bits - 1);
    return k->high && (bits & ~sign) > k->high ? bits & sign : bits;
}

/* Half of the random values have all bits random, the others are floats about 1 and small integers. */
static uint64_t arbitrary(const truth_kind *k, uint64_t *state)
{
    const uint64_t r = next(state), shape = next(state);
    const double u = (double)(int64_t)r * 0x1p-63;
    if (k->class == CLASS_INTEGER)
        return (shape & 1 ? r : shape & 2 ? r >> 40 & 0xff : (uint64_t)((int64_t)r >> 56)) & mask_of(k->bits);
    if (k->class != CLASS_FLOAT)
        return k->low + r % (k->high - k->low + 1);
    if (k->high)
        return encode(k, u * (k->high == 0x40c90fdb ? 6.28 : 4));
    if (shape & 1)
        return r & mask_of(k->bits);
    return encode(k, shape & 2 ? u * 4 : ldexp(u, (int)(shape >> 8 & 31) - 12));
}

/* All elements of a register; those behind the first are drawn from the special values, too. */
static uint64_t fill(const truth_kind *k, uint64_t first, uint64_t *state)
{
    uint64_t whole = first;
    for (int e = 1; e < k->elements; e++) {
        const uint64_t r = next(state);
        const uint64_t v = r & 1 ? special(k, (int)(r >> 1 & 0xffff)) : arbitrary(k, state);
        whole |= v << (e * k->bits);
    }
    return whole;
}

static uint64_t name_seed(const char *name)
{ /* FNV-1a */
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 0x100000001b3u;
    return h;
}

static int power(int x, int n)
{
    int r = 1;
    while (n-- > 0)
        r *= x;
    return r;
}

/* How many special values of each operand are combined with those of the others. */
static int crossed_values(const truth_case *c)
{
    int most = 1, side = 1;
    for (int k = 0; k < c->ins; k++)
        most = specials(c->in[k]) > most ? specials(c->in[k]) : most;
    while (side < most && c->ins <= 3 && power(side + 1, c->ins) * 10 <= c->rows * 6)
        side++;
    return side;
}

/* The first rows combine special values of all operands, in more than half of the rows; the others are random, where an operand is at
 * times the one before it or its neighbour. */
uint64_t *truth_operands(const truth_case *c)
{
    const int rows = c->rows, ins = c->ins;
    uint64_t *values = calloc((size_t)rows * (size_t)(ins ? ins : 1), sizeof *values);
    uint64_t state = name_seed(c->name);
    if (!values)
        abort();
    const int side = crossed_values(c);
    const int total = ins <= 3 ? power(side, ins) : 0;
    for (int row = 0; row < rows; row++) {
        int digits = row;
        for (int k = 0; k < ins; k++) {
            const truth_kind *kind = c->in[k];
            const uint64_t r = next(&state);
            uint64_t v;
            if (row < total)
                v = special(kind, digits % side), digits /= side;
            else if (k && c->in[k - 1] == kind && !kind->high && r % 8 == 0)
                v = (values[(k - 1) * rows + row] + (r >> 8 & 1)) & mask_of(kind->bits);
            else if (r % 8 == 1)
                v = special(kind, (int)(r >> 8 & 0xffff) % specials(kind));
            else
                v = arbitrary(kind, &state);
            values[k * rows + row] = fill(kind, v, &state);
        }
    }
    return values;
}

uint32_t truth_hash(const truth_case *c, const uint64_t *operands)
{
    uint64_t h = name_seed(c->name) ^ name_seed(c->body) << 1;
    for (int i = 0; i < c->outs; i++)
        h = h * 31 + name_seed(c->out[i]->name);
    for (int i = 0; i < c->rows * c->ins; i++)
        h = (h ^ operands[i]) * 0x100000001b3u, h ^= h >> 29;
    return (uint32_t)(h ^ h >> 32);
}
