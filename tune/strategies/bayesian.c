/* Bayesian optimisation: a Gaussian process over the logarithms of all measured times, expected improvement (Jones,
 * Schonlau and Welch, 1998) times the chance that a configuration works at all. Failures teach that chance; proposals
 * that are still pending count as measured at what the process expects of them, so that a batch spreads out. */
#include "tune/strategies/strategy_internal.h"
#include "tune/strategies/gaussian_process.h"
#include "tune/strategies/heuristic.h"
#include "statistics/random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_POINTS = 240, /* of the process: the fastest third, and the latest; its cost grows with the cube */
    POOL = 450,        /* candidates scored for one proposal */
    TOP = 6,           /* fastest ones whose neighbours are candidates, too */
    FIRST_FIT = 5,     /* points from which hyperparameters are chosen */
    INFORMED = 3       /* first proposals by the heuristic, where the space has roles */
};

typedef struct bayesian_state {
    gp_hyper hyper, failure_hyper;          /* of times, and of what works */
    long hyper_of;                          /* told evaluations that `hyper` was chosen from; 0: none yet */
    double *features[SPACE_MAX_PARAMETERS]; /* of each parameter, by index */
    unsigned char is_category[SPACE_MAX_PARAMETERS];
    int parameters;
} bayesian_state;

/* Values that span a factor of 8 are spaced by their logarithm: 16, 32, 64, 128 have equal steps. */
static void scale_feature(const space_parameter *p, double *out, unsigned char *is_category)
{
    double low = INFINITY, high = -INFINITY;
    *is_category = 0;
    for (int i = 0; i < p->value_count; i++) {
        *is_category |= p->values[i].kind == VALUE_TEXT || p->values[i].kind == VALUE_BOOLEAN;
        out[i] = value_number(&p->values[i]);
        low = fmin(low, out[i]);
        high = fmax(high, out[i]);
    }
    const int is_logarithmic = low > 0 && high / low >= 8;
    for (int i = 0; i < p->value_count; i++) {
        if (*is_category || !(high > low))
            out[i] = p->value_count > 1 ? (double)i / (p->value_count - 1) : 0;
        else
            out[i] = is_logarithmic ? log(out[i] / low) / log(high / low) : (out[i] - low) / (high - low);
    }
}

static int start(strategy *st)
{
    bayesian_state *b = st->state;
    b->parameters = space_parameter_count(st->space);
    for (int i = 0; i < b->parameters; i++) {
        const space_parameter *p = space_parameter_at(st->space, i);
        b->features[i] = malloc((size_t)p->value_count * sizeof *b->features[i]);
        if (b->features[i] == NULL)
            return 0;
        scale_feature(p, b->features[i], &b->is_category[i]);
    }
    return 1;
}

static void stop(strategy *st)
{
    bayesian_state *b = st->state;
    for (int i = 0; i < SPACE_MAX_PARAMETERS; i++)
        free(b->features[i]);
}

static void put_features(const bayesian_state *b, const configuration *c, double *out)
{
    for (int i = 0; i < b->parameters; i++)
        out[i] = b->features[i][c->index[i]];
}

static double squared_distance(const bayesian_state *b, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < b->parameters; i++) {
        const double difference = b->is_category[i] ? x[i] != y[i] : x[i] - y[i];
        sum += difference * difference;
    }
    return sum;
}

/* ---- the first proposals ---- */

static int initial_count(const strategy *st)
{
    const int wanted = 2 * space_parameter_count(st->space);
    const long most = st->budget / 4 > FIRST_FIT ? st->budget / 4 : FIRST_FIT;
    const int count = wanted < FIRST_FIT ? FIRST_FIT : wanted > 12 ? 12 : wanted;
    return count < most ? count : (int)most;
}

/* Of some draws the one with the best score, or the one farthest from all that was told. */
static int propose_initial(strategy *st, uint64_t stream, configuration *out)
{
    const bayesian_state *b = st->state;
    const int by_score = st->told_count + st->pending_count < INFORMED && heuristic_is_informed(st->space);
    double best = -1;
    for (uint64_t i = 0; i < 200; i++) {
        configuration c;
        double x[GP_MAX_FEATURES], y[GP_MAX_FEATURES], worth = INFINITY;
        if (!space_draw(st->space, stream, i, &c) || strategy_knows(st, &c))
            continue;
        put_features(b, &c, x);
        for (long k = 0; !by_score && k < st->told_count; k++) {
            put_features(b, &st->told[k].configuration, y);
            worth = fmin(worth, squared_distance(b, x, y));
        }
        if (by_score)
            worth = heuristic_score(st->space, &c);
        if (worth > best) {
            best = worth;
            *out = c;
        }
    }
    return best >= 0;
}

/* ---- the process ---- */

typedef struct points {
    double *x, *y;
    int count;
} points;

static int by_objective(const void *a, const void *b, void *context)
{
    const evaluation *told = context;
    const double x = told[*(const long *)a].objective, y = told[*(const long *)b].objective;
    return x < y ? -1 : x > y;
}

/* Numbers of the successes among the first `told`, all or the fastest third of MOST_POINTS and the latest; returns how many. */
static int choose_points(const strategy *st, long told, long *chosen)
{
    int count = 0;
    for (long i = 0; i < told; i++)
        if (st->told[i].status == EVALUATION_SUCCESS)
            chosen[count++] = i;
    if (count <= MOST_POINTS)
        return count;
    const int latest = MOST_POINTS - MOST_POINTS / 3;
    qsort_r(chosen, (size_t)(count - latest), sizeof *chosen, by_objective, st->told);
    memmove(chosen + MOST_POINTS / 3, chosen + count - latest, (size_t)latest * sizeof *chosen);
    return MOST_POINTS;
}

static int make_points(const strategy *st, long told, points *out)
{
    const bayesian_state *b = st->state;
    const size_t room = (size_t)(told < MOST_POINTS ? told : MOST_POINTS) + (size_t)st->pending_count + 1;
    long *chosen = malloc(((size_t)told + 1) * sizeof *chosen);
    out->x = malloc(room * (size_t)(b->parameters + 1) * sizeof *out->x);
    out->y = malloc(room * sizeof *out->y);
    out->count = 0;
    if (chosen && out->x && out->y) {
        out->count = choose_points(st, told, chosen);
        for (int i = 0; i < out->count; i++) {
            put_features(b, &st->told[chosen[i]].configuration, out->x + i * b->parameters);
            out->y[i] = log(st->told[chosen[i]].objective);
        }
    }
    free(chosen);
    return out->count;
}

/* What worked (1) and what failed (0) of the latest among the first `told`; 0 points if nothing failed. */
static int make_outcomes(const strategy *st, long told, points *out)
{
    const bayesian_state *b = st->state;
    const long first = told > MOST_POINTS ? told - MOST_POINTS : 0;
    int failures = 0;
    out->x = malloc((size_t)(told - first + 1) * (size_t)(b->parameters + 1) * sizeof *out->x);
    out->y = malloc((size_t)(told - first + 1) * sizeof *out->y);
    out->count = 0;
    for (long i = first; out->x && out->y && i < told; i++) {
        put_features(b, &st->told[i].configuration, out->x + out->count * b->parameters);
        out->y[out->count] = st->told[i].status == EVALUATION_SUCCESS;
        failures += out->y[out->count++] == 0;
    }
    if (failures == 0)
        out->count = 0;
    return out->count;
}

static void free_points(points *p)
{
    free(p->x);
    free(p->y);
}

static gp_data data_of(const bayesian_state *b, const points *p)
{
    return (gp_data){
        .count = p->count, .features = b->parameters, .x = p->x, .y = p->y, .is_category = b->is_category};
}

static void choose_hyper(const bayesian_state *b, const points *p, gp_hyper *out)
{
    const gp_data data = data_of(b, p);
    for (int i = 0; i < GP_MAX_FEATURES; i++)
        out->length[i] = 0.6;
    out->noise = 1e-2;
    if (p->count >= 3)
        gp_choose_hyper(&data, out);
}

/* Hyperparameters are chosen again whenever there is a fifth more data: from the evaluations up to that number alone, so
 * that a resumed run chooses the same. */
static void update_hyper(strategy *st)
{
    bayesian_state *b = st->state;
    long due = st->told_count < FIRST_FIT ? 0 : FIRST_FIT;
    points p;
    while (due > 0 && due + (due + 4) / 5 <= st->told_count)
        due += (due + 4) / 5;
    if (due > 0 && b->hyper_of == due)
        return;
    make_points(st, due, &p);
    choose_hyper(b, &p, &b->hyper);
    free_points(&p);
    make_outcomes(st, due, &p);
    choose_hyper(b, &p, &b->failure_hyper);
    free_points(&p);
    b->hyper_of = due;
}

/* Pending proposals at what the process expects of them. */
static void believe_pending(const strategy *st, points *p)
{
    const bayesian_state *b = st->state;
    const gp_data data = data_of(b, p);
    gp *g = st->pending_count > 0 ? gp_fit(&data, &b->hyper) : NULL;
    const int measured = p->count;
    int added = 0;
    for (size_t i = 0; g && i < st->table_size && added < st->pending_count; i++) {
        if (st->table[i].state != ENTRY_PENDING)
            continue;
        double mean = 0, deviation = 0, *x = p->x + (measured + added) * b->parameters;
        put_features(b, &st->table[i].configuration, x);
        gp_predict(g, x, 1, &mean, &deviation);
        p->y[measured + added++] = mean;
    }
    p->count = measured + added;
    gp_free(g);
}

/* ---- the candidates ---- */

static void add_candidate(const strategy *st, configuration *pool, int *count, const configuration *c)
{
    if (*count < POOL && !strategy_knows(st, c))
        pool[(*count)++] = *c;
}

/* The whole space if it is small; else neighbours of the fastest and random draws. */
static int make_pool(const strategy *st, uint64_t stream, configuration *pool)
{
    const uint64_t all = space_count(st->space);
    int count = 0;
    configuration c, near[POOL / TOP / 2];
    for (uint64_t i = 0; all <= POOL && i < all; i++)
        if (space_at(st->space, i, &c))
            add_candidate(st, pool, &count, &c);
    if (all <= POOL)
        return count;
    double last = 0;
    for (int t = 0; t < TOP; t++) {
        long next = -1;
        for (long i = 0; i < st->told_count; i++)
            if (st->told[i].objective > last &&
                (next < 0 || st->told[i].objective < st->told[next].objective))
                next = i;
        if (next < 0)
            break;
        last = st->told[next].objective;
        const int found = space_neighbours(st->space, &st->told[next].configuration, SPACE_HAMMING, near,
                                           (int)(sizeof near / sizeof *near));
        for (int i = 0; i < found; i++)
            add_candidate(st, pool, &count, &near[i]);
        for (int i = 0; i < 12; i++) { /* two or three values away: where constraints forbid single changes */
            c = st->told[next].configuration;
            if (strategy_mutate(st, stats_random(stream, (uint64_t)(t * 12 + i)), 2 + i % 2, i % 3 > 0, &c))
                add_candidate(st, pool, &count, &c);
        }
    }
    for (uint64_t i = 0; count < POOL && i < POOL; i++)
        if (space_draw(st->space, stream, i, &c))
            add_candidate(st, pool, &count, &c);
    return count;
}

static double expected_improvement(double mean, double deviation, double best)
{
    if (!(deviation > 1e-9))
        return mean < best ? best - mean : 0;
    const double z = (best - mean) / deviation;
    return (best - mean) * 0.5 * erfc(-z / sqrt(2.0)) +
           deviation * exp(-0.5 * z * z) / sqrt(2 * 3.141592653589793);
}

typedef struct scoring {
    configuration pool[POOL];
    double x[POOL * GP_MAX_FEATURES], mean[POOL], deviation[POOL], chance[POOL];
} scoring;

/* The chance that each candidate works at all: a process over the outcomes 1 and 0, cut to 0.02 ... 1. */
static void find_chances(const strategy *st, scoring *w, int count)
{
    const bayesian_state *b = st->state;
    points p;
    make_outcomes(st, st->told_count, &p);
    const gp_data data = data_of(b, &p);
    gp *g = p.count > 0 ? gp_fit(&data, &b->failure_hyper) : NULL;
    const int is_known = g && gp_predict(g, w->x, count, w->chance, NULL);
    for (int i = 0; i < count; i++)
        w->chance[i] = is_known ? fmin(1, fmax(0.02, w->chance[i])) : 1;
    gp_free(g);
    free_points(&p);
}

/* The candidate of the largest expected improvement times its chance; where none is expected, the most uncertain one. */
static int choose_candidate(const strategy *st, const gp *g, scoring *w, int count, configuration *out)
{
    const bayesian_state *b = st->state;
    const double best = log(st->told[st->best].objective);
    double most = -1;
    for (int i = 0; i < count; i++)
        put_features(b, &w->pool[i], w->x + i * b->parameters);
    if (count == 0 || !gp_predict(g, w->x, count, w->mean, w->deviation))
        return 0;
    find_chances(st, w, count);
    for (int i = 0; i < count; i++) {
        const double improvement =
            expected_improvement(w->mean[i], w->deviation[i], best) + 1e-12 * w->deviation[i];
        if (improvement * w->chance[i] > most) {
            most = improvement * w->chance[i];
            *out = w->pool[i];
        }
    }
    return 1;
}

static int propose_by_process(strategy *st, uint64_t stream, configuration *out)
{
    const bayesian_state *b = st->state;
    points p;
    int found = 0;
    update_hyper(st);
    if (make_points(st, st->told_count, &p) > 0)
        believe_pending(st, &p);
    const gp_data data = data_of(b, &p);
    gp *g = p.count > 0 ? gp_fit(&data, &b->hyper) : NULL;
    scoring *w = g ? malloc(sizeof *w) : NULL;
    if (w)
        found = choose_candidate(st, g, w, make_pool(st, stream, w->pool), out);
    free(w);
    gp_free(g);
    free_points(&p);
    return found;
}

static int propose(strategy *st, uint64_t stream, configuration *out)
{
    if (st->best < 0 || st->told_count + st->pending_count < initial_count(st))
        return propose_initial(st, stream, out);
    return propose_by_process(st, stream, out);
}

const strategy_kind strategy_bayesian = {
    .name = "bayesian",
    .about = "Gaussian process over all measurements, expected improvement, failures as infeasible",
    .state_bytes = sizeof(bayesian_state),
    .start = start,
    .propose = propose,
    .stop = stop,
};
