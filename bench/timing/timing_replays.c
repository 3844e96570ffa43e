/* The timing methods that replay a graph of many launches, and whether replays depend on the inputs' contents: see timing.h. */
#include "bench/timing/timing_parts.h"
#include "bench/timing/clock.h"
#include <math.h>

static const double replay_target_us = 1000.0; /* least work in one replay */
static const double replay_most_us = 25000.0;  /* and the most, where launches are long */
static const double burst_target_us = 1000.0;
static const double burst_pause_ms = 30.0;
static const double sustained_sample_us =
    16000.0; /* one wait of the host for so much work: the card is idle for a thousandth of the time at most */
/* One replay: the graph, or the same launches one by one. */
static assay_status replay(const sampling *c, assay_error *error)
{
    timing *t = c->t;
    if (c->graph)
        return assay_graph_launch(c->graph, error);
    assay_status status = ASSAY_OK;
    for (int i = 0; i < c->launches && status == ASSAY_OK; i++) {
        status = timing_enqueue(t, t->next_slot, error);
        t->next_slot = (t->next_slot + 1) % t->call.slots;
    }
    return status;
}

static assay_status take_replays(void *context, int count, double *us, assay_error *error)
{
    const sampling *c = context;
    timing *t = c->t;
    /* Without the lead, the host's launch latency would lie inside the first sample of every batch. */
    assay_status status = c->graph ? replay(c, error) : ASSAY_OK;
    if (status == ASSAY_OK)
        status = assay_event_record(t->events[0], error);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        status = replay(c, error);
        if (status == ASSAY_OK)
            status = assay_event_record(t->events[i + 1], error);
    }
    const assay_status synced = assay_device_sync_stream(t->device, error);
    if (status == ASSAY_OK)
        status = synced;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        status = assay_event_elapsed_us(t->events[i], t->events[i + 1], &us[i], error);
        us[i] /= c->launches;
    }
    return status;
}

static assay_status take_burst(void *context, int count, double *us, assay_error *error)
{
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        clock_sleep_ms(burst_pause_ms);
        status = take_replays(context, 1, &us[i], error);
    }
    return status;
}

/* `count` replays behind each other between two events: the time of all. */
static assay_status time_replays(const sampling *c, int count, double *us, assay_error *error)
{
    timing *t = c->t;
    assay_status status = assay_event_record(t->events[0], error);
    for (int i = 0; i < count && status == ASSAY_OK; i++)
        status = replay(c, error);
    if (status == ASSAY_OK)
        status = assay_event_record(t->events[1], error);
    const assay_status synced = assay_device_sync_stream(t->device, error);
    if (status == ASSAY_OK)
        status = synced;
    return status == ASSAY_OK ? assay_event_elapsed_us(t->events[0], t->events[1], us, error) : status;
}

/* Each sample is many replays behind each other, without a pause between samples that the power controller would notice. */
static assay_status take_sustained(void *context, int count, double *us, assay_error *error)
{
    const sampling *c = context;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        status = c->graph ? replay(c, error) : ASSAY_OK;
        if (status == ASSAY_OK)
            status = time_replays(c, c->replays, &us[i], error);
        us[i] /= (double)c->launches * c->replays;
    }
    return status;
}

static assay_status capture(timing *t, int launches, assay_graph **graph, assay_error *error)
{
    assay_status status = assay_graph_begin(t->device, error);
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; i < launches && status == ASSAY_OK; i++)
        status = timing_enqueue(t, i % t->call.slots, error);
    const assay_status ended =
        assay_graph_end(t->device, graph, error); /* always: a stream left capturing is lost */
    return status != ASSAY_OK ? status : ended;
}

/* At least a millisecond of work and 20 launches, at most 200; every rotating copy once, or the data would be
 * in the cache; fewer for long launches. One by one (no graphs) there is no launch overhead to hide behind a
 * long queue. */
static int choose_launches(const timing *t)
{
    const double us = fmax(t->launch_us, 0.5);
    if (!timing_has_graphs(t))
        return (int)fmin(fmax(ceil(replay_target_us / us), 1.0), 200.0);
    double launches = fmin(fmax(ceil(replay_target_us / us), 20.0), 200.0);
    launches = fmax(launches, t->call.slots);
    return (int)fmax(fmin(launches, ceil(replay_most_us / us)), 2.0);
}

static assay_status prepare_graph(timing *t, int launches, int *made_launches, assay_graph **graph,
                                  assay_error *error)
{
    if (*made_launches)
        return ASSAY_OK;
    if (timing_has_graphs(t)) {
        const assay_status status = capture(t, launches, graph, error);
        if (status != ASSAY_OK)
            return status;
    }
    *made_launches = launches;
    return ASSAY_OK;
}

/* How the modes that replay a graph differ: the work of a replay, and how samples are taken of replays. */
static sample_source choose_source(timing_mode mode, sampling *context)
{
    const double replay_us = fmax(context->t->launch_us, 0.5) * context->launches;
    context->replays = mode == TIMING_SUSTAINED ? (int)fmax(ceil(sustained_sample_us / replay_us), 1.0) : 1;
    return (sample_source){.context = context,
                           .take = mode == TIMING_BURST       ? take_burst
                                   : mode == TIMING_SUSTAINED ? take_sustained
                                                              : take_replays,
                           .max_batch = mode == TIMING_HOT ? TIMING_REPLAYS : 1};
}

assay_status timing_measure_replays(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                    assay_error *error)
{
    const int burst = mode == TIMING_BURST;
    const int launches = burst ? (int)ceil(burst_target_us / fmax(t->launch_us, 5.0)) : choose_launches(t);
    assay_graph **graph = burst ? &t->burst_graph : &t->graph;
    int *made = burst ? &t->burst_launches : &t->graph_launches;
    assay_status status = prepare_graph(t, launches, made, graph, error);
    for (int slot = 0; slot < t->call.slots && status == ASSAY_OK; slot++)
        status = timing_change(t, slot, 0, error);
    if (status != ASSAY_OK)
        return status;
    sampling context = {.t = t, .graph = *graph, .launches = *made};
    const sample_source source = choose_source(mode, &context);
    set->launches_per_sample = *made * context.replays;
    if (*graph)
        assay_graph_describe(*graph, &set->graph_nodes, &set->programmatic);
    return sample_run(&source, plan, set, error);
}

/* One replay, out of a flushed cache and behind a wait. The least time so far goes to *least_us. */
static assay_status replay_alone(const sampling *c, double *least_us, assay_error *error)
{
    timing *t = c->t;
    double us = 0;
    assay_status status = assay_device_flush_cache(t->device, c->flush, error);
    if (status == ASSAY_OK)
        status = assay_device_sync_stream(t->device, error);
    if (status == ASSAY_OK)
        status = time_replays(c, 1, &us, error);
    *least_us = fmin(*least_us, us / c->launches);
    return status;
}

int timing_depends_on_contents(double other_us, double same_us)
{
    return other_us > 1.5 * same_us + 1.0;
}

/* Several tries, more of them where a busy machine may have lengthened the first ones. */
assay_status timing_compare_contents(timing *t, timing_mode mode, const char *flush, double *other_us,
                                     double *same_us, assay_error *error)
{
    enum { FEWEST = 3, MOST = 12 };
    const int burst = mode == TIMING_BURST;
    const sampling c = {.t = t,
                        .flush = flush,
                        .graph = burst ? t->burst_graph : t->graph,
                        .launches = burst ? t->burst_launches : t->graph_launches};
    assay_status status = ASSAY_OK;
    *other_us = *same_us = INFINITY;
    for (int i = 0; i < MOST && status == ASSAY_OK; i++) {
        if (i >= FEWEST && !timing_depends_on_contents(*other_us, *same_us))
            break;
        for (int slot = 0; slot < t->call.slots && status == ASSAY_OK; slot++)
            status = timing_change(t, slot, ++t->contents, error);
        if (status == ASSAY_OK)
            status = replay_alone(&c, other_us, error);
        for (int slot = 0; slot < t->call.slots && status == ASSAY_OK; slot++)
            status = timing_change(t, slot, 0, error);
        if (status == ASSAY_OK)
            status = replay(&c, error); /* as those before the samples */
        if (status == ASSAY_OK)
            status = replay_alone(&c, same_us, error);
    }
    return status;
}
