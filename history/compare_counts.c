/* Counted work: see compare_counts.h. */
#include "history/compare_counts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct count_kind {
    const char *name; /* of the fact, and in the output */
    double matters;   /* relative difference that is one; 0 for counts that are exact */
} count_kind;

/* Instructions are those that a processor executed, by its own counter, which has those of the threads that wait for work, or
 * exactly a kernel's. The others are of the device ptx alone (counts/). */
static const count_kind kinds[] = {
    {"instructions", 0.01},    {"global_requests", 0},  {"global_sectors", 0},
    {"shared_wavefronts", 0},  {"shared_conflicts", 0}, {"barriers", 0},
    {"divergent_branches", 0}, {"atomics", 0},          {"tensor", 0},
};

int count_kinds(void)
{
    return (int)(sizeof kinds / sizeof *kinds);
}

static int was_counted(const case_runs *runs)
{
    return runs->count > 0 && strcmp(runs->results[0]->r->device.kind, "ptx") == 0;
}

int pair_is_counted(const case_pair *pair)
{
    return was_counted(&pair->base) || was_counted(&pair->changed);
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
    return (*base > 0 || *changed > 0) && isfinite(*base) && isfinite(*changed) &&
           !pair_differs(pair, TIMING_COLD, IDENTITY_COMPARE & ~method, reason, sizeof reason);
}

void judge_count(compare_case *c, int kind, double matters, double base, double changed)
{
    matters = matters < 0 ? kinds[kind].matters : matters;
    c->counted = kinds[kind].name;
    c->base_us = base, c->new_us = changed;
    c->minimum_effect = matters;
    const double ratio = base > 0 ? changed / base : NAN; /* of nothing to something there is none */
    c->ratio = (ratio_interval){ratio, ratio, ratio, ratio, ratio, 0.0};
    c->verdict = changed > base * (1.0 + matters)   ? COMPARE_SLOWER
                 : changed * (1.0 + matters) < base ? COMPARE_FASTER
                                                    : COMPARE_SAME;
}
