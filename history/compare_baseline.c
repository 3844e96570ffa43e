/* Choosing a baseline: see compare_baseline.h. */
#include "history/compare_baseline.h"
#include "history/compare_verdict.h"
#include <math.h>
#include <string.h>

enum { REASON_POWER_CAP = 0x4 }; /* of NVML's clock event reasons */
#define CLEARLY_LESS 0.7         /* spreads of ten values differ by a third by chance */

static int is_capped(const result *r, timing_mode mode)
{
    return result_has(r, mode) && (result_reasons(&r->times[mode]) & REASON_POWER_CAP) != 0;
}

int met_power_cap(const case_pair *pair, timing_mode mode)
{
    for (int side = 0; side < 2; side++) {
        const case_runs *runs = pair_side(pair, side);
        for (int i = 0; i < runs->count; i++)
            if (is_capped(runs->results[i]->r, mode))
                return 1;
    }
    return 0;
}

typedef struct baseline_search {
    const case_pair *pair;
    timing_mode mode;
    const result_set *sets[2];
    int need_cap;
} baseline_search;

/* Time of the baseline in BASE's first run; INFINITY if it does not serve: a run of either side lacks it, or
 * has it otherwise. */
static double look_at(const baseline_search *s, const char *name)
{
    const set_result *first = NULL;
    int capped = 0;
    for (int side = 0; side < 2; side++) {
        const case_runs *runs = pair_side(s->pair, side);
        for (int i = 0; i < runs->count; i++) {
            const result *own = runs->results[i]->r;
            const set_result *baseline = find_baseline(own, name, s->sets[side]);
            first = first ? first : baseline;
            if (!baseline || !result_has(baseline->r, s->mode) ||
                baseline->r->times[s->mode].repetition_count != own->times[s->mode].repetition_count ||
                strcmp(baseline->r->math_mode, own->math_mode) != 0 ||
                strcmp(baseline->r->library_version, first->r->library_version) != 0)
                return INFINITY;
            capped |= is_capped(baseline->r, s->mode);
        }
    }
    return first && (capped || !s->need_cap) ? first->r->times[s->mode].mean_us : INFINITY;
}

/* The larger spread of the two sides. */
static double find_spread(const baseline_search *s, const char *baseline)
{
    double spread = 0.0;
    for (int side = 0; side < 2; side++)
        spread = fmax(spread, side_spread(pair_side(s->pair, side),
                                          &(value_request){s->mode, baseline, s->sets[side], 0.0}));
    return spread;
}

/* What a comparison of values that spread so can tell at best: their midmean's error and the deviation from
 * process to process. */
static double expected_error(const baseline_search *s, const char *baseline, double us, compare_state state)
{
    const int repetitions = s->pair->base.results[0]->r->times[s->mode].repetition_count;
    return hypot(find_spread(s, baseline) / sqrt(repetitions > 0 ? repetitions : 1),
                 compare_run_deviation(us, 1, state, 0, 0));
}

baseline_choice choose_baseline(const case_pair *pair, timing_mode mode, const result_set *base,
                                const result_set *changed)
{
    const int capped = met_power_cap(pair, mode);
    const baseline_search search = {pair, mode, {base, changed}, capped};
    const result *own = pair->base.results[0]->r;
    baseline_choice choice = {0};
    double fastest = INFINITY;
    if ((mode != TIMING_SUSTAINED && !capped) || own->id.kind != RESULT_VARIANT)
        return choice;
    for (int i = 0; i < own->method.other_count; i++) {
        result_case other;
        result_split_name(own->method.others[i], 0, &other);
        const double us = other.kind == RESULT_BASELINE ? look_at(&search, other.name) : INFINITY;
        if (us >= fastest)
            continue;
        fastest = us;
        snprintf(choice.name, sizeof choice.name, "%s", other.name);
    }
    if (!choice.name[0] ||
        expected_error(&search, choice.name, fastest, COMPARE_RELATIVE) >=
            CLEARLY_LESS * expected_error(&search, NULL, fastest, compare_state_of(mode, capped, 0)))
        choice.name[0] = '\0';
    return choice;
}
