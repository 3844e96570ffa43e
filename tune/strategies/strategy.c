/* What all strategies share: memory of what was proposed and told, seeds, no duplicates, the last resort. */
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

/* ---- the table of known configurations ---- */

static strategy_entry *find_entry(const strategy *st, const configuration *c)
{
    size_t at = (size_t)configuration_hash(c) & (st->table_size - 1);
    while (st->table[at].state != ENTRY_FREE && !configuration_equals(&st->table[at].configuration, c))
        at = (at + 1) & (st->table_size - 1);
    return &st->table[at];
}

static int grow_table(strategy *st)
{
    const size_t old_size = st->table_size;
    strategy_entry *old = st->table;
    strategy_entry *table = calloc(2 * old_size, sizeof *table);
    if (table == NULL)
        return 0;
    st->table = table;
    st->table_size = 2 * old_size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].state != ENTRY_FREE)
            *find_entry(st, &old[i].configuration) = old[i];
    free(old);
    return 1;
}

int strategy_knows(const strategy *st, const configuration *c)
{
    return find_entry(st, c)->state != ENTRY_FREE;
}

int strategy_was_told(const strategy *st, const configuration *c)
{
    return find_entry(st, c)->state == ENTRY_TOLD;
}

/* The entry of `c`, made if it is new; NULL without memory. */
static strategy_entry *enter(strategy *st, const configuration *c)
{
    if (2 * (st->table_used + 1) > st->table_size && !grow_table(st))
        return NULL;
    strategy_entry *entry = find_entry(st, c);
    if (entry->state == ENTRY_FREE) {
        entry->configuration = *c;
        st->table_used++;
    }
    return entry;
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
        strategy_entry *entry = enter(st, &out[given]);
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
    strategy_entry *entry = enter(st, &e->configuration);
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

int strategy_best(const strategy *st, evaluation *out)
{
    if (st->best < 0)
        return 0;
    *out = st->told[st->best];
    return 1;
}

long strategy_told_count(const strategy *st)
{
    return st->told_count;
}

/* ---- what strategies share ---- */

double strategy_progress(const strategy *st)
{
    const double progress = (double)st->told_count / (double)st->budget;
    return progress < 1 ? progress : 1;
}

int strategy_mutate(const strategy *st, uint64_t stream, int count, int is_adjacent, configuration *c)
{
    const int parameters = space_parameter_count(st->space);
    for (int i = 0; parameters > 0 && i < count; i++) {
        const int parameter = stats_random_below(stream, (uint64_t)(3 * i), parameters);
        const int values = space_parameter_at(st->space, parameter)->value_count;
        const int old = c->index[parameter];
        if (values == 1)
            continue;
        int index;
        if (is_adjacent) {
            index = old + (stats_random_below(stream, (uint64_t)(3 * i + 1), 2) ? 1 : -1);
            index = index < 0 ? 1 : index == values ? values - 2 : index;
        } else {
            index = stats_random_below(stream, (uint64_t)(3 * i + 1), values - 1);
            index += index >= old; /* any but the old one */
        }
        c->index[parameter] = (uint16_t)index;
    }
    return space_repair(st->space, stream, 0xffff, c);
}
