/* Groups of parameters that constraints link: enumeration of their valid tuples, and walks through a group that has too
 * many to be enumerated. */
#include "tune/space/space_internal.h"
#include "statistics/random.h"
#include <stdlib.h>
#include <string.h>

enum { DESCENT_STEPS = 200000 };

void space_set_slot(const space *s, int parameter, int index)
{
    s->slots[parameter] = s->parameters[parameter].values[index];
}

int space_holds(const space *s, int i)
{
    expression_value result;
    return expression_evaluate(s->constraints[i].parsed, s->slots, &result, NULL) == ASSAY_OK &&
           value_is_true(&result);
}

/* All constraints of a group that can be evaluated once the parameter at place `level` has a value. */
static int level_holds(const space *s, const space_group *g, int level)
{
    for (int i = 0; i < g->constraint_count; i++)
        if (g->levels[i] == level && !space_holds(s, g->constraints[i]))
            return 0;
    return 1;
}

static int append_tuple(space_group *g, const int *index, size_t *capacity)
{
    if (g->tuple_count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        uint16_t *grown = realloc(g->tuples, *capacity * (size_t)g->count * sizeof *grown);
        if (grown == NULL)
            return 0;
        g->tuples = grown;
    }
    for (int i = 0; i < g->count; i++)
        g->tuples[g->tuple_count * (size_t)g->count + (size_t)i] = (uint16_t)index[i];
    g->tuple_count++;
    return 1;
}

static void make_open(space_group *g)
{
    free(g->tuples);
    g->tuples = NULL;
    g->tuple_count = 0;
    g->is_open = 1;
}

/* Depth first, in lexicographic order, cutting a branch at the first constraint that fails. */
static assay_status enumerate_group(const space *s, space_group *g, assay_error *error)
{
    int index[SPACE_MAX_PARAMETERS] = {-1}, level = 0;
    size_t capacity = 0;
    for (long steps = 0; level >= 0; steps++) {
        const int parameter = g->parameters[level];
        if (++index[level] == s->parameters[parameter].value_count) {
            level--;
            continue;
        }
        if (steps > SPACE_MAX_STEPS || g->tuple_count == SPACE_MAX_TUPLES) {
            make_open(g);
            return ASSAY_OK;
        }
        space_set_slot(s, parameter, index[level]);
        if (!level_holds(s, g, level))
            continue;
        if (level + 1 < g->count)
            index[++level] = -1;
        else if (!append_tuple(g, index, &capacity))
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the valid configurations");
    }
    return ASSAY_OK;
}

/* The masks of parameters that belong together, merged until no two overlap. */
static int link_parameters(const space *s, uint64_t *masks)
{
    int count = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        uint64_t mask = UINT64_C(1) << i;
        for (int changed = 1; changed;) {
            changed = 0;
            for (int c = 0; c < s->constraint_count; c++)
                if ((s->constraints[c].uses & mask) && (s->constraints[c].uses & ~mask)) {
                    mask |= s->constraints[c].uses;
                    changed = 1;
                }
        }
        int is_new = 1;
        for (int k = 0; k < count; k++)
            is_new &= !(masks[k] & mask);
        if (is_new)
            masks[count++] = mask;
    }
    return count;
}

static void fill_group(const space *s, space_group *g, uint64_t mask)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (mask >> i & 1)
            g->parameters[g->count++] = i;
    for (int c = 0; c < s->constraint_count; c++) {
        if (!(s->constraints[c].uses & mask))
            continue;
        g->constraints[g->constraint_count] = c;
        for (int i = 0; i < g->count; i++)
            if (s->constraints[c].uses >> g->parameters[i] & 1)
                g->levels[g->constraint_count] = i;
        g->constraint_count++;
    }
}

assay_status space_make_groups(space *s, assay_error *error)
{
    uint64_t masks[SPACE_MAX_PARAMETERS];
    s->group_count = link_parameters(s, masks);
    for (int c = 0; c < s->constraint_count; c++)
        s->is_impossible |= s->constraints[c].uses == 0 && !space_holds(s, c);
    for (int k = 0; k < s->group_count; k++) {
        fill_group(s, &s->groups[k], masks[k]);
        const assay_status status = enumerate_group(s, &s->groups[k], error);
        if (status != ASSAY_OK)
            return status;
        s->is_impossible |= !s->groups[k].is_open && s->groups[k].tuple_count == 0;
    }
    return ASSAY_OK;
}

static int compare_tuple(const space_group *g, size_t tuple, const configuration *c)
{
    const uint16_t *index = &g->tuples[tuple * (size_t)g->count];
    for (int i = 0; i < g->count; i++) {
        const int difference = (int)index[i] - (int)c->index[g->parameters[i]];
        if (difference != 0)
            return difference;
    }
    return 0;
}

long space_group_find(const space_group *g, const configuration *c)
{
    size_t low = 0, high = g->tuple_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int difference = compare_tuple(g, middle, c);
        if (difference == 0)
            return (long)middle;
        if (difference < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

void space_group_put(const space_group *g, size_t tuple, configuration *c)
{
    for (int i = 0; i < g->count; i++)
        c->index[g->parameters[i]] = g->tuples[tuple * (size_t)g->count + (size_t)i];
}

int space_group_walk(const space *s, const space_group *g, int started, configuration *c)
{
    int index[SPACE_MAX_PARAMETERS] = {-1}, level = 0;
    if (started) {
        for (level = 0; level < g->count; level++) {
            index[level] = c->index[g->parameters[level]];
            space_set_slot(s, g->parameters[level], index[level]);
        }
        level = g->count - 1;
    }
    while (level >= 0) {
        const int parameter = g->parameters[level];
        if (++index[level] >= s->parameters[parameter].value_count) {
            level--;
            continue;
        }
        space_set_slot(s, parameter, index[level]);
        if (!level_holds(s, g, level))
            continue;
        if (++level < g->count) {
            index[level] = -1;
            continue;
        }
        for (int i = 0; i < g->count; i++)
            c->index[g->parameters[i]] = (uint16_t)index[i];
        return 1;
    }
    return 0;
}

/* Value number `k` to try: a random rotation, or the k-th nearest to the wanted one (ties: lower first). */
static int kth_value(int k, int count, int start, int is_wanted)
{
    if (!is_wanted)
        return (start + k) % count;
    const int distance = (k + 1) / 2, up = k % 2;
    const int below = start, above = count - 1 - start, both = below < above ? below : above;
    if (distance <= both)
        return k == 0 ? start : up ? start + distance : start - distance;
    const int past = k - 2 * both; /* one side is used up */
    return below < above ? start + both + past : start - both - past;
}

int space_group_descend(const space *s, const space_group *g, uint64_t seed, const configuration *wanted,
                        configuration *c)
{
    int tried[SPACE_MAX_PARAMETERS], start[SPACE_MAX_PARAMETERS], level = 0;
    for (long steps = 0, attempt = 0; steps < DESCENT_STEPS; attempt++) {
        /* Every attempt has a share of the budget: one that went wrong early is given up. */
        for (int i = 0; i < g->count; i++) {
            const int parameter = g->parameters[i], count = s->parameters[parameter].value_count;
            tried[i] = 0;
            start[i] = wanted && attempt == 0
                           ? wanted->index[parameter]
                           : stats_random_below(seed, (uint64_t)(attempt * g->count + i), count);
        }
        const long stop = steps + DESCENT_STEPS / 20;
        for (level = 0; level >= 0 && steps < stop; steps++) {
            const int parameter = g->parameters[level], count = s->parameters[parameter].value_count;
            if (tried[level] == count) {
                tried[level--] = 0;
                continue;
            }
            const int index = kth_value(tried[level]++, count, start[level], wanted && attempt == 0);
            space_set_slot(s, parameter, index);
            c->index[parameter] = (uint16_t)index;
            if (level_holds(s, g, level) && ++level == g->count)
                return 1;
        }
        if (level < 0)
            return 0; /* walked through all of it: there is none */
    }
    return 0;
}

static int compare_tuples(const void *a, const void *b, void *context)
{
    const space_group *g = context;
    const uint16_t *x = a, *y = b;
    for (int i = 0; i < g->count; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

assay_status space_make_listed_group(space *s, const configuration *valid, size_t count, assay_error *error)
{
    space_group *g = &s->groups[0];
    s->group_count = 1;
    for (int i = 0; i < s->parameter_count; i++)
        g->parameters[g->count++] = i;
    const size_t width = (size_t)g->count;
    g->tuples = malloc((count * width + 1) * sizeof *g->tuples);
    if (g->tuples == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for the valid configurations");
    for (size_t k = 0; k < count; k++)
        memcpy(g->tuples + k * width, valid[k].index, width * sizeof *g->tuples);
    qsort_r(g->tuples, count, width * sizeof *g->tuples, compare_tuples, g);
    for (size_t k = 0; k < count; k++) {
        uint16_t *own = g->tuples + k * width,
                 *last = g->tuples + (g->tuple_count - (g->tuple_count > 0)) * width;
        if (g->tuple_count == 0 || compare_tuples(own, last, g) != 0)
            memmove(g->tuples + g->tuple_count++ * width, own, width * sizeof *own);
    }
    s->is_impossible = g->tuple_count == 0;
    return ASSAY_OK;
}
