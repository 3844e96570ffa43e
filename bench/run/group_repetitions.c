/* One repetition of a candidate: samples, health of the card, what is repeated, and whether the output is right. */
#include "bench/run/group_repetitions.h"
#include "bench/run/problem_contents.h"
#include "bench/timing/clock.h"
#include "bench/timing/timing.h"
#include "core/list.h"
#include "statistics/describe.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NVML's clock event reasons that mean throttling: hardware slowdown, software and hardware thermal slowdown, power brake. The software
 * power cap (0x4) is normal under tensor-core load and is only recorded. */
static const int64_t throttling_mask = 0x8 | 0x20 | 0x40 | 0x80;

static const double long_launch_ms = 1000.0;

static int is_throttled(const assay_device_health *before, const assay_device_health *after)
{
    return (before->reasons > 0 && (before->reasons & throttling_mask)) ||
           (after->reasons > 0 && (after->reasons & throttling_mask));
}

mode_record *group_start_mode(group_candidate *c, timing_mode mode)
{
    mode_record *one = &c->record.modes[c->record.mode_count++];
    *one = (mode_record){.mode = mode};
    return one;
}

mode_record *group_current_mode(group_candidate *c)
{
    return &c->record.modes[c->record.mode_count - 1];
}

static double launch_ms(group_candidate *c)
{
    return c->candidate.launch_us ? c->candidate.launch_us(&c->candidate) * 1e-3 : 0.0;
}

protocol group_protocol(const group *g, timing_mode mode)
{
    const bench_method *m = &g->plan->method;
    return protocol_of(mode, &(protocol){m->repetitions, m->warmup_ms, m->sample_ms});
}

static assay_status measure_once(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    const sample_plan plan = {
        .min_samples = 1, .max_samples = 1, .flush = g->plan->method.flush, .keep_contents = 1};
    sample_set_clear(&g->samples);
    return c->candidate.measure(&c->candidate, mode, &plan, &g->samples, error);
}

static sample_plan make_plan(const group *g, group_candidate *c, timing_mode mode)
{
    const bench_method *m = &g->plan->method;
    const protocol p = group_protocol(g, mode);
    sample_plan plan = {.warmup_ms = p.warmup_ms,
                        .sample_ms = p.sample_ms,
                        .min_samples = m->min_samples,
                        .max_samples = m->max_samples,
                        .long_ms = long_launch_ms,
                        .flush = m->flush};
    if (c->taken > 0 && launch_ms(c) > long_launch_ms)
        plan.warmup_ms = 0.0; /* warming such a launch up again costs as much as timing it */
    return plan;
}

/* Stop after this repetition if another one like it would exceed the bound. Two at least, or there is no spread to report. The
 * decision waits for each repetition, because a first one may include building a graph or compiling. */
static void fit_repetitions(const group *g, group_candidate *c, double repetition_s)
{
    const int done = group_current_mode(c)->count;
    c->spent_s += repetition_s;
    if (done == 1 && g->plan->give_up_us > 0.0 && c->repetitions > 1 &&
        stats_mean(g->samples.us, g->samples.count) > g->plan->give_up_us) {
        c->repetitions = done; /* far behind: its place is known well enough */
        group_current_mode(c)->cut = 1;
        return;
    }
    if (done < 2 || done >= c->repetitions || c->spent_s + repetition_s <= g->plan->method.bound_s)
        return;
    c->repetitions = done;
    group_current_mode(c)->cut = 1;
}

/* Comparing is no timing. */
static void count_comparing(group *g, double start_ms)
{
    const double taken_s = 1e-3 * (clock_now_ms() - start_ms);
    g->phases_s[GROUP_REFERENCE] += taken_s;
    g->phases_s[GROUP_TIMING] -= taken_s;
}

static assay_status check_slot(group *g, group_candidate *c, timing_mode mode, const char *what,
                               assay_error *error)
{
    char reason[512] = "";
    const int slot = c->candidate.last_slot(&c->candidate, mode);
    const double start_ms = clock_now_ms();
    assay_status status = c->candidate.deliver ? c->candidate.deliver(&c->candidate, slot, error) : ASSAY_OK;
    if (status == ASSAY_OK)
        status = output_check_slot(g->check, slot, c->candidate.kind != RESULT_VARIANT, reason, sizeof reason,
                                   error);
    count_comparing(g, start_ms);
    return status == ASSAY_ERR_CHECK
               ? assay_error_set(error, status, "%s (%s): %s", what, timing_mode_name(mode), reason)
               : status;
}

/* One more sample over a result that is corrupted where the sample will be looked at: where the one before was. Of launches one by one the device
 * may go on to any copy. A cold launch must stay: the next copy may hold poison still, over which every kernel works. */
static assay_status measure_over_corrupted(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    const int slot = c->candidate.last_slot(&c->candidate, mode);
    if (c->candidate.stay)
        c->candidate.stay(&c->candidate);
    assay_status status = output_check_corrupt(g->check, slot, 1, error);
    if (status == ASSAY_OK)
        status = measure_once(g, c, mode, error);
    if (status != ASSAY_OK || c->candidate.last_slot(&c->candidate, mode) == slot)
        return status;
    status = output_check_corrupt(g->check, 0, g->set->slot_count, error);
    return status == ASSAY_OK ? measure_once(g, c, mode, error) : status;
}

/* A repetition's first launch alone finds poison; all others run over a finished result. Did they do the work? One more sample, over
 * a result with spots of noise, tells; it is not recorded. */
static assay_status check_over_own_result(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < output_check_corruptions(g->check) && status == ASSAY_OK; i++) {
        status = measure_over_corrupted(g, c, mode, error);
        if (status == ASSAY_OK)
            status = check_slot(g, c, mode, "launched over its own result the kernel leaves it wrong", error);
    }
    return status;
}

static assay_status poison(group *g, group_candidate *c, assay_error *error)
{
    const assay_status status = c->candidate.writes_output ? problem_set_poison(g->set, error) : ASSAY_OK;
    return status == ASSAY_OK ? assay_device_sync_all(g->device, error) : status;
}

/* Behind the first repetition or the second one, as the seed wants it: a kernel cannot know when. */
assay_status group_check_fresh(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    char reason[512] = "";
    const int slot = c->candidate.last_slot ? c->candidate.last_slot(&c->candidate, mode) : 0;
    const int due = group_current_mode(c)->count > (int)(g->plan->method.seed & 1) ||
                    group_current_mode(c)->count >= c->repetitions;
    if (c->fresh_checked || !due || !c->candidate.change || c->record.kind != RESULT_VARIANT ||
        timing_mode_get(mode)->launch == TIMING_GRAPH)
        return ASSAY_OK;
    assay_status status = poison(g, c, error);
    if (c->candidate.stay)
        c->candidate.stay(&c->candidate);
    if (status == ASSAY_OK)
        status = c->candidate.change(&c->candidate, slot, PROBLEM_FRESH, error);
    if (status == ASSAY_OK)
        status = measure_once(g, c, mode, error);
    const double start_ms = clock_now_ms();
    if (status == ASSAY_OK)
        status = output_check_fresh(g->check, slot, reason, sizeof reason, error);
    count_comparing(g, start_ms);
    c->fresh_checked = 1;
    if (status == ASSAY_ERR_CHECK)
        return assay_error_set(error, status,
                               "on contents that it was not timed on (%s) the kernel's output is wrong: %s",
                               timing_mode_name(mode), reason);
    /* What is looked at next is the result of the known contents. */
    if (status == ASSAY_OK)
        status = c->candidate.change(&c->candidate, slot, 0, error);
    if (c->candidate.stay)
        c->candidate.stay(&c->candidate);
    return status == ASSAY_OK ? measure_once(g, c, mode, error) : status;
}

/* A kernel that finds results which it kept is timed for finding them. Where launches follow each other without a pause, inputs cannot change between
 * them; so some replays on other contents must take as long as those that were timed. */
static assay_status check_same_time(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    double other_us = 0, same_us = 0;
    if (!c->candidate.compare_contents || c->record.kind != RESULT_VARIANT ||
        timing_mode_get(mode)->launch != TIMING_GRAPH)
        return ASSAY_OK;
    const assay_status status =
        c->candidate.compare_contents(&c->candidate, mode, g->plan->method.flush, &other_us, &same_us, error);
    if (status != ASSAY_OK || !timing_depends_on_contents(other_us, same_us))
        return status;
    return assay_error_set(
        error, ASSAY_ERR_CHECK,
        "%s: a launch takes %.4g us where inputs repeat and %.4g us where they are new: the "
        "kernel keeps its results",
        timing_mode_name(mode), same_us, other_us);
}

/* The outputs must be those of this candidate's last repetition, and right. */
assay_status group_check_output(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    if (!c->candidate.writes_output)
        return ASSAY_OK;
    assay_status status = check_slot(g, c, mode, "the timed output is wrong", error);
    if (status == ASSAY_OK)
        status = check_same_time(g, c, mode, error);
    if (status == ASSAY_OK && c->record.kind == RESULT_VARIANT)
        status = check_over_own_result(g, c, mode, error);
    if (status == ASSAY_OK)
        snprintf(c->record.output_check, sizeof c->record.output_check, "pass");
    return status;
}

/* Samples of one repetition, with the card's health before, during and after it. *reasons: all clock event reasons seen. */
static assay_status sample_repetition(group *g, group_candidate *c, timing_mode mode, repetition_record *out,
                                      int64_t *reasons, assay_error *error)
{
    const sample_plan plan = make_plan(g, c, mode);
    health_log *log = &group_current_mode(c)->during;
    const int logged = log->count;
    sample_set_clear(&g->samples);
    assay_status status = poison(g, c, error);
    (void)assay_device_read_health(g->device, &out->before);
    health_sampler_watch(g->sampler, log);
    if (status == ASSAY_OK)
        status = c->candidate.measure(&c->candidate, mode, &plan, &g->samples, error);
    health_sampler_watch(g->sampler, NULL);
    (void)assay_device_read_health(g->device, &out->after);
    out->launches_per_sample = g->samples.launches_per_sample;
    out->position = g->taken++;
    *reasons = health_log_reasons(log, logged);
    return status;
}

/* One repetition of a candidate, taken again while the card throttles and some are left. */
assay_status group_take_repetition(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    for (;;) {
        repetition_record repetition = {0};
        int64_t during = 0;
        const double start_ms = clock_now_ms();
        assay_status status = sample_repetition(g, c, mode, &repetition, &during, error);
        if (status != ASSAY_OK)
            return status;
        c->taken++;
        mode_record *f = group_current_mode(c);
        f->unblocked |= g->samples.unblocked;
        f->graph_nodes = g->samples.graph_nodes;
        f->programmatic = g->samples.programmatic;
        const int throttled =
            is_throttled(&repetition.before, &repetition.after) || (during & throttling_mask);
        if (throttled && g->extra_left > 0) {
            g->extra_left--;
            f->repeated++;
            continue;
        }
        if (throttled && strcmp(c->record.status, "ok") == 0)
            record_set_status(&c->record, "unstable",
                              "the card slowed down (clock event reasons before 0x%llx, during 0x%llx, after "
                              "0x%llx) and repeats are used up",
                              (unsigned long long)repetition.before.reasons, (unsigned long long)during,
                              (unsigned long long)repetition.after.reasons);
        status = record_add_repetition(f, g->samples.us, g->samples.count, &repetition, error);
        fit_repetitions(g, c, (clock_now_ms() - start_ms) * 1e-3);
        return status;
    }
}

/* A candidate that is not timed by this mode goes on with the others; one that fails otherwise is out. */
static void lose_mode(group *g, group_candidate *c, assay_status status, const assay_error *failure)
{
    if (status == ASSAY_ERR_UNSUPPORTED) {
        if (group_current_mode(c)->count == 0)
            c->record.mode_count--;
        c->repetitions = 0;
        snprintf(c->lost, sizeof c->lost, "%s", failure->message);
        return;
    }
    const int wrong = status == ASSAY_ERR_CHECK;
    group_drop(g, c, c->record.kind == RESULT_VARIANT || wrong ? "not timed" : "unavailable",
               failure->message);
    if (wrong)
        snprintf(c->record.output_check, sizeof c->record.output_check, "fail");
}

/* The candidate's failure is its own, unless the device has stopped working: then no result is written, and another process finds out
 * whether it was the candidate or the device is gone. */
assay_status group_settle_failure(group *g, group_candidate *c, assay_status status,
                                  const assay_error *failure, assay_error *error)
{
    if (status == ASSAY_OK)
        return ASSAY_OK;
    if (group_is_fatal(g, status, failure))
        return assay_error_set(error, status, "%s: %s", c->record.name, failure->message);
    lose_mode(g, c, status, failure);
    return ASSAY_OK;
}

/* Checking takes the host a while, in which the card cools; so sustained times are checked after all their
 * repetitions, on the output of one more launch, which is not recorded. */
assay_status group_check_afterwards(group *g, group_candidate *c, timing_mode mode, assay_error *error)
{
    if (!c->active || !c->candidate.writes_output || c->taken == 0)
        return ASSAY_OK;
    assay_error failure = {0};
    assay_status status = poison(g, c, &failure);
    if (status == ASSAY_OK)
        status = measure_once(g, c, mode, &failure);
    if (status == ASSAY_OK)
        status = group_check_output(g, c, mode, &failure);
    return group_settle_failure(g, c, status, &failure, error);
}
