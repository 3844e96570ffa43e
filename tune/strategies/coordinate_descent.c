/* Coordinate descent with restarts: all values of one parameter, nearest first, then the next parameter; moves as soon as
 * one is faster. Where nothing is left to try around a point, it starts again at a random one. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"

typedef struct descent_state {
    evaluation current;
    int has_current;
    long moves; /* and restarts: each has an order of parameters of its own */
} descent_state;

/* The first neighbour in this descent's order for which `known` is 0; 0 if there is none. */
static int first_unknown(const strategy *st, int (*known)(const strategy *, const configuration *),
                         configuration *out)
{
    const descent_state *d = st->state;
    const int parameters = space_parameter_count(st->space);
    int order[SPACE_MAX_PARAMETERS];
    stats_shuffle(st->seed + (uint64_t)d->moves, order, parameters);
    for (int i = 0; i < parameters; i++) {
        const int own = d->current.configuration.index[order[i]];
        const int values = space_parameter_at(st->space, order[i])->value_count;
        for (int step = 1; step < values; step++) {
            for (int side = 0; side < 2; side++) {
                const int index = side ? own - step : own + step;
                *out = d->current.configuration;
                if (index < 0 || index >= values)
                    continue;
                out->index[order[i]] = (uint16_t)index;
                if (!known(st, out) && space_is_valid(st->space, out, NULL))
                    return 1;
            }
        }
    }
    return 0;
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    const descent_state *d = st->state;
    if (d->has_current && first_unknown(st, strategy_knows, out))
        return 1;
    return space_draw(st->space, stream, 0, out);
}

static int is_neighbour(const configuration *a, const configuration *b)
{
    int different = 0;
    for (int i = 0; i < SPACE_MAX_PARAMETERS; i++)
        different += a->index[i] != b->index[i];
    return different == 1;
}

static void move_to(descent_state *d, const evaluation *e)
{
    d->current = *e;
    d->has_current = 1;
    d->moves++;
}

/* Whether a descent has ended follows from what was told, not from what is pending, so that a resumed run agrees. */
static void learn(strategy *st, const evaluation *e)
{
    descent_state *d = st->state;
    configuration left;
    if (e->status != EVALUATION_SUCCESS)
        return;
    if (!d->has_current || e->objective < d->current.objective)
        move_to(d, e);
    else if (!is_neighbour(&d->current.configuration, &e->configuration) &&
             !first_unknown(st, strategy_was_told, &left))
        move_to(d, e);
}

const strategy_kind strategy_coordinate_descent = {
    .name = "coordinate_descent",
    .about = "one parameter after the other, with random restarts",
    .state_bytes = sizeof(descent_state),
    .propose = propose,
    .learn = learn,
};
