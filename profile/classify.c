/* See classify.h. */
#include "profile/classify.h"
#include "profile/thresholds.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The two sides of the speed-of-light rule, and what else the rules look at. */
typedef struct sides {
    const metric_set *set;
    double sm, memory;
} sides;

/* A rule holds if its margin is above 0: how far the numbers are from the threshold, 1 for far. */
typedef struct decision {
    bottleneck_rule rule;
    double (*margin)(const sides *s, char numbers[FINDING_TEXT]);
    const char *(*part)(const sides *s);
} decision;

static void put_sides(const sides *s, char numbers[FINDING_TEXT])
{
    snprintf(numbers, FINDING_TEXT, "compute %.0f%%, memory %.0f%% of peak", s->sm, s->memory);
}

static double within(double distance, double far)
{
    return distance > 0.0 ? fmin(distance / far, 1.0) : 0.0;
}

static double is_short(const sides *s, char numbers[FINDING_TEXT])
{
    const double ns = metric_value(s->set, METRIC_DURATION);
    if (!(ns < LAUNCH_NS) || fmax(s->sm, s->memory) >= SOL_BUSY)
        return 0.0;
    snprintf(numbers, FINDING_TEXT, "%.2f us, compute %.0f%%, memory %.0f%% of peak", ns * 1e-3, s->sm,
             s->memory);
    return within(LAUNCH_NS - ns, LAUNCH_NS / 2.0);
}

static double memory_dominates(const sides *s, char numbers[FINDING_TEXT])
{
    if (!(s->memory >= SOL_BUSY && s->memory - s->sm >= SOL_APART))
        return 0.0;
    put_sides(s, numbers);
    return fmin(within(s->memory - SOL_BUSY + 1.0, 20.0), within(s->memory - s->sm - SOL_APART + 1.0, 20.0));
}

static double compute_dominates(const sides *s, char numbers[FINDING_TEXT])
{
    if (!(s->sm >= SOL_BUSY && s->sm - s->memory >= SOL_APART))
        return 0.0;
    put_sides(s, numbers);
    return fmin(within(s->sm - SOL_BUSY + 1.0, 20.0), within(s->sm - s->memory - SOL_APART + 1.0, 20.0));
}

static double both_busy(const sides *s, char numbers[FINDING_TEXT])
{
    if (!(fmax(s->sm, s->memory) >= SOL_BUSY && fabs(s->sm - s->memory) < SOL_APART))
        return 0.0;
    put_sides(s, numbers);
    return within(SOL_APART - fabs(s->sm - s->memory) + 0.5, SOL_APART);
}

static double queues_for_a_pipe(const sides *s, char numbers[FINDING_TEXT])
{
    const metric_id pipe = metric_top_pipe(s->set), top = metric_top_stall(s->set);
    const double busy = metric_value(s->set, pipe), share = metric_stall_share(s->set, top);
    if ((top != METRIC_STALL_MATH_PIPE_THROTTLE && top != METRIC_STALL_GMMA) ||
        !(busy >= PIPE_HALF && share > STALL_SHARE))
        return 0.0;
    snprintf(numbers, FINDING_TEXT,
             "%s at %.0f%% of its peak, and warps queue for it in %.0f%% of their time",
             metric_get(pipe)->meaning, busy, 100.0 * share);
    return within(busy - PIPE_HALF + 1.0, 20.0);
}

static double grid_is_small(const sides *s, char numbers[FINDING_TEXT])
{
    const double waves = metric_value(s->set, METRIC_WAVES);
    if (!(waves < WAVES_FULL))
        return 0.0;
    snprintf(numbers, FINDING_TEXT, "%.2f waves (%.0f blocks); compute %.0f%%, memory %.0f%% of peak", waves,
             metric_value(s->set, METRIC_GRID_BLOCKS), s->sm, s->memory);
    return within(WAVES_FULL - waves, 0.5);
}

static double blocks_are_unequal(const sides *s, char numbers[FINDING_TEXT])
{
    const double share = metric_sm_active_share(s->set);
    if (!(share < ACTIVE_SHARE))
        return 0.0;
    snprintf(numbers, FINDING_TEXT,
             "a multiprocessor had work in %.0f%% of the cycles; compute %.0f%%, memory %.0f%% of peak",
             100.0 * share, s->sm, s->memory);
    return within(ACTIVE_SHARE - share, 0.3);
}

/* More warps hide a latency; they do not shorten the wait for other warps, or for a queue that is full. */
static int is_hidden_by_warps(metric_id stall)
{
    return stall == METRIC_STALL_LONG_SCOREBOARD || stall == METRIC_STALL_SHORT_SCOREBOARD ||
           stall == METRIC_STALL_WAIT;
}

static double occupancy_is_low(const sides *s, char numbers[FINDING_TEXT])
{
    const double fit = metric_value(s->set, METRIC_THEORETICAL_OCCUPANCY);
    const metric_id top = metric_top_stall(s->set);
    if (!(fit < OCCUPANCY_LOW) || !is_hidden_by_warps(top))
        return 0.0;
    snprintf(numbers, FINDING_TEXT, "%.0f%% of the warps fit, limited by %s; %s in %.0f%% of a warp's time",
             fit, metric_occupancy_limit(s->set), metric_get(top)->key + strlen("STALL_"),
             100.0 * metric_stall_share(s->set, top));
    return within(OCCUPANCY_LOW - fit, 30.0);
}

static double nothing_is_busy(const sides *s, char numbers[FINDING_TEXT])
{
    const double most = fmax(s->sm, s->memory);
    const metric_id top = metric_top_stall(s->set);
    if (!(most < SOL_BUSY))
        return 0.0;
    put_sides(s, numbers);
    if (top < METRIC_COUNT) {
        const size_t used = strlen(numbers);
        snprintf(numbers + used, FINDING_TEXT - used, "; %s in %.0f%% of a warp's time", metric_get(top)->key,
                 100.0 * metric_stall_share(s->set, top));
    }
    return within(SOL_BUSY - most, 30.0);
}

static double nothing_is_known(const sides *s, char numbers[FINDING_TEXT])
{
    snprintf(numbers, FINDING_TEXT, "%s is not known",
             isnan(s->sm) ? metric_get(METRIC_SM_SOL)->raw : metric_get(METRIC_MEMORY_SOL)->raw);
    return 1.0;
}

/* What of a kind it is. */

static const char *memory_part(const sides *s)
{
    const metric_id level = metric_memory_level(s->set);
    return level == METRIC_DRAM_SOL ? "DRAM"
           : level == METRIC_L2_SOL ? "L2"
           : level == METRIC_L1_SOL ? "L1 and shared memory"
                                    : "level not known";
}

static const char *compute_part(const sides *s)
{
    const metric_id pipe = metric_top_pipe(s->set);
    const double busy = metric_value(s->set, pipe), issue = 100.0 * metric_value(s->set, METRIC_ISSUE_ACTIVE);
    if (issue > busy + SOL_APART || (isnan(busy) && !isnan(issue)))
        return "instruction issue";
    return pipe < METRIC_COUNT ? metric_get(pipe)->meaning : "pipe not known";
}

static const char *stall_part(const sides *s)
{
    const metric_id top = metric_top_stall(s->set);
    return top < METRIC_COUNT ? metric_get(top)->meaning : "stall reason not known";
}

static const char *limit_part(const sides *s)
{
    return metric_occupancy_limit(s->set);
}

static const char *grid_part(const sides *s)
{
    (void)s;
    return "grid";
}

static const char *unequal_part(const sides *s)
{
    (void)s;
    return "blocks of unequal work";
}

static const char *no_part(const sides *s)
{
    (void)s;
    return "";
}

#define NCU_SOL "Nsight Compute: speed-of-light rule"

/* The first that holds decides. */
static const decision decisions[] = {
    {{"launch", BOTTLENECK_LAUNCH, "shorter than 4 us, and neither side at 60%", "measured: tests/profile"},
     is_short,
     no_part},
    {{"memory", BOTTLENECK_MEMORY, "memory at 60% or more, and 10 points above compute", NCU_SOL},
     memory_dominates,
     memory_part},
    {{"compute", BOTTLENECK_COMPUTE, "compute at 60% or more, and 10 points above memory", NCU_SOL},
     compute_dominates,
     compute_part},
    {{"balanced", BOTTLENECK_BALANCED, "one at 60% or more, and less than 10 points apart", NCU_SOL},
     both_busy,
     memory_part},
    {{"pipe", BOTTLENECK_COMPUTE,
      "both below 60%; a pipe at half of its peak, and waiting for it the first stall, above 30%",
      "Nsight Compute: warp state rules"},
     queues_for_a_pipe,
     compute_part},
    {{"grid", BOTTLENECK_OCCUPANCY, "both below 60%; less than one wave", NCU_SOL}, grid_is_small, grid_part},
    {{"unequal", BOTTLENECK_OCCUPANCY,
      "both below 60%; multiprocessors with work in less than 70% of the cycles",
      "Nsight Compute: workload imbalance rule"},
     blocks_are_unequal,
     unequal_part},
    {{"occupancy", BOTTLENECK_OCCUPANCY,
      "both below 60%; less than half of the warps fit, and the first stall is one that more warps hide",
      "Nsight Compute: occupancy rule"},
     occupancy_is_low,
     limit_part},
    {{"latency", BOTTLENECK_LATENCY, "both below 60%, and none of the above", NCU_SOL},
     nothing_is_busy,
     stall_part},
    {{"unknown", BOTTLENECK_UNKNOWN, "the two sides are not both known", ""}, nothing_is_known, no_part},
};
enum { DECISIONS = sizeof decisions / sizeof *decisions };

const bottleneck_rule *bottleneck_rules(int *count)
{
    static bottleneck_rule rules[DECISIONS];
    for (int i = 0; i < DECISIONS; i++)
        rules[i] = decisions[i].rule;
    *count = DECISIONS;
    return rules;
}

const char *bottleneck_name(bottleneck_kind kind)
{
    static const char *const names[BOTTLENECK_KINDS] = {"memory-bound",    "compute-bound", "latency-bound",
                                                        "occupancy-bound", "launch-bound",  "balanced",
                                                        "unknown"};
    return kind < BOTTLENECK_KINDS ? names[kind] : "unknown";
}

bottleneck_kind bottleneck_of_ncu(const profiled_kernel *kernel, int *saturated)
{
    static const struct {
        const char *words;
        bottleneck_kind kind;
    } known[] = {
        {"Memory is more heavily utilized than Compute", BOTTLENECK_MEMORY},
        {"Compute is more heavily utilized than Memory", BOTTLENECK_COMPUTE},
        {"Compute and Memory are well-balanced", BOTTLENECK_BALANCED},
        {"grid is too small to fill", BOTTLENECK_OCCUPANCY},
        {"low compute throughput and memory bandwidth utilization", BOTTLENECK_LATENCY},
    };
    *saturated = 0;
    for (int r = 0; r < kernel->rule_count; r++) {
        if (strcmp(kernel->rules[r].name, "SOLBottleneck") != 0)
            continue;
        *saturated |= strstr(kernel->rules[r].text, "greater than 80") != NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strstr(kernel->rules[r].text, known[i].words) != NULL)
                return known[i].kind;
    }
    return BOTTLENECK_UNKNOWN;
}

int bottleneck_agrees(bottleneck_kind kind, bottleneck_kind ncu, int saturated)
{
    if (ncu == BOTTLENECK_UNKNOWN)
        return !saturated || kind == BOTTLENECK_MEMORY || kind == BOTTLENECK_COMPUTE ||
               kind == BOTTLENECK_BALANCED;
    return kind == ncu ||
           ((ncu == BOTTLENECK_LATENCY || ncu == BOTTLENECK_OCCUPANCY) &&
            (kind == BOTTLENECK_LAUNCH || kind == BOTTLENECK_OCCUPANCY || kind == BOTTLENECK_COMPUTE));
}

static void set_confidence(const evidence *given, double margin, bottleneck *out)
{
    int saturated;
    const bottleneck_kind ncu = bottleneck_of_ncu(given->kernel, &saturated);
    out->confidence = out->kind == BOTTLENECK_UNKNOWN ? 0.0 : 0.5 + 0.4 * margin;
    snprintf(out->why, sizeof out->why, "%s", margin >= 1.0 ? "far from the rule's thresholds" : "");
    if (margin < 1.0)
        snprintf(out->why, sizeof out->why, "%.0f%% of the way to a clear case", 100.0 * margin);
    const size_t used = strlen(out->why);
    if (ncu == out->kind && ncu < BOTTLENECK_UNKNOWN) {
        out->confidence += 0.05;
        snprintf(out->why + used, sizeof out->why - used, "; ncu's own rule agrees");
    } else if (ncu < BOTTLENECK_UNKNOWN && out->kind < BOTTLENECK_UNKNOWN)
        snprintf(out->why + used, sizeof out->why - used, "; ncu's own rule says %s, which this rule refines",
                 bottleneck_name(ncu));
}

/* The findings that explain the kind, the severest first; of an unknown kind all, for nothing rules one out. */
static void choose_changes(bottleneck *out)
{
    for (int i = 0; i < out->finding_count && out->change_count < BOTTLENECK_CHANGES; i++)
        if (out->kind == BOTTLENECK_UNKNOWN || out->findings[i].rule->kinds >> out->kind & 1u)
            out->changes[out->change_count++] = &out->findings[i];
}

void bottleneck_explain(const evidence *given, bottleneck *out)
{
    out->finding_count = findings_collect(given, out->findings);
    choose_changes(out);
}

void bottleneck_classify(const evidence *given, bottleneck *out)
{
    const metric_set *set = &given->kernel->metrics;
    const sides s = {set, metric_value(set, METRIC_SM_SOL), metric_memory_side(set)};
    double margin = 0.0;
    *out = (bottleneck){.kind = BOTTLENECK_UNKNOWN, .part = ""};
    for (int i = 0; i < DECISIONS && margin <= 0.0; i++) {
        margin = decisions[i].margin(&s, out->numbers);
        if (margin <= 0.0)
            continue;
        out->rule = &decisions[i].rule;
        out->kind = decisions[i].rule.kind;
        out->part = decisions[i].part(&s);
    }
    set_confidence(given, margin, out);
    bottleneck_explain(given, out);
}
