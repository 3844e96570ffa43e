/* Which way the elements of parts of an output were rounded; see compare.h. A kernel that cuts off every third row, or the columns behind
 * its vectors, has a small bias over all elements and a large one there. */
#include "verify/compare_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* As many rows, and of the 128 hashes as many, so that some 200 different values tell: roundings that agree by chance need a deviation of
 * twelve. The deviation of the mean is taken between rows, which may have a factor in common. */
enum { FEWEST_ROWS = 64, FEWEST_DISTINCT = 100 };
#define DEVIATIONS 6.0

/* Of larger outputs one row in 11 is looked at, which is a row of every part: 11 divides no modulus. */
enum { ALL_BELOW = 1 << 20, ONE_IN = 11 };

void compare_shape(compare_result *result, const assay_tensor *shape)
{
    compare_classes *c = &result->classes;
    if (result->exact || result->dtype == ASSAY_F32 || shape->rank < 1 || shape->rank > COMPARE_CLASS_RANK ||
        assay_tensor_count(shape) == 0)
        return;
    c->rank = shape->rank;
    memcpy(c->shape, shape->shape, (size_t)c->rank * sizeof *c->shape);
    c->every = assay_tensor_count(shape) < ALL_BELOW ? 1 : ONE_IN;
    c->row = -1;
}

/* Numbers of the classes: those of modulus 2, of 3 and so on, the eighths, the last index. */
enum { PARTS_OF_ONE = 9, SECTIONS_AT = COMPARE_CLASSES - COMPARE_SECTIONS - 1, LAST = COMPARE_CLASSES - 1 };
#define FIRST_OF(modulus) ((modulus) * ((modulus)-1) / 2 - 1)

/* The classes to which an index of a dimension belongs; returns how many. */
static int classes_of(uint32_t position, int64_t extent, int at[PARTS_OF_ONE])
{
    at[0] = FIRST_OF(2) + (int)(position % 2);
    at[1] = FIRST_OF(3) + (int)(position % 3);
    at[2] = FIRST_OF(4) + (int)(position % 4);
    at[3] = FIRST_OF(5) + (int)(position % 5);
    at[4] = FIRST_OF(6) + (int)(position % 6);
    at[5] = FIRST_OF(7) + (int)(position % 7);
    at[6] = FIRST_OF(8) + (int)(position % 8);
    at[7] = SECTIONS_AT + (int)((int64_t)position * COMPARE_SECTIONS / extent);
    at[8] = LAST;
    return position + 1 == extent ? PARTS_OF_ONE : PARTS_OF_ONE - 1;
}

static void add_row(compare_class *k, double away, double up)
{
    k->rows++;
    k->away += away;
    k->away2 += away * away;
    k->up += up;
    k->up2 += up * up;
}

static void add_to_dimension(compare_classes *c, int dimension, int64_t position)
{
    int at[PARTS_OF_ONE];
    const int count = classes_of((uint32_t)position, c->shape[dimension], at);
    for (int i = 0; i < count; i++) {
        compare_class *k = &c->of[dimension][at[i]];
        add_row(k, c->away / c->in_row, c->up / c->in_row);
        k->seen[0] |= c->seen[0];
        k->seen[1] |= c->seen[1];
    }
}

static void close_row(compare_classes *c)
{
    int64_t row = c->row;
    for (int d = c->rank - 2; d >= 0 && c->in_row > 0; d--) {
        add_to_dimension(c, d, row % c->shape[d]);
        row /= c->shape[d];
    }
    for (int i = 0; i < COMPARE_CLASSES && c->in_row > 0; i++)
        if (c->in_part[i] > 0)
            add_row(&c->of[c->rank - 1][i], c->part_away[i] / c->in_part[i], c->part_up[i] / c->in_part[i]);
    c->in_row = 0;
    c->away = c->up = 0;
    memset(c->seen, 0, sizeof c->seen);
    memset(c->in_part, 0, sizeof c->in_part);
    memset(c->part_away, 0, sizeof c->part_away);
    memset(c->part_up, 0, sizeof c->part_up);
}

/* `hash`: of the output's bits, below 1024. */
void compare_classes_add(compare_classes *c, int64_t index, double away, double up, uint32_t hash)
{
    const int64_t columns = c->shape[c->rank - 1];
    if (c->row < 0 || index >= c->end || index < c->end - columns) {
        close_row(c);
        c->row = index / columns;
        c->end = (c->row + 1) * columns;
        c->left_out = c->row % c->every != 0;
    }
    if (c->left_out)
        return;
    int at[PARTS_OF_ONE];
    const int count = classes_of((uint32_t)(index - (c->end - columns)), columns, at);
    hash %= 128;
    c->in_row++;
    c->away += away;
    c->up += up;
    c->seen[hash / 64] |= UINT64_C(1) << hash % 64;
    for (int i = 0; i < count; i++) {
        c->in_part[at[i]]++;
        c->part_away[at[i]] += away;
        c->part_up[at[i]] += up;
        c->of[c->rank - 1][at[i]].seen[hash / 64] |= UINT64_C(1) << hash % 64;
    }
}

void compare_classes_merge(compare_classes *into, compare_classes *other)
{
    if (other->rank > 0)
        close_row(other);
    for (int d = 0; d < other->rank; d++)
        for (int i = 0; i < COMPARE_CLASSES; i++) {
            const compare_class *from = &other->of[d][i];
            compare_class *k = &into->of[d][i];
            k->rows += from->rows;
            k->away += from->away;
            k->away2 += from->away2;
            k->up += from->up;
            k->up2 += from->up2;
            k->seen[0] |= from->seen[0];
            k->seen[1] |= from->seen[1];
        }
}

/* In the direction in which it is larger; 0 where too few elements tell, or they differ by too much. */
static double bias_of(const compare_class *k)
{
    const double n = (double)k->rows, sums[2] = {k->away, k->up}, squares[2] = {k->away2, k->up2};
    double worst = 0;
    if (k->rows < FEWEST_ROWS ||
        __builtin_popcountll(k->seen[0]) + __builtin_popcountll(k->seen[1]) < FEWEST_DISTINCT)
        return 0;
    for (int i = 0; i < 2; i++) {
        const double mean = sums[i] / n, variance = fmax(squares[i] / n - mean * mean, 0) / (n - 1);
        if (fabs(mean) > DEVIATIONS * sqrt(variance) && fabs(mean) > fabs(worst))
            worst = mean;
    }
    return worst;
}

static void name_class(int at, char *out, size_t out_bytes)
{
    int modulus = 2;
    while (modulus < COMPARE_LARGEST_MODULUS && at >= FIRST_OF(modulus + 1))
        modulus++;
    if (at == LAST)
        snprintf(out, out_bytes, "is the last");
    else if (at >= SECTIONS_AT)
        snprintf(out, out_bytes, "lies in part %d of %d", at - SECTIONS_AT + 1, COMPARE_SECTIONS);
    else
        snprintf(out, out_bytes, "is %d modulo %d", at - FIRST_OF(modulus), modulus);
}

double compare_classes_worst(compare_classes *c, char *where, size_t where_bytes)
{
    double worst = 0;
    char name[40];
    if (c->rank > 0)
        close_row(c);
    for (int d = 0; d < c->rank; d++)
        for (int i = 0; i < COMPARE_CLASSES; i++) {
            const double bias = bias_of(&c->of[d][i]);
            if (fabs(bias) <= fabs(worst))
                continue;
            worst = bias;
            name_class(i, name, sizeof name);
            snprintf(where, where_bytes, "index %d of %d %s", d + 1, c->rank, name);
        }
    return worst;
}
