/* Simulated annealing (Kirkpatrick, Gelatt and Vecchi, Science 1983): walks to a neighbour, accepts a slower one with a
 * probability that falls with the share of the budget that is used. Steps are any value first, the next value later. A
 * walk that accepts nothing for a while starts again at the best. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"
#include <math.h>

typedef struct annealing_state {
    evaluation current;
    int has_current, refused;
} annealing_state;

/* Relative slowdown that is accepted with probability 1/e. */
static const double first_temperature = 0.3, last_temperature = 0.005;
enum { PATIENCE = 20 };

static double temperature(const strategy *st)
{
    return first_temperature * pow(last_temperature / first_temperature, strategy_progress(st));
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    const annealing_state *a = st->state;
    if (!a->has_current)
        return space_draw(st->space, stream, 0, out);
    const double u = stats_random_uniform(stream, 100);
    const int is_adjacent = u < 0.3 + 0.5 * strategy_progress(st);
    const int count = stats_random_uniform(stream, 101) < 0.7 ? 1 : 2;
    *out = a->current.configuration;
    return strategy_mutate(st, stream, count, is_adjacent, out);
}

static void learn(strategy *st, const evaluation *e)
{
    annealing_state *a = st->state;
    if (e->status == EVALUATION_SUCCESS) {
        const double slower = a->has_current ? e->objective / a->current.objective - 1 : -1;
        const double u = stats_random_uniform(st->seed ^ UINT64_C(0x616e6e65616c), (uint64_t)st->told_count);
        if (slower <= 0 || u < exp(-slower / temperature(st))) {
            a->current = *e;
            a->has_current = 1;
            a->refused = 0;
            return;
        }
    }
    if (++a->refused >= PATIENCE && st->best >= 0) {
        a->current = st->told[st->best];
        a->refused = 0;
    }
}

const strategy_kind strategy_annealing = {
    .name = "annealing",
    .about = "simulated annealing over neighbours, cooling with the budget",
    .state_bytes = sizeof(annealing_state),
    .propose = propose,
    .learn = learn,
};
