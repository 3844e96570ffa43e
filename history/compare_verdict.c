/* From values to a verdict: see compare_verdict.h and docs/comparison.md. */
#include "history/compare_verdict.h"
#include "history/compare_floors.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Defaults, from A/A runs on an H100 (docs/comparison.md). What matters: a share of the time, and three ticks of the GPU's clock. Deviation
 * from process to process: a share of the time, and of a microsecond that launching costs, which is what counts for small kernels and most of
 * which controls take out. */
#define EFFECT_SHARE 0.01
#define EFFECT_US    0.1
#define SAME_EFFECTS \
    2.0 /* `same` leaves out changes of twice what matters: for less, one process a side does not tell enough */
#define DEVIATION_SHARE          0.0025
#define DEVIATION_US             0.12
#define DEVIATION_LESS_FLOORS_US 0.06
#define CONTROLLED_SHARE         0.0015
#define CONTROLLED_US            0.02
#define DEVIATION_POWER_CAP      0.01
#define DEVIATION_SUSTAINED      0.02 /* under load without a pause, rates move by 7% from end to end */
#define DEVIATION_RELATIVE       0.0035
#define DEVIATION_OTHER_CARD     0.005

double compare_minimum_effect(double us)
{
    return fmax(EFFECT_SHARE, EFFECT_US / us);
}

/* The controls' median scatters, too: its variance is about pi / 2 of one control's over their number. */
static double controlled_deviation(double us, int controls)
{
    return hypot(CONTROLLED_SHARE, CONTROLLED_US / us) * sqrt(1.0 + 1.5708 / controls);
}

compare_state compare_state_of(const char *figure, int power_cap, int relative)
{
    if (relative)
        return COMPARE_RELATIVE;
    if (!power_cap)
        return COMPARE_STEADY;
    return strcmp(figure, "sustained") == 0 ? COMPARE_SUSTAINED : COMPARE_CAPPED;
}

double compare_run_deviation(double us, int same_card, compare_state state, int floors_known, int controls)
{
    static const double shares[] = {DEVIATION_SHARE, DEVIATION_POWER_CAP, DEVIATION_SUSTAINED,
                                    DEVIATION_RELATIVE};
    const double own =
        controls > 0 ? controlled_deviation(us, controls)
                     : hypot(shares[state], (floors_known ? DEVIATION_LESS_FLOORS_US : DEVIATION_US) / us);
    return same_card ? own : hypot(own, DEVIATION_OTHER_CARD);
}

/* The rank test asks whether the turns differ; this asks whether processes that differ by chance could do it. */
static double process_p(const ratio_interval *ratio)
{
    return ratio->deviation > 0 ? erfc(fabs(log(ratio->ratio)) / ratio->deviation / sqrt(2.0)) : 1.0;
}

/* Ranks of ten pairs go no lower than 0.002, which no correction for many cases would leave significant: of pairs the ranks must be significant
 * by themselves, and the other one, which knows their spread as well, is what is corrected. */
static double combine(int paired, double p_ranks, double p_process, double significance)
{
    return paired && p_ranks <= significance ? p_process : fmax(p_ranks, p_process);
}

assay_status verdict_test(compare_case *c, const side_values *base, const side_values *changed,
                          const compare_options *o, assay_error *error)
{
    c->base_us = base->us, c->new_us = changed->us;
    c->base_runs = base->side.runs, c->new_runs = changed->side.runs;
    c->base_repetitions = base->side.count, c->new_repetitions = changed->side.count;
    const double us = fmin(c->base_us, c->new_us);
    const compare_state state = compare_state_of(c->figure, c->power_cap, c->normalised_by[0] != '\0');
    const int floors_known =
        figure_has_no_floor(c->figure) || (c->base_floor_us > 0 && c->new_floor_us > 0 && !o->keep_floors);
    const double assumed = compare_run_deviation(us, c->same_card, state, floors_known, c->controls);
    const double deviation =
        hypot(o->run_deviation > 0 ? o->run_deviation : assumed, fmax(base->peer_error, changed->peer_error));
    c->minimum_effect = o->minimum_effect > 0 ? o->minimum_effect : compare_minimum_effect(us);
    stats_side pairs;
    c->paired = state != COMPARE_STEADY && side_values_pair(base, changed, &pairs);
    assay_status status = c->paired
                              ? stats_signed_rank(pairs.values, pairs.count, &c->test, error)
                              : stats_mann_whitney(base->side.values, base->side.count, changed->side.values,
                                                   changed->side.count, &c->test, error);
    if (status == ASSAY_OK)
        status = c->paired
                     ? stats_bootstrap_pairs(&pairs, deviation, 1, &c->ratio, error)
                     : stats_bootstrap_ratio(&base->side, &changed->side, deviation, 1, &c->ratio, error);
    if (c->paired)
        pairs_release(&pairs);
    if (status == ASSAY_OK)
        c->p = combine(c->paired, c->test.p, process_p(&c->ratio),
                       o->significance > 0 ? o->significance : DEFAULT_SIGNIFICANCE);
    return status;
}

/* The p-value of repetitions that are completely apart: with too few nothing could ever be significant. */
static double least_p(int m, int n, int paired)
{
    if (paired)
        return 2.0 * pow(0.5, m);
    double orders = 1.0;
    for (int i = 1; i <= m; i++)
        orders *= (double)(n + i) / i;
    return 2.0 / orders;
}

static void explain_inconclusive(compare_case *c, double significance)
{
    const double m = c->minimum_effect;
    if (least_p(c->base_repetitions, c->new_repetitions, c->paired) > significance)
        snprintf(c->reason, sizeof c->reason, "too few repetitions to tell anything: %d and %d",
                 c->base_repetitions, c->new_repetitions);
    else if (c->p_adjusted > significance)
        snprintf(c->reason, sizeof c->reason,
                 "the spread hides changes of %.1f%%: 95%% interval %+.1f%% to %+.1f%%",
                 100 * SAME_EFFECTS * m, 100 * (c->ratio.low95 - 1), 100 * (c->ratio.high95 - 1));
    else
        snprintf(c->reason, sizeof c->reason,
                 "a change, but perhaps below the %.1f%% that matter: %+.1f%% to %+.1f%%", 100 * m,
                 100 * (c->ratio.low95 - 1), 100 * (c->ratio.high95 - 1));
}

void verdict_judge(compare_case *c, double significance)
{
    const double above = 1.0 + c->minimum_effect, below = 1.0 / above;
    const double same = 1.0 + SAME_EFFECTS * c->minimum_effect;
    const int significant = c->p_adjusted <= significance;
    if (significant && c->ratio.ratio >= above && c->ratio.low95 > 1.0)
        c->verdict = COMPARE_SLOWER;
    else if (significant && c->ratio.ratio <= below && c->ratio.high95 < 1.0)
        c->verdict = COMPARE_FASTER;
    else if (c->ratio.low90 >= 1.0 / same && c->ratio.high90 <= same)
        c->verdict = COMPARE_SAME;
    else
        explain_inconclusive(c, significance);
}
