/* Counted work: see compare_counts.h. */
#include "history/compare_counts.h"
#include <math.h>
#include <stdio.h>

typedef struct count_kind {
    const char *name; /* of the fact, and in the output */
    double matters;   /* relative difference that is one; 0 for counts that are exact */
} count_kind;

/* Instructions that a processor executed, by its own counter: those of the threads that wait for work are in
 * them. */
static const count_kind kinds[] = {{"instructions", 0.01}};

int count_kinds(void)
{
    return (int)(sizeof kinds / sizeof *kinds);
}

static double least_count(const case_runs *runs, int kind)
{
    double least = INFINITY;
    for (int i = 0; i < runs->count; i++)
        least = fmin(least, result_fact_number(&runs->results[i]->r->counters, kinds[kind].name, INFINITY));
    return least;
}

int find_count(const case_pair *pair, int kind, double *base, double *changed)
{
    char reason[400];
    if (pair->base.count == 0 || pair->changed.count == 0)
        return 0;
    *base = least_count(&pair->base, kind);
    *changed = least_count(&pair->changed, kind);
    const unsigned method = IDENTITY_BIT(IDENTITY_METHOD);
    return *base > 0 && isfinite(*base) && isfinite(*changed) &&
           !pair_differs(pair, TIMING_COLD, IDENTITY_COMPARE & ~method, reason, sizeof reason);
}

void judge_count(compare_case *c, int kind, double base, double changed)
{
    const double matters = kinds[kind].matters;
    c->counted = kinds[kind].name;
    c->base_us = base, c->new_us = changed;
    c->minimum_effect = matters;
    const double ratio = changed / base;
    c->ratio = (ratio_interval){ratio, ratio, ratio, ratio, ratio, 0.0};
    c->verdict = ratio > 1.0 + matters           ? COMPARE_SLOWER
                 : ratio < 1.0 / (1.0 + matters) ? COMPARE_FASTER
                                                 : COMPARE_SAME;
}
