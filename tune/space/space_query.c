/* Asking a finished space: counts, enumeration, draws, neighbours. */
#include "tune/space/space_internal.h"
#include "statistics/random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPAIR_SCAN = 4096 };

int space_parameter_count(const space *s)
{
    return s->parameter_count;
}

const space_parameter *space_parameter_at(const space *s, int parameter)
{
    return &s->parameters[parameter];
}

int space_find_parameter(const space *s, const char *name)
{
    for (int i = 0; i < s->parameter_count; i++)
        if (strcmp(s->parameters[i].name, name) == 0)
            return i;
    return -1;
}

int space_constraint_count(const space *s)
{
    return s->constraint_count;
}

const char *space_constraint_text(const space *s, int number)
{
    return s->constraints[number].text;
}

double space_constant(const space *s, const char *name)
{
    for (int i = 0; i < s->constant_count; i++)
        if (strcmp(s->constant_names[i], name) == 0)
            return s->constants[i];
    return NAN;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t space_cartesian_count(const space *s)
{
    uint64_t count = 1;
    for (int i = 0; i < s->parameter_count; i++)
        count = multiply(count, (uint64_t)s->parameters[i].value_count);
    return count;
}

int space_is_open(const space *s)
{
    for (int k = 0; k < s->group_count; k++)
        if (s->groups[k].is_open)
            return 1;
    return 0;
}

uint64_t space_count(const space *s)
{
    uint64_t count = 1;
    if (s->is_impossible)
        return 0;
    if (space_is_open(s))
        return UINT64_MAX;
    for (int k = 0; k < s->group_count; k++)
        count = multiply(count, s->groups[k].tuple_count);
    return count;
}

int space_at(const space *s, uint64_t rank, configuration *out)
{
    memset(out, 0, sizeof *out);
    if (space_is_open(s) || rank >= space_count(s))
        return 0;
    for (int k = s->group_count - 1; k >= 0; k--) {
        space_group_put(&s->groups[k], (size_t)(rank % s->groups[k].tuple_count), out);
        rank /= s->groups[k].tuple_count;
    }
    return 1;
}

/* The group's next tuple; 0 past its end. */
static int step_group(const space *s, const space_group *g, int started, configuration *c)
{
    if (g->is_open)
        return space_group_walk(s, g, started, c);
    const long next = started ? space_group_find(g, c) + 1 : 0;
    if (next >= (long)g->tuple_count)
        return 0;
    space_group_put(g, (size_t)next, c);
    return 1;
}

int space_next(const space *s, int started, configuration *c)
{
    if (s->is_impossible)
        return 0;
    if (!started) {
        memset(c, 0, sizeof *c);
        for (int k = 0; k < s->group_count; k++)
            if (!step_group(s, &s->groups[k], 0, c))
                return 0;
        return 1;
    }
    for (int k = s->group_count - 1; k >= 0; k--) {
        if (step_group(s, &s->groups[k], 1, c))
            return 1;
        step_group(s, &s->groups[k], 0, c);
    }
    return 0;
}

static int first_broken(const space *s, const configuration *c)
{
    for (int i = 0; i < s->parameter_count; i++)
        space_set_slot(s, i, c->index[i]);
    for (int i = 0; i < s->constraint_count; i++)
        if (!space_holds(s, i))
            return i;
    return -1;
}

int space_is_valid(const space *s, const configuration *c, int *broken)
{
    int is_valid = !s->is_impossible, is_open = 0;
    if (broken)
        *broken = -1;
    for (int i = 0; i < s->parameter_count; i++)
        if (c->index[i] >= s->parameters[i].value_count)
            return 0;
    for (int k = 0; is_valid && k < s->group_count; k++) {
        is_open |= s->groups[k].is_open;
        is_valid = s->groups[k].is_open || space_group_find(&s->groups[k], c) >= 0;
    }
    if (is_valid && !is_open)
        return 1;
    const int first = first_broken(s, c);
    if (broken)
        *broken = first;
    return is_valid && first < 0; /* a listed space may have no constraint that says why */
}

int space_draw(const space *s, uint64_t seed, uint64_t counter, configuration *out)
{
    const uint64_t stream = stats_random(seed, counter);
    memset(out, 0, sizeof *out);
    if (s->is_impossible)
        return 0;
    for (int k = 0; k < s->group_count; k++) {
        const space_group *g = &s->groups[k];
        if (!g->is_open)
            space_group_put(g, (size_t)stats_random_below(stream, (uint64_t)k, (int)g->tuple_count), out);
        else if (!space_group_descend(s, g, stats_random(stream, (uint64_t)k), NULL, out))
            return 0;
    }
    return 1;
}

int space_neighbours(const space *s, const configuration *c, space_nearness nearness, configuration *out,
                     int most)
{
    int count = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        const int values = s->parameters[i].value_count, own = c->index[i];
        const int first = nearness == SPACE_ADJACENT ? own - 1 : 0;
        const int last = nearness == SPACE_ADJACENT ? own + 1 : values - 1;
        for (int v = first < 0 ? 0 : first; v <= last && v < values && count < most; v++) {
            configuration near = *c;
            near.index[i] = (uint16_t)v;
            if (v != own && space_is_valid(s, &near, NULL))
                out[count++] = near;
        }
    }
    return count;
}

/* Different parameters count most, then how far their values' places lie apart. */
static long distance(const space_group *g, size_t tuple, const configuration *c)
{
    long sum = 0;
    for (int i = 0; i < g->count; i++) {
        const int difference =
            (int)g->tuples[tuple * (size_t)g->count + (size_t)i] - (int)c->index[g->parameters[i]];
        sum += difference == 0 ? 0 : 8 + labs(difference);
    }
    return sum;
}

/* The nearest of all tuples, or of as many random ones as REPAIR_SCAN. */
static void repair_group(const space_group *g, uint64_t stream, configuration *c)
{
    const size_t scanned = g->tuple_count < REPAIR_SCAN ? g->tuple_count : REPAIR_SCAN;
    size_t nearest = 0;
    long least = -1;
    const size_t start = (size_t)stats_random_below(stream, 0, (int)g->tuple_count);
    for (size_t i = 0; i < scanned; i++) {
        const size_t tuple = scanned == g->tuple_count
                                 ? (start + i) % g->tuple_count /* ties go to a random one */
                                 : (size_t)stats_random_below(stream, i + 1, (int)g->tuple_count);
        const long far = distance(g, tuple, c);
        if (least < 0 || far < least) {
            least = far;
            nearest = tuple;
        }
    }
    space_group_put(g, nearest, c);
}

int space_repair(const space *s, uint64_t seed, uint64_t counter, configuration *c)
{
    const uint64_t stream = stats_random(seed, counter);
    if (s->is_impossible)
        return 0;
    for (int k = 0; k < s->group_count; k++) {
        const space_group *g = &s->groups[k];
        const configuration wanted = *c;
        if (g->is_open) {
            if (!space_group_descend(s, g, stats_random(stream, (uint64_t)k), &wanted, c))
                return 0;
        } else if (space_group_find(g, c) < 0) {
            repair_group(g, stats_random(stream, (uint64_t)k), c);
        }
    }
    return 1;
}

void space_default(const space *s, configuration *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < s->parameter_count; i++)
        out->index[i] = (uint16_t)s->parameters[i].default_index;
}
