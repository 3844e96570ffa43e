/* Inside tune/strategies only: what strategy.c and strategy_memory.c keep for every strategy, and what a strategy is. */
#ifndef ASSAY_TUNE_STRATEGY_INTERNAL_H
#define ASSAY_TUNE_STRATEGY_INTERNAL_H

#include "tune/strategies/strategy.h"

/* A strategy. Its state is a function of the evaluations that `learn` saw, so that telling them again rebuilds it;
 * `propose` changes nothing but caches of that. */
typedef struct strategy_kind {
    const char *name, *about;
    const char *missing; /* NULL, or what this build lacks for it */
    /* Bytes of zeroed memory at st->state. */
    size_t state_bytes;
    /* Optional. 0: no memory. */
    int (*start)(strategy *st);
    /* Suggest a configuration from the random stream `stream`; 1 if there is one. It may be invalid or known:
     * strategy.c then asks again with another stream, and falls back to random draws. */
    int (*propose)(strategy *st, uint64_t stream, configuration *out);
    /* Optional: st->told[st->told_count - 1] is new. */
    void (*learn)(strategy *st, const evaluation *e);
    /* Optional: release what start and learn made. */
    void (*stop)(strategy *st);
} strategy_kind;

extern const strategy_kind strategy_exhaustive, strategy_random, strategy_annealing, strategy_genetic,
    strategy_differential_evolution, strategy_coordinate_descent, strategy_bayesian, strategy_heuristic;

typedef struct strategy_entry {
    configuration configuration;
    enum { ENTRY_FREE, ENTRY_PENDING, ENTRY_TOLD } state;
} strategy_entry;

struct strategy {
    const strategy_kind *kind;
    const space *space;
    uint64_t seed;
    long budget; /* never 0: DEFAULT_BUDGET where the caller knows none */
    configuration *seeds;
    int seed_count, seed_next;
    evaluation *told;
    long told_count, told_capacity;
    long best;             /* number in `told`; -1: no success yet */
    strategy_entry *table; /* open addressing, a power of two */
    size_t table_size, table_used;
    long pending_count;
    configuration scan; /* where the last resort, the first unknown in order, has got to */
    int scan_started, is_exhausted;
    void *state;
};

enum { STRATEGY_DEFAULT_BUDGET = 200 };

/* The entry of `c`, made if it is new; NULL without memory. */
strategy_entry *strategy_enter(strategy *st, const configuration *c);
/* Asked or told. */
int strategy_knows(const strategy *st, const configuration *c);
/* Told. */
int strategy_was_told(const strategy *st, const configuration *c);
/* Progress through the budget, 0 to 1. */
double strategy_progress(const strategy *st);
/* Change `count` randomly chosen parameters of *c (to a value beside the old one, or to any), then repair it. */
int strategy_mutate(const strategy *st, uint64_t stream, int count, int is_adjacent, configuration *c);

#endif
