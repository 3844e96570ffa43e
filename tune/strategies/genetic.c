/* Genetic search, steady state: parents win tournaments among the fittest so far, a child takes each value from one of
 * them (uniform crossover) and changes some. Failures never become parents. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"
#include <string.h>

enum { POPULATION = 16, TOURNAMENT = 3 };

typedef struct genetic_state {
    evaluation fittest[POPULATION]; /* ascending */
    int count;
} genetic_state;

static const evaluation *select_parent(const genetic_state *g, uint64_t stream, uint64_t counter)
{
    int winner = POPULATION;
    for (int i = 0; i < TOURNAMENT; i++) {
        const int rival = stats_random_below(stream, counter + (uint64_t)i, g->count);
        if (rival < winner)
            winner = rival;
    }
    return &g->fittest[winner];
}

/* The first children are random: as many as a population, or a fifth of a small budget. */
static int initial_count(const strategy *st)
{
    const long fifth = st->budget / 5;
    return fifth < 4 ? 4 : fifth > POPULATION ? POPULATION : (int)fifth;
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    const genetic_state *g = st->state;
    const int parameters = space_parameter_count(st->space);
    if (st->told_count < initial_count(st) || g->count < 2)
        return space_draw(st->space, stream, 0, out);
    const evaluation *mother = select_parent(g, stream, 1000), *father = select_parent(g, stream, 2000);
    *out = mother->configuration;
    for (int i = 0; i < parameters; i++)
        out->index[i] =
            (stats_random_below(stream, (uint64_t)(3000 + i), 2) ? mother : father)->configuration.index[i];
    int mutations = configuration_equals(&mother->configuration, &father->configuration);
    for (int i = 0; i < parameters; i++)
        mutations += stats_random_below(stream, (uint64_t)(4000 + i), parameters) == 0;
    return strategy_mutate(st, stream, mutations, stats_random_below(stream, 5000, 2), out);
}

static void learn(strategy *st, const evaluation *e)
{
    genetic_state *g = st->state;
    if (e->status != EVALUATION_SUCCESS)
        return;
    int place = g->count;
    while (place > 0 && g->fittest[place - 1].objective > e->objective)
        place--;
    if (place == POPULATION)
        return;
    const int kept = g->count < POPULATION ? g->count : POPULATION - 1;
    memmove(&g->fittest[place + 1], &g->fittest[place], (size_t)(kept - place) * sizeof *g->fittest);
    g->fittest[place] = *e;
    g->count = kept + 1;
}

const strategy_kind strategy_genetic = {
    .name = "genetic",
    .about = "crossover and mutation of the fittest so far",
    .state_bytes = sizeof(genetic_state),
    .propose = propose,
    .learn = learn,
};
