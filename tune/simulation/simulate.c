/* Strategies replayed over recorded spaces: see simulate.h. */
#include "tune/simulation/simulate.h"
#include "tune/strategies/strategy.h"
#include "statistics/bootstrap.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_EVALUATIONS = 200, MOST_EVALUATIONS = 400 };

/* Objectives in ascending order, failures as the slowest success. Malloc'ed. */
static double *sorted_objectives(const recorded *r)
{
    double *values = malloc(((size_t)r->count + 1) * sizeof *values), worst = 0;
    for (long i = 0; values && i < r->count; i++)
        if (r->evaluations[i].status == EVALUATION_SUCCESS && r->evaluations[i].objective > worst)
            worst = r->evaluations[i].objective;
    for (long i = 0; values && i < r->count; i++)
        values[i] = r->evaluations[i].status == EVALUATION_SUCCESS ? r->evaluations[i].objective : worst;
    if (values)
        stats_sort(values, (int)r->count);
    return values;
}

/* The least of n of N without replacement is number i (from 0) with probability C(N-1-i, n-1) / C(N, n). */
static double expected_least(const double *sorted, long count, long draws)
{
    double probability = (double)draws / (double)count, sum = 0;
    for (long i = 0; i + draws <= count; i++) {
        sum += probability * sorted[i];
        probability *= (double)(count - i - draws) / (double)(count - i - 1 > 0 ? count - i - 1 : 1);
        if (probability < 1e-15)
            break;
    }
    return sum;
}

static long find_cutoff(const recorded *r, const double *sorted)
{
    const double goal = r->median - SIMULATE_CUTOFF * (r->median - r->optimum);
    long low = 1, high = r->count;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (expected_least(sorted, r->count, middle) <= goal)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

long simulate_cutoff(const recorded *r)
{
    double *sorted = sorted_objectives(r);
    const long cutoff = sorted ? find_cutoff(r, sorted) : 0;
    free(sorted);
    return cutoff;
}

/* best[i]: the best objective after i + 1 evaluations; INFINITY before the first success. */
static assay_status run_once(const recorded *r, const simulate_plan *plan, int repeat, long evaluations,
                             double *best, assay_error *error)
{
    configuration c;
    const strategy_options options = {.seed = plan->seed + (uint64_t)repeat,
                                      .budget = evaluations,
                                      .seeds = plan->start,
                                      .seed_count = plan->start != NULL};
    strategy *st = NULL;
    double least = INFINITY;
    const assay_status status = strategy_create(plan->strategy, r->space, &options, &st, error);
    if (status != ASSAY_OK)
        return status;
    for (long i = 0; i < evaluations; i++) {
        if (strategy_ask(st, &c, 1) == 1) {
            const evaluation *e = recorded_at(r, &c);
            strategy_tell(st, e);
            if (e->status == EVALUATION_SUCCESS && e->objective < least)
                least = e->objective;
        }
        best[i] = least;
    }
    strategy_free(st);
    return ASSAY_OK;
}

/* Mean over equidistant points of the budget of how far the best lies between baseline and optimum. */
static double score_of(const recorded *r, const double *sorted, long cutoff, const double *best)
{
    double sum = 0;
    for (int k = 1; k <= SIMULATE_POINTS; k++) {
        const long at = (cutoff * k + SIMULATE_POINTS - 1) / SIMULATE_POINTS;
        const double baseline = expected_least(sorted, r->count, at);
        const double own = isfinite(best[at - 1]) ? best[at - 1] : sorted[r->count - 1];
        sum += baseline > r->optimum ? (baseline - own) / (baseline - r->optimum) : 1;
    }
    return sum / SIMULATE_POINTS;
}

static long evaluations_to(const recorded *r, const double *best, long evaluations, double fraction)
{
    for (long i = 0; i < evaluations; i++)
        if (r->optimum / best[i] >= fraction)
            return i + 1;
    return -1;
}

long simulate_random_median(const recorded *r, double fraction)
{
    long good = 0, draws = 0;
    for (long i = 0; i < r->count; i++)
        good += r->evaluations[i].status == EVALUATION_SUCCESS &&
                r->optimum / r->evaluations[i].objective >= fraction;
    for (double none = 1; none > 0.5 && draws < r->count; draws++)
        none *= 1 - (double)good / (double)(r->count - draws);
    return draws;
}

static void add_repeat(const recorded *r, const simulate_plan *plan, const double *best, double *target,
                       double *goal, simulate_outcome *out)
{
    const long found = evaluations_to(r, best, out->evaluations, SIMULATE_TARGET),
               met = evaluations_to(r, best, out->evaluations, plan->goal > 0 ? plan->goal : SIMULATE_GOAL);
    *goal = met > 0 ? (double)met : INFINITY;
    out->goal_reached += met > 0;
    *target = found > 0 ? (double)found : INFINITY;
    out->reached += found > 0;
    out->target_mean += found > 0 ? (double)found : (double)out->evaluations;
    for (long i = 0; i < out->evaluations; i++)
        out->fraction[i] += isfinite(best[i]) ? r->optimum / best[i] : 0;
}

static void finish(const simulate_plan *plan, double *scores, double *targets, double *goals, double *regrets,
                   simulate_outcome *out)
{
    for (long i = 0; i < out->evaluations; i++)
        out->fraction[i] /= plan->repeats;
    out->target_mean /= plan->repeats;
    out->score = stats_mean(scores, plan->repeats);
    stats_bootstrap_mean95(scores, plan->repeats, plan->seed, &out->score_low, &out->score_high);
    stats_sort(targets, plan->repeats);
    out->target_median = targets[plan->repeats / 2];
    stats_sort(goals, plan->repeats);
    out->goal_median = goals[plan->repeats / 2];
    stats_sort(regrets, plan->repeats);
    out->regret_median = regrets[plan->repeats / 2];
}

assay_status simulate_strategy(const recorded *r, const simulate_plan *plan, simulate_outcome *out,
                               assay_error *error)
{
    double *sorted = sorted_objectives(r);
    *out = (simulate_outcome){0};
    if (plan->repeats < 1)
        return free(sorted),
               assay_error_set(error, ASSAY_ERR_INVALID, "a simulation needs at least one repeat");
    out->cutoff = sorted ? find_cutoff(r, sorted) : 1;
    out->evaluations = plan->evaluations > 0             ? plan->evaluations
                       : out->cutoff < LEAST_EVALUATIONS ? LEAST_EVALUATIONS
                       : out->cutoff > MOST_EVALUATIONS  ? MOST_EVALUATIONS
                                                         : out->cutoff;
    if (out->evaluations > r->count)
        out->evaluations = r->count;
    double *best = malloc((size_t)out->evaluations * sizeof *best);
    double *scores = calloc((size_t)plan->repeats, sizeof *scores),
           *targets = calloc((size_t)plan->repeats, sizeof *targets),
           *goals = calloc((size_t)plan->repeats, sizeof *goals),
           *regrets = calloc((size_t)plan->repeats, sizeof *regrets);
    out->fraction = calloc((size_t)out->evaluations, sizeof *out->fraction);
    assay_status status = sorted && best && scores && targets && goals && regrets && out->fraction
                              ? ASSAY_OK
                              : assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for a simulation");
    for (int i = 0; status == ASSAY_OK && i < plan->repeats; i++) {
        status = run_once(r, plan, i, out->evaluations, best, error);
        if (status == ASSAY_OK) {
            scores[i] =
                score_of(r, sorted, out->cutoff < out->evaluations ? out->cutoff : out->evaluations, best);
            add_repeat(r, plan, best, &targets[i], &goals[i], out);
            regrets[i] = best[out->evaluations - 1] / r->optimum - 1;
        }
    }
    if (status == ASSAY_OK)
        finish(plan, scores, targets, goals, regrets, out);
    else
        simulate_release(out);
    free(sorted);
    free(best);
    free(scores);
    free(targets);
    free(goals);
    free(regrets);
    return status;
}

void simulate_release(simulate_outcome *out)
{
    free(out->fraction);
    out->fraction = NULL;
}
