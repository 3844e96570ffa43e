/* Differential evolution (Storn and Price, 1997) on the places of values: member = member + F (best - member) +
 * F (another - a third), with crossover; a child that is faster takes its member's place. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"
#include <math.h>

enum { MEMBERS = 12 };
static const double weight = 0.6, crossover = 0.7;

typedef struct evolution_state {
    evaluation member[MEMBERS];
    int count;
} evolution_state;

/* Which member a child is of follows from its number, so that told evaluations alone rebuild the state. */
static int member_of(long number)
{
    return (int)(number % MEMBERS);
}

static const evaluation *fittest(const evolution_state *v)
{
    const evaluation *best = &v->member[0];
    for (int i = 1; i < v->count; i++)
        if (v->member[i].objective < best->objective)
            best = &v->member[i];
    return best;
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    const evolution_state *v = st->state;
    if (v->count < MEMBERS)
        return space_draw(st->space, stream, 0, out);
    const int own = member_of(st->told_count + st->pending_count);
    const configuration *best = &fittest(v)->configuration;
    const configuration *b = &v->member[stats_random_below(stream, 1, MEMBERS)].configuration;
    const configuration *c = &v->member[stats_random_below(stream, 2, MEMBERS)].configuration;
    const int parameters = space_parameter_count(st->space);
    const int certain = parameters > 0 ? stats_random_below(stream, 3, parameters) : 0;
    *out = v->member[own].configuration;
    for (int i = 0; i < parameters; i++) {
        const int values = space_parameter_at(st->space, i)->value_count;
        if (i != certain && stats_random_uniform(stream, (uint64_t)(10 + i)) > crossover)
            continue;
        const double step =
            weight * ((double)best->index[i] - out->index[i]) + weight * ((double)b->index[i] - c->index[i]);
        double place = floor(out->index[i] + step + stats_random_uniform(stream, (uint64_t)(100 + i)));
        if (place < 0 || place >= values) /* beyond the end: anywhere */
            place = stats_random_below(stream, (uint64_t)(200 + i), values);
        out->index[i] = (uint16_t)place;
    }
    return space_repair(st->space, stream, 0, out);
}

static void learn(strategy *st, const evaluation *e)
{
    evolution_state *v = st->state;
    if (e->status != EVALUATION_SUCCESS)
        return;
    if (v->count < MEMBERS) {
        v->member[v->count++] = *e;
        return;
    }
    evaluation *own = &v->member[member_of(st->told_count - 1)];
    if (e->objective < own->objective)
        *own = *e;
}

const strategy_kind strategy_differential_evolution = {
    .name = "differential_evolution",
    .about = "differences between members of a population as steps",
    .state_bytes = sizeof(evolution_state),
    .propose = propose,
    .learn = learn,
};
