/* From values to a verdict: see compare_verdict.h and docs/comparison.md. */
#include "history/compare_verdict.h"
#include <math.h>
#include <stdio.h>

/* From A/A runs on an H100 (docs/comparison.md). What matters: a share of the time, and three ticks of the
 * GPU's clock. Deviation from process to process: a share of the time, and of a microsecond that launching
 * costs, which is what counts for small kernels and most of which launch overheads and controls take out. */
#define EFFECT_SHARE 0.01
#define EFFECT_US    0.1
#define SAME_EFFECTS \
    2.0 /* `same` leaves out changes of twice what matters: for less, one process a side does not tell \
           enough */
#define DEVIATION_SHARE        0.0025
#define DEVIATION_US           0.12
#define DEVIATION_CORRECTED_US 0.06
#define CONTROLLED_SHARE       0.0015
#define CONTROLLED_US          0.02
#define DEVIATION_POWER_CAP    0.01
#define DEVIATION_SUSTAINED    0.02 /* under load without a pause, rates move by 7% from end to end */
#define DEVIATION_RELATIVE     0.0035
#define DEVIATION_OTHER_CARD   0.005

/* What the comparison takes for a change that matters, of a case that takes `us`. */
static double compare_minimum_effect(double us)
{
    return fmax(EFFECT_SHARE, EFFECT_US / us);
}

/* The controls' median scatters, too: its variance is about pi / 2 of one control's over their number. */
static double controlled_deviation(double us, int controls)
{
    return hypot(CONTROLLED_SHARE, CONTROLLED_US / us) * sqrt(1.0 + 1.5708 / controls);
}

compare_state compare_state_of(timing_mode mode, int power_cap, int relative)
{
    if (relative)
        return COMPARE_RELATIVE;
    if (!power_cap)
        return COMPARE_STEADY;
    return mode == TIMING_SUSTAINED ? COMPARE_SUSTAINED : COMPARE_CAPPED;
}

double compare_run_deviation(double us, int same_card, compare_state state, int overhead_known, int controls)
{
    static const double shares[] = {DEVIATION_SHARE, DEVIATION_POWER_CAP, DEVIATION_SUSTAINED,
                                    DEVIATION_RELATIVE};
    const double own =
        controls > 0 ? controlled_deviation(us, controls)
                     : hypot(shares[state], (overhead_known ? DEVIATION_CORRECTED_US : DEVIATION_US) / us);
    return same_card ? own : hypot(own, DEVIATION_OTHER_CARD);
}

/* The rank test asks whether the repetitions differ; this asks whether processes that differ by chance could
 * do it. */
static double process_p(const ratio_interval *ratio)
{
    return ratio->deviation > 0 ? erfc(fabs(log(ratio->ratio)) / ratio->deviation / sqrt(2.0)) : 1.0;
}

assay_status verdict_test(compare_case *c, const side_values *base, const side_values *changed,
                          const compare_options *o, assay_error *error)
{
    c->base_us = base->us, c->new_us = changed->us;
    c->base_runs = base->side.runs, c->new_runs = changed->side.runs;
    c->base_repetitions = base->side.count, c->new_repetitions = changed->side.count;
    const double us = fmin(c->base_us, c->new_us);
    const compare_state state = compare_state_of(c->mode, c->power_cap, c->relative_to[0] != '\0');
    const int overhead_known = timing_mode_get(c->mode)->launch == TIMING_GRAPH ||
                               (c->base_overhead_us > 0 && c->new_overhead_us > 0);
    const double deviation = compare_run_deviation(us, c->same_card, state, overhead_known, c->controls);
    c->minimum_effect = o->minimum_effect > 0 ? o->minimum_effect : compare_minimum_effect(us);
    assay_status status = stats_mann_whitney(base->side.values, base->side.count, changed->side.values,
                                             changed->side.count, &c->test, error);
    if (status == ASSAY_OK)
        status = stats_bootstrap_ratio(&base->side, &changed->side, deviation, 1, &c->ratio, error);
    if (status == ASSAY_OK)
        c->p = fmax(c->test.p, process_p(&c->ratio));
    return status;
}

/* The p-value of repetitions that are completely apart: with too few nothing could ever be significant. */
static double least_p(int m, int n)
{
    double orders = 1.0;
    for (int i = 1; i <= m; i++)
        orders *= (double)(n + i) / i;
    return 2.0 / orders;
}

/* The change that the case's values could tell, at least; relative. */
static double verdict_resolution(const compare_case *c)
{
    return fmax(c->minimum_effect, 2.576 * c->ratio.deviation); /* two-sided 1% of a normal value */
}

static void explain_inconclusive(compare_case *c)
{
    if (least_p(c->base_repetitions, c->new_repetitions) > COMPARE_SIGNIFICANCE)
        snprintf(c->reason, sizeof c->reason, "too few repetitions to tell anything: %d and %d",
                 c->base_repetitions, c->new_repetitions);
    else if (fabs(c->controls_ratio - 1.0) > c->minimum_effect)
        snprintf(c->reason, sizeof c->reason, "unchanged kernels beside it moved by %+.1f%%",
                 100 * (c->controls_ratio - 1.0));
    else if (c->p_adjusted > COMPARE_SIGNIFICANCE)
        snprintf(c->reason, sizeof c->reason, "needs %.1f%% to tell", 100 * verdict_resolution(c));
    else
        snprintf(c->reason, sizeof c->reason, "a change, but perhaps below the %.1f%% that matter",
                 100 * c->minimum_effect);
}

/* By what unchanged kernels of the same processes moved, the case's change does not count, where they moved
 * by more than matters. */
static double beyond_controls(const compare_case *c, double ratio)
{
    const double by = fabs(c->controls_ratio - 1.0) > c->minimum_effect ? c->controls_ratio : 1.0;
    return ratio > 1.0 ? ratio / fmax(by, 1.0) : ratio / fmin(by, 1.0);
}

void verdict_judge(compare_case *c)
{
    const double above = 1.0 + c->minimum_effect, below = 1.0 / above;
    const double same = 1.0 + SAME_EFFECTS * c->minimum_effect;
    const int significant = c->p_adjusted <= COMPARE_SIGNIFICANCE;
    if (significant && beyond_controls(c, c->ratio.ratio) >= above &&
        beyond_controls(c, c->ratio.low95) > 1.0)
        c->verdict = c->unchanged ? COMPARE_MACHINE : COMPARE_SLOWER;
    else if (significant && beyond_controls(c, c->ratio.ratio) <= below &&
             beyond_controls(c, c->ratio.high95) < 1.0)
        c->verdict = c->unchanged ? COMPARE_MACHINE : COMPARE_FASTER;
    else if (c->ratio.low90 >= 1.0 / same && c->ratio.high90 <= same)
        c->verdict = COMPARE_SAME;
    else
        explain_inconclusive(c);
}
