/* Taking turns: the repetitions of one figure, candidates alternating in a random order with a fixed seed. */
#include "bench/timing/clock.h"
#include "bench/run/group_repetitions.h"
#include "core/list.h"
#include "bench/timing/quality.h"
#include "statistics/describe.h"
#include "statistics/random.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NVML's clock event reasons that mean the card is in trouble: hardware slowdown, software and hardware
 * thermal slowdown, power brake. The software power cap (0x4) is normal under tensor-core load and is only
 * recorded. */
static const int64_t trouble_mask = 0x8 | 0x20 | 0x40 | 0x80;

static const double long_launch_ms = 1000.0;
static const double heat_turn_ms = 200.0;
enum { HEAT_ROUNDS_MS = 2000 };

static int in_trouble(const assay_device_health *before, const assay_device_health *after)
{
    return (before->reasons > 0 && (before->reasons & trouble_mask)) ||
           (after->reasons > 0 && (after->reasons & trouble_mask));
}

static figure_record *start_figure(group_candidate *a, const char *figure)
{
    figure_record *f = &a->record.figures[a->record.figure_count++];
    memset(f, 0, sizeof *f);
    snprintf(f->name, sizeof f->name, "%s", figure);
    return f;
}

static figure_record *current_figure(group_candidate *a)
{
    return &a->record.figures[a->record.figure_count - 1];
}

static double launch_ms(group_candidate *a)
{
    return a->candidate.launch_us ? a->candidate.launch_us(&a->candidate) * 1e-3 : 0.0;
}

static const char *figure_flush(const group *g, const char *figure)
{
    const figure_method *method = figure_method_find(figure);
    return method && method->flush ? method->flush : g->options->method.flush;
}

/* timing.h's name of a figure; an unknown name stays, and the candidate refuses it. */
static const char *timing_name(const char *figure)
{
    const figure_method *method = figure_method_find(figure);
    return method ? method->timing : figure;
}

static assay_status measure_once(group *g, group_candidate *a, const char *figure, assay_error *error)
{
    const sample_plan plan = {.min_samples = 1, .max_samples = 1, .flush = figure_flush(g, figure)};
    sample_set_clear(&g->samples);
    return a->candidate.measure(&a->candidate, timing_name(figure), &plan, &g->samples, error);
}

static sample_plan make_plan(const group *g, group_candidate *a)
{
    const bench_method *m = &g->options->method;
    sample_plan plan = {.warmup_ms = m->warmup_ms,
                        .sample_ms = m->sample_ms,
                        .min_samples = m->min_samples,
                        .max_samples = m->max_samples,
                        .long_ms = long_launch_ms,
                        .flush = figure_flush(g, current_figure(a)->name)};
    if (a->turns > 0 && launch_ms(a) > long_launch_ms)
        plan.warmup_ms = 0.0; /* warming such a launch up again costs as much as the figure */
    return plan;
}

/* Stop after this turn if another one like it would exceed the bound. Two at least, or there is no
 * spread to report. The decision waits for each turn, because a first one may include building a graph or compiling. */
static void fit_repetitions(const group *g, group_candidate *a, double turn_s)
{
    const bench_method *m = &g->options->method;
    const int done = a->turns - current_figure(a)->repeated;
    a->spent_s += turn_s;
    if (done < 2 || done >= m->repetitions || a->spent_s + turn_s <= m->bound_s)
        return;
    a->repetitions = done;
    current_figure(a)->cut = 1;
}

static assay_status check_slot(group *g, group_candidate *a, const char *figure, const char *what,
                               assay_error *error)
{
    char reason[512] = "";
    const int slot = a->candidate.last_slot(&a->candidate, timing_name(figure));
    assay_status status = a->candidate.deliver ? a->candidate.deliver(&a->candidate, slot, error) : ASSAY_OK;
    if (status == ASSAY_OK)
        status = output_check_slot(g->check, slot, reason, sizeof reason, error);
    return status == ASSAY_ERR_CHECK ? assay_error_set(error, status, "%s (%s): %s", what, figure, reason)
                                     : status;
}

/* One more sample over a result that is spoiled where the sample will be looked at: where the one before was. Of launches one by one the device
 * may go on to any copy. A cold launch must stay: the next copy may hold poison still, over which every kernel works. */
static assay_status measure_over_spoiled(group *g, group_candidate *a, const char *figure, assay_error *error)
{
    const int slot = a->candidate.last_slot(&a->candidate, timing_name(figure));
    if (a->candidate.stay)
        a->candidate.stay(&a->candidate);
    assay_status status = output_check_spoil(g->check, slot, 1, error);
    if (status == ASSAY_OK)
        status = measure_once(g, a, figure, error);
    if (status != ASSAY_OK || a->candidate.last_slot(&a->candidate, timing_name(figure)) == slot)
        return status;
    status = output_check_spoil(g->check, 0, g->set->slot_count, error);
    return status == ASSAY_OK ? measure_once(g, a, figure, error) : status;
}

/* A turn's first launch alone finds poison; all others run over a finished result. Did they do the work? One more sample, over
 * a result with spots of noise, tells; it is not recorded. */
static assay_status check_over_own_result(group *g, group_candidate *a, const char *figure,
                                          assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < output_check_spoilings(g->check) && status == ASSAY_OK; i++) {
        status = measure_over_spoiled(g, a, figure, error);
        if (status == ASSAY_OK)
            status =
                check_slot(g, a, figure, "launched over its own result the kernel leaves it wrong", error);
    }
    return status;
}

/* The outputs must be those of this candidate's last turn, and right. */
static assay_status check_output(group *g, group_candidate *a, const char *figure, assay_error *error)
{
    if (!a->candidate.writes_output)
        return ASSAY_OK;
    assay_status status = check_slot(g, a, figure, "the timed output is wrong", error);
    if (status == ASSAY_OK && strcmp(a->record.kind, CANDIDATE_VARIANT) == 0)
        status = check_over_own_result(g, a, figure, error);
    if (status == ASSAY_OK)
        snprintf(a->record.output_check, sizeof a->record.output_check, "pass");
    return status;
}

static assay_status poison(group *g, group_candidate *a, assay_error *error)
{
    const assay_status status = a->candidate.writes_output ? problem_set_poison(g->set, error) : ASSAY_OK;
    return status == ASSAY_OK ? assay_device_sync_all(g->device, error) : status;
}

/* Samples of one turn, with the card's health before, during and after it. *reasons: all clock event reasons seen. */
static assay_status sample_turn(group *g, group_candidate *a, const char *figure, repetition_record *turn,
                                int64_t *reasons, assay_error *error)
{
    const sample_plan plan = make_plan(g, a);
    health_log *log = &current_figure(a)->during;
    const int logged = log->count;
    sample_set_clear(&g->samples);
    assay_status status = poison(g, a, error);
    (void)assay_device_read_health(g->device, &turn->before);
    health_sampler_watch(g->sampler, log);
    if (status == ASSAY_OK)
        status = a->candidate.measure(&a->candidate, timing_name(figure), &plan, &g->samples, error);
    health_sampler_watch(g->sampler, NULL);
    (void)assay_device_read_health(g->device, &turn->after);
    turn->launches_per_sample = g->samples.launches_per_sample;
    turn->turn = g->turns++;
    *reasons = health_log_reasons(log, logged);
    return status;
}

/* One repetition of one candidate, repeated while the card reports a slowdown and repeats are left. */
static assay_status take_turn(group *g, group_candidate *a, const char *figure, assay_error *error)
{
    for (;;) {
        repetition_record turn = {0};
        int64_t during = 0;
        const double start_ms = clock_now_ms();
        assay_status status = sample_turn(g, a, figure, &turn, &during, error);
        if (status != ASSAY_OK)
            return status;
        a->turns++;
        figure_record *f = current_figure(a);
        f->unblocked |= g->samples.unblocked;
        f->graph_nodes = g->samples.graph_nodes;
        f->programmatic = g->samples.programmatic;
        const int troubled = in_trouble(&turn.before, &turn.after) || (during & trouble_mask);
        if (troubled && g->extra_left > 0) {
            g->extra_left--;
            f->repeated++;
            continue;
        }
        if (troubled && strcmp(a->record.status, "ok") == 0)
            record_set_status(&a->record, "unstable",
                              "the card slowed down (clock event reasons before 0x%llx, during 0x%llx, after "
                              "0x%llx) and repeats are used up",
                              (unsigned long long)turn.before.reasons, (unsigned long long)during,
                              (unsigned long long)turn.after.reasons);
        status = record_add_repetition(f, g->samples.us, g->samples.count, &turn, error);
        fit_repetitions(g, a, (clock_now_ms() - start_ms) * 1e-3);
        return status;
    }
}

/* A candidate that has no such figure goes on with the others; one that fails otherwise is out. */
static void lose_figure(group *g, group_candidate *a, assay_status status, const assay_error *failure)
{
    if (status == ASSAY_ERR_UNSUPPORTED) {
        figure_record *f = current_figure(a);
        if (f->count == 0)
            a->record.figure_count--;
        a->repetitions = 0;
        snprintf(a->lost, sizeof a->lost, "%s", failure->message);
        return;
    }
    const int wrong = status == ASSAY_ERR_CHECK;
    group_drop(g, a, strcmp(a->record.kind, CANDIDATE_VARIANT) == 0 || wrong ? "not timed" : "unavailable",
               failure->message);
    if (wrong)
        snprintf(a->record.output_check, sizeof a->record.output_check, "fail");
}

/* The candidate's failure is the candidate's own, unless the device has stopped working. */
static assay_status judge_candidate(group *g, group_candidate *a, assay_status status,
                                    const assay_error *failure, assay_error *error)
{
    if (status == ASSAY_OK)
        return ASSAY_OK;
    const int fatal = group_is_fatal(g, status, failure);
    lose_figure(g, a, status, failure);
    return fatal ? assay_error_set(error, status, "%s: %s", a->record.name, failure->message) : ASSAY_OK;
}

static assay_status run_candidate(group *g, group_candidate *a, int repetition, const char *figure,
                                  assay_error *error)
{
    if (!a->active || repetition >= a->repetitions)
        return ASSAY_OK;
    assay_error failure = {0};
    assay_status status = take_turn(g, a, figure, &failure);
    if (status == ASSAY_OK && repetition + 1 >= a->repetitions && strcmp(figure, "sustained") != 0)
        status = check_output(g, a, figure, &failure);
    return judge_candidate(g, a, status, &failure, error);
}

/* Checking takes the host a while, in which the card cools; so sustained figures are checked after all their
 * turns, on the output of one more, which is not recorded. */
static assay_status check_afterwards(group *g, group_candidate *a, const char *figure, assay_error *error)
{
    if (!a->active || !a->candidate.writes_output || a->turns == 0)
        return ASSAY_OK;
    assay_error failure = {0};
    assay_status status = poison(g, a, &failure);
    if (status == ASSAY_OK)
        status = measure_once(g, a, figure, &failure);
    if (status == ASSAY_OK)
        status = check_output(g, a, figure, &failure);
    return judge_candidate(g, a, status, &failure, error);
}

/* Sustained figures are taken after the clocks have settled under load: every candidate in turn, until two seconds
 * are over. */
static void heat_up(group *g)
{
    const double start_ms = clock_now_ms();
    int heated = 1;
    while (heated && clock_now_ms() - start_ms < HEAT_ROUNDS_MS) {
        heated = 0;
        for (int i = 0; i < g->candidate_count; i++)
            if (g->candidates[i].active && g->candidates[i].candidate.heat)
                heated |= g->candidates[i].candidate.heat(&g->candidates[i].candidate, heat_turn_ms, NULL) ==
                          ASSAY_OK;
    }
}

assay_status group_measure_figure(group *g, const char *figure, assay_error *error)
{
    int order[GROUP_MOST_CANDIDATES];
    const bench_method *m = &g->options->method;
    g->turns = 0;
    if (strcmp(figure, "sustained") == 0)
        heat_up(g);
    for (int i = 0; i < g->candidate_count; i++) {
        g->candidates[i].turns = 0;
        g->candidates[i].spent_s = 0.0;
        g->candidates[i].repetitions = m->repetitions;
        if (g->candidates[i].active)
            start_figure(&g->candidates[i], figure);
    }
    assay_status status = ASSAY_OK;
    for (int r = 0; r < m->repetitions && status == ASSAY_OK; r++) {
        stats_shuffle(stats_random(m->seed, (uint64_t)r), order, g->candidate_count);
        for (int i = 0; i < g->candidate_count && status == ASSAY_OK; i++)
            status = run_candidate(g, &g->candidates[order[i]], r, figure, error);
    }
    if (strcmp(figure, "sustained") == 0)
        for (int i = 0; i < g->candidate_count && status == ASSAY_OK; i++)
            status = check_afterwards(g, &g->candidates[i], figure, error);
    return status;
}

static double floor_of(group *g, candidate *empty, const char *figure)
{
    const sample_plan plan = {.warmup_ms = 5.0,
                              .sample_ms = 60.0,
                              .min_samples = 5,
                              .max_samples = 200,
                              .flush = g->options->method.flush};
    sample_set_clear(&g->samples);
    if (empty->measure(empty, figure, &plan, &g->samples, NULL) != ASSAY_OK)
        return -1.0;
    return stats_midmean(g->samples.us, g->samples.count);
}

void group_measure_floor(group *g)
{
    candidate empty;
    if (candidate_make_empty(&empty, g->device, NULL) == ASSAY_OK) {
        g->floor_cold_us = floor_of(g, &empty, "cold");
        g->floor_hot_us = floor_of(g, &empty, "hot");
        if (list_has(g->options->method.figures, "host"))
            g->floor_host_us = floor_of(g, &empty, "host");
    }
    if (empty.release)
        empty.release(&empty);
}
