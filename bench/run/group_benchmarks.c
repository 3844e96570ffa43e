/* The candidates of a group as benchmarks of Google Benchmark, a timing mode at a time: who takes part, and what a repetition says. */
#include "bench/run/group_benchmarks.h"
#include "core/list.h"
#include "statistics/describe.h"
#include <stdio.h>
#include <string.h>

/* A candidate's benchmark by the present mode. */
typedef struct benchmark_context {
    group *g;
    group_candidate *c;
    timing_mode mode;
    assay_status *status; /* of the run: not ASSAY_OK once the device has stopped working */
    assay_error *error;
} benchmark_context;

static void add_counters(const group *g, const group_candidate *c, gbench_repetition *out)
{
    const double us = out->mean_us, bound_us = c->bound.known ? c->bound.measured_us : 0.0;
    const gbench_counter counters[] = {{"bytes_per_second", g->set->bytes, 1},
                                       {"flops_per_second", c->computes ? g->set->flops : 0.0, 1},
                                       {"percent_of_roofline", us > 0.0 ? 100.0 * bound_us / us : 0.0, 0}};
    out->counter_count = sizeof counters / sizeof *counters;
    memcpy(out->counters, counters, sizeof counters);
}

static void skip(gbench_repetition *out, int withdrawn, const char *reason)
{
    out->withdrawn = withdrawn;
    snprintf(out->skipped, sizeof out->skipped, "%s", reason);
}

/* What Google Benchmark calls for each repetition. */
static void take_for_benchmark(void *context, gbench_repetition *out)
{
    const benchmark_context *b = context;
    group_candidate *c = b->c;
    assay_error failure = {0};
    if (!c->active)
        return skip(out, 1, c->record.reason);
    if (*b->status != ASSAY_OK)
        return skip(out, 1, "the device stopped working");
    if (c->repetitions == 0)
        return skip(out, 0, c->lost);
    if (group_current_mode(c)->count >= c->repetitions)
        return skip(out, 0, "the time for one candidate and mode is over");
    assay_status status = group_take_repetition(b->g, c, b->mode, &failure);
    const mode_record *f = group_current_mode(c);
    if (status == ASSAY_OK)
        out->mean_us = stats_mean(f->repetitions[f->count - 1].us, f->repetitions[f->count - 1].count);
    if (status == ASSAY_OK)
        status = group_check_fresh(b->g, c, b->mode, &failure);
    if (status == ASSAY_OK && f->count >= c->repetitions && b->mode != TIMING_SUSTAINED)
        status = group_check_output(b->g, c, b->mode, &failure);
    if (status != ASSAY_OK) {
        skip(out, status != ASSAY_ERR_UNSUPPORTED, failure.message);
        *b->status = group_settle_failure(b->g, c, status, &failure, b->error);
        return;
    }
    add_counters(b->g, c, out);
}

static double cold_us(const group_candidate *c)
{
    for (int m = 0; m < c->record.mode_count; m++) {
        const mode_record *one = &c->record.modes[m];
        double mean = 0.0;
        for (int r = 0; r < one->count; r++)
            mean += stats_mean(one->repetitions[r].us, one->repetitions[r].count) / one->count;
        if (one->mode == TIMING_COLD && one->count > 0)
            return mean;
    }
    return -1.0;
}

/* The fastest of those that compute the op; negative where none was timed. */
static double fastest_cold_us(const group *g)
{
    double fastest = -1.0;
    for (int i = 0; i < g->candidate_count; i++) {
        const double us = g->candidates[i].computes ? cold_us(&g->candidates[i]) : -1.0;
        if (us > 0.0 && (fastest < 0.0 || us < fastest))
            fastest = us;
    }
    return fastest;
}

static int takes_part(const group *g, const group_candidate *c, timing_mode mode, double fastest_us)
{
    if (!c->active || !(c->selected & timing_mode_bit(mode)))
        return 0;
    if (g->plan->modes_named || fastest_us < 0.0)
        return 1;
    return mode != TIMING_SUSTAINED || (c->computes && protocol_is_worth(mode, cold_us(c), fastest_us));
}

static void start_benchmark(group *g, group_candidate *c, timing_mode mode, benchmark_context *context,
                            gbench_benchmark *out)
{
    c->taken = 0;
    c->spent_s = 0.0;
    c->repetitions = group_protocol(g, mode).repetitions;
    group_start_mode(c, mode);
    context->c = c;
    *out = (gbench_benchmark){.repetitions = c->repetitions, .take = take_for_benchmark, .context = context};
    benchmark_name(g->plan, c->record.name, mode, out->name, sizeof out->name);
}

assay_status group_measure_mode(group *g, timing_mode mode, assay_error *error)
{
    gbench_benchmark benchmarks[GROUP_MOST_CANDIDATES];
    benchmark_context contexts[GROUP_MOST_CANDIDATES];
    assay_status status = ASSAY_OK;
    const double fastest_us = fastest_cold_us(g);
    int count = 0;
    g->taken = 0;
    for (int i = 0; i < g->candidate_count; i++) {
        if (!takes_part(g, &g->candidates[i], mode, fastest_us))
            continue;
        contexts[count] = (benchmark_context){.g = g, .mode = mode, .status = &status, .error = error};
        start_benchmark(g, &g->candidates[i], mode, &contexts[count], &benchmarks[count]);
        count++;
    }
    assay_status ran = gbench_run(benchmarks, count, status == ASSAY_OK ? error : NULL);
    for (int i = 0; mode == TIMING_SUSTAINED && i < count && status == ASSAY_OK; i++)
        status = group_check_afterwards(g, contexts[i].c, mode, error);
    return status != ASSAY_OK ? status : ran;
}

static double overhead_of(group *g, candidate *empty, timing_mode mode)
{
    const sample_plan plan = {.warmup_ms = 5.0,
                              .sample_ms = 60.0,
                              .min_samples = 5,
                              .max_samples = 200,
                              .flush = g->plan->method.flush};
    sample_set_clear(&g->samples);
    if (empty->measure(empty, mode, &plan, &g->samples, NULL) != ASSAY_OK)
        return 0.0;
    return stats_midmean(g->samples.us, g->samples.count);
}

/* It is this process's on this device, so further groups do not measure it again. */
void group_measure_overhead(group *g)
{
    static struct {
        const assay_device *device;
        char flush[16];
        double us[TIMING_MODES]; /* 0: not measured */
    } known;
    candidate empty;
    if (known.device != g->device || strcmp(known.flush, g->plan->method.flush) != 0)
        memset(&known, 0, sizeof known);
    known.device = g->device;
    snprintf(known.flush, sizeof known.flush, "%s", g->plan->method.flush);
    if (candidate_make_empty(&empty, g->device, NULL) == ASSAY_OK) {
        const timing_modes wanted =
            g->plan->method.modes | timing_mode_bit(TIMING_COLD) | timing_mode_bit(TIMING_HOT);
        for (int m = 0; m < TIMING_MODES; m++)
            if (timing_mode_get((timing_mode)m)->has_overhead && (wanted & timing_mode_bit((timing_mode)m)) &&
                known.us[m] <= 0.0)
                known.us[m] = overhead_of(g, &empty, (timing_mode)m);
    }
    memcpy(g->overhead_us, known.us, sizeof g->overhead_us);
    if (empty.release)
        empty.release(&empty);
}
