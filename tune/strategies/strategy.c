/* Asking and telling, the same for all strategies: seeds, no duplicates, the last resort. What was proposed and told is kept by
 * strategy_memory.c. */
#include "tune/strategies/strategy_internal.h"
#include "statistics/random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROPOSALS = 24, DRAWS = 64 };

static const strategy_kind *const kinds[] = {
    &strategy_exhaustive,
    &strategy_random,
    &strategy_annealing,
    &strategy_genetic,
    &strategy_differential_evolution,
    &strategy_coordinate_descent,
    &strategy_bayesian,
    &strategy_heuristic,
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const char *strategy_name(int number)
{
    return number >= 0 && number < KIND_COUNT ? kinds[number]->name : NULL;
}

const char *strategy_about(int number)
{
    return number >= 0 && number < KIND_COUNT ? kinds[number]->about : NULL;
}

static const strategy_kind *find_kind(const char *name, assay_error *error)
{
    char known[400] = "";
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
        strcat(strcat(known, i ? ", " : ""), kinds[i]->name);
    }
    assay_error_set(error, ASSAY_ERR_INVALID, "there is no strategy \"%.64s\"; there are: %s", name, known);
    return NULL;
}

/* ---- creation ---- */

assay_status strategy_create(const char *name, const space *s, const strategy_options *options,
                             strategy **out, assay_error *error)
{
    static const strategy_options none;
    const strategy_kind *kind = find_kind(name, error);
    *out = NULL;
    if (kind == NULL)
        return ASSAY_ERR_INVALID;
    if (kind->missing)
        return assay_error_set(error, ASSAY_ERR_UNSUPPORTED, "strategy \"%s\" needs %s", name, kind->missing);
    if (options == NULL)
        options = &none;
    strategy *st = calloc(1, sizeof *st);
    if (st == NULL)
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a strategy");
    *st = (strategy){.kind = kind, .space = s, .seed = options->seed, .best = -1, .table_size = 256};
    st->budget = options->budget > 0 ? options->budget : STRATEGY_DEFAULT_BUDGET;
    st->table = calloc(st->table_size, sizeof *st->table);
    st->state = calloc(1, kind->state_bytes + 1);
    st->seeds = calloc((size_t)options->seed_count + 1, sizeof *st->seeds);
    if (st->seeds && options->seed_count > 0) {
        memcpy(st->seeds, options->seeds, (size_t)options->seed_count * sizeof *st->seeds);
        st->seed_count = options->seed_count;
    }
    if (!st->table || !st->state || !st->seeds || (kind->start && !kind->start(st))) {
        strategy_free(st);
        return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a strategy");
    }
    *out = st;
    return ASSAY_OK;
}

void strategy_free(strategy *st)
{
    if (st == NULL)
        return;
    if (st->kind->stop && st->state)
        st->kind->stop(st);
    free(st->state);
    free(st->seeds);
    free(st->told);
    free(st->table);
    free(st);
}

/* ---- asking ---- */

static int is_new(const strategy *st, const configuration *c)
{
    return !strategy_knows(st, c) && space_is_valid(st->space, c, NULL);
}

/* One stream a proposal: the same for the same evaluations told and the same number of proposals pending. */
static uint64_t stream_of(const strategy *st, int attempt)
{
    const uint64_t moment = (uint64_t)st->told_count * 4096 + (uint64_t)st->pending_count;
    return stats_random(stats_random(st->seed, moment), (uint64_t)attempt);
}

static int take_seed(strategy *st, configuration *out)
{
    while (st->seed_next < st->seed_count) {
        *out = st->seeds[st->seed_next++];
        if (is_new(st, out))
            return 1;
    }
    return 0;
}

/* Random draws find a new configuration soon while many are left; the scan finds the last ones. */
static int take_any(strategy *st, configuration *out)
{
    for (int i = 0; i < DRAWS; i++)
        if (space_draw(st->space, stream_of(st, 1000 + i), 0, out) && !strategy_knows(st, out))
            return 1;
    while (!st->is_exhausted) {
        if (!space_next(st->space, st->scan_started, &st->scan)) {
            st->is_exhausted = 1;
            break;
        }
        st->scan_started = 1;
        if (!strategy_knows(st, &st->scan)) {
            *out = st->scan;
            return 1;
        }
    }
    return 0;
}

static int ask_one(strategy *st, configuration *out)
{
    if (take_seed(st, out))
        return 1;
    for (int i = 0; i < PROPOSALS; i++)
        if (st->kind->propose(st, stream_of(st, i), out) && is_new(st, out))
            return 1;
    return take_any(st, out);
}

int strategy_ask(strategy *st, configuration *out, int count)
{
    int given = 0;
    while (given < count && ask_one(st, &out[given])) {
        strategy_entry *entry = strategy_enter(st, &out[given]);
        if (entry == NULL)
            break;
        entry->state = ENTRY_PENDING;
        st->pending_count++;
        given++;
    }
    return given;
}

/* ---- telling ---- */

static int append_told(strategy *st, const evaluation *e)
{
    if (st->told_count == st->told_capacity) {
        const long capacity = st->told_capacity ? 2 * st->told_capacity : 64;
        evaluation *grown = realloc(st->told, (size_t)capacity * sizeof *grown);
        if (grown == NULL)
            return 0;
        st->told = grown;
        st->told_capacity = capacity;
    }
    evaluation *own = &st->told[st->told_count++];
    *own = *e;
    if (own->status == EVALUATION_SUCCESS && !(isfinite(own->objective) && own->objective > 0))
        own->status = EVALUATION_CRASHED; /* a success without a time is none */
    if (own->status != EVALUATION_SUCCESS)
        own->objective = NAN;
    return 1;
}

void strategy_tell(strategy *st, const evaluation *e)
{
    strategy_entry *entry = strategy_enter(st, &e->configuration);
    if (entry == NULL || entry->state == ENTRY_TOLD || !append_told(st, e))
        return;
    if (entry->state == ENTRY_PENDING)
        st->pending_count--;
    entry->state = ENTRY_TOLD;
    const evaluation *own = &st->told[st->told_count - 1];
    if (own->status == EVALUATION_SUCCESS && (st->best < 0 || own->objective < st->told[st->best].objective))
        st->best = st->told_count - 1;
    if (st->kind->learn)
        st->kind->learn(st, own);
}
