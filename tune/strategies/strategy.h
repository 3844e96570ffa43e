/* Strategies of search: ask for configurations, tell what came of them.
 *
 *     strategy *st;
 *     strategy_create("bayesian", space, &options, &st, &error);
 *     while (!my_stop_rule() && strategy_ask(st, &c, 1) == 1) {
 *         evaluation e = measure(&c);
 *         strategy_tell(st, &e);
 *     }
 *     strategy_free(st);
 *
 * What holds for every strategy:
 * - A configuration is proposed once: never again after it was asked or told.
 * - The next proposal is a function of the seed, the evaluations told so far in order, and the number of
 *   proposals not yet told. So a killed run goes on as if nothing had happened: create it with the same name,
 *   seed and options, tell the recorded evaluations in their order, ask.
 * - Evaluations that were never asked (from an archive, a provider, another machine) may be told, too.
 * - Stop rules (time, evaluations, target, no improvement) are the caller's.
 * Not thread-safe: one caller asks and tells. */
#ifndef ASSAY_TUNE_STRATEGY_H
#define ASSAY_TUNE_STRATEGY_H

#include "tune/space/space.h"

typedef struct strategy strategy;

typedef struct strategy_options {
    uint64_t seed;
    /* How many evaluations the run will have at most, for schedules (annealing, population); 0: not known. A
     * resumed run passes the number that the first one had. */
    long budget;
    /* Proposed first, in this order, as far as they are valid and new: the default configuration, a provider's,
     * the experience log's, the best of an earlier run. Copied. */
    const configuration *seeds;
    int seed_count;
} strategy_options;

/* The names, "exhaustive", "random", "annealing", "genetic", "differential_evolution", "coordinate_descent",
 * "bayesian", "heuristic", with a line about each; NULL past the end. "bayesian" is the default of the tuner. */
const char *strategy_name(int number);
const char *strategy_about(int number);

/* `s` must outlive the strategy. `options` may be NULL (seed 0, no seeds). ASSAY_ERR_INVALID: unknown name, and
 * the message lists the known ones. ASSAY_ERR_UNSUPPORTED: this build lacks a library for it. */
assay_status strategy_create(const char *name, const space *s, const strategy_options *options,
                             strategy **out, assay_error *error);
void strategy_free(strategy *st);

/* The next configurations, at most `count`. Fewer only when every valid configuration was proposed or told: 0 is
 * the end of the space. Asking for several before telling makes a batch; each is valid and new. */
int strategy_ask(strategy *st, configuration *out, int count);

/* What came of a configuration. A failure teaches the strategy, too: its status says why. Telling the same
 * configuration twice is allowed; the second is ignored. Never fails (without memory the evaluation is lost to the
 * strategy and only to it). */
void strategy_tell(strategy *st, const evaluation *e);

#endif
