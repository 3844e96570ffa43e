/* The timing methods on a device: see timing.h. */
#include "bench/timing/timing.h"
#include "bench/timing/clock.h"
#include <math.h>
#include <string.h>

static const double replay_target_us = 1000.0; /* least work in one replay */
static const double replay_most_us = 25000.0;  /* and the most, where launches are long */
static const double burst_target_us = 1000.0;
static const double burst_pause_ms = 30.0;
static const double sustained_sample_us =
    16000.0; /* one wait of the host for so much work: the card is idle for a thousandth of the time at most */
/* The same in torch_timing.py. Under a power cap the clock depends on how much of the time before was work, and candidates whose host queues
 * slowly would rest longer behind the blocking kernel: so launches that last all rest equally long. */
static const double paced_from_us = 50.0;

assay_status timing_init(timing *t, assay_device *device, const timing_call *call, assay_error *error)
{
    memset(t, 0, sizeof *t);
    t->device = device;
    t->call = *call;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < TIMING_EVENTS && status == ASSAY_OK; i++)
        status = assay_event_create(device, &t->events[i], error);
    return status;
}

void timing_release(timing *t)
{
    for (int i = 0; i < TIMING_EVENTS; i++)
        if (t->events[i])
            assay_event_destroy(t->events[i]);
    if (t->graph)
        assay_graph_destroy(t->graph);
    if (t->burst_graph)
        assay_graph_destroy(t->burst_graph);
    memset(t, 0, sizeof *t);
}

static int has_graphs(const timing *t)
{
    return !t->may_wait && assay_device_get_info(t->device)->has_graphs;
}

static assay_status enqueue(timing *t, int slot, assay_error *error)
{
    return t->call.enqueue(t->call.context, slot, error);
}

/* `launches` launches between two events: the time by the events and by the host, which waits for the whole
 * device. */
static assay_status run_plainly(timing *t, int launches, double *event_us, double *host_us,
                                assay_error *error)
{
    assay_status status = assay_device_sync_all(t->device, error);
    const double start = clock_now_ms();
    if (status == ASSAY_OK)
        status = assay_event_record(t->events[0], error);
    for (int i = 0; i < launches && status == ASSAY_OK; i++)
        status = enqueue(t, i % t->call.slots, error);
    if (status == ASSAY_OK)
        status = assay_event_record(t->events[1], error);
    const assay_status synced = assay_device_sync_all(t->device, error);
    *host_us = (clock_now_ms() - start) * 1e3;
    if (status == ASSAY_OK)
        status = synced;
    return status == ASSAY_OK ? assay_event_elapsed_us(t->events[0], t->events[1], event_us, error) : status;
}

/* The host's time includes its own launching and waiting; the allowance is far above that and far below what
 * a kernel on another stream leaves. A busy host may exceed it by accident, hence several tries. */
static int times_agree(double event_us, double host_us)
{
    return host_us <= 1.5 * event_us + 300.0;
}

assay_status timing_first_use(timing *t, assay_error *error)
{
    enum { TRIES = 5 };
    double event_us = 0.0, host_us = 0.0;
    assay_status status = run_plainly(t, 1, &event_us, &host_us, error);
    if (status == ASSAY_OK && !(times_agree(event_us, host_us) && event_us > 100e3))
        status = run_plainly(t, 1, &event_us, &host_us, error); /* the first one may have included loading */
    if (status != ASSAY_OK)
        return status;
    t->launch_us = event_us;
    const double at_most = fmax(event_us, host_us);
    const int sure = times_agree(event_us, host_us) && event_us > 1000.0;
    const int few = sure ? 1 : at_most > 1000.0 ? 3 : (int)fmin(3000.0 / fmax(at_most, 30.0), 100.0);
    /* On every copy at least once: a call that keeps something for each must not make it behind the blocking kernel. */
    const int launches = few > t->call.slots ? few : t->call.slots;
    int agree = sure && t->call.slots == 1;
    for (int i = 0; i < TRIES && !agree && status == ASSAY_OK; i++) {
        status = run_plainly(t, launches, &event_us, &host_us, error);
        agree = times_agree(event_us, host_us);
        t->launch_us = event_us / launches;
    }
    if (status == ASSAY_OK && !agree)
        status = assay_error_set(
            error, ASSAY_ERR_CHECK,
            "%d launches took %.0f us by the host and %.0f us by the stream's events: the kernel works "
            "on another stream",
            launches, host_us, event_us);
    t->used = status == ASSAY_OK;
    return status;
}

static assay_status enqueue_cold(timing *t, const char *flush, assay_error *error)
{
    assay_status status = assay_device_flush_cache(t->device, flush, error);
    if (status == ASSAY_OK)
        status = assay_event_record(t->events[0], error);
    if (status == ASSAY_OK)
        status = enqueue(t, t->next_cold, error);
    return status == ASSAY_OK ? assay_event_record(t->events[1], error) : status;
}

static void wait_for_pace(const timing *t, double started_ms)
{
    if (t->launch_us < paced_from_us || strcmp(assay_device_get_info(t->device)->kind, "cuda") != 0)
        return;
    while (clock_now_ms() < started_ms + 1e-3 * TIMING_REST_US)
        ;
}

/* One launch alone: nothing else may wait behind it in the queue (docs/measurement.md). *gave_up: the blocking kernel ended before all was
 * queued, so the time cannot be trusted. */
static assay_status run_cold(timing *t, const char *flush, int blocked, int *gave_up, assay_error *error)
{
    *gave_up = 0;
    assay_status status = blocked ? assay_device_block(t->device, error) : ASSAY_OK;
    const double started_ms = clock_now_ms();
    if (status == ASSAY_OK)
        status = enqueue_cold(t, flush, error);
    if (blocked && status == ASSAY_OK)
        wait_for_pace(t, started_ms);
    if (blocked && assay_device_unblock(t->device, NULL) != ASSAY_OK)
        *gave_up = 1;
    const assay_status synced = assay_device_sync_stream(t->device, error);
    return status != ASSAY_OK ? status : synced;
}

typedef struct sampling {
    timing *t;
    const char *flush;
    assay_graph *graph; /* NULL: the device has none */
    int launches;       /* a replay */
    int replays;        /* a sample */
} sampling;

static assay_status take_cold(void *context, int count, double *us, assay_error *error)
{
    const sampling *c = context;
    timing *t = c->t;
    assay_status status = ASSAY_OK;
    t->no_blocking |= t->may_wait;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        int gave_up = 0;
        status = run_cold(t, c->flush, !t->no_blocking, &gave_up, error);
        if (status == ASSAY_OK && gave_up) {
            t->no_blocking = 1;
            status = run_cold(t, c->flush, 0, &gave_up, error);
        }
        if (status == ASSAY_OK)
            status = assay_event_elapsed_us(t->events[0], t->events[1], &us[i], error);
        t->next_cold = (t->next_cold + 1) % t->call.slots;
    }
    return status;
}

/* One replay: the graph, or the same launches one by one. */
static assay_status replay(const sampling *c, assay_error *error)
{
    timing *t = c->t;
    if (c->graph)
        return assay_graph_launch(c->graph, error);
    assay_status status = ASSAY_OK;
    for (int i = 0; i < c->launches && status == ASSAY_OK; i++) {
        status = enqueue(t, t->next_slot, error);
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

/* Each sample is many replays behind each other, without a pause between samples that the power controller would notice. */
static assay_status take_sustained(void *context, int count, double *us, assay_error *error)
{
    const sampling *c = context;
    timing *t = c->t;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        status = c->graph ? replay(c, error) : ASSAY_OK;
        if (status == ASSAY_OK)
            status = assay_event_record(t->events[0], error);
        for (int r = 0; r < c->replays && status == ASSAY_OK; r++)
            status = replay(c, error);
        if (status == ASSAY_OK)
            status = assay_event_record(t->events[1], error);
        const assay_status synced = assay_device_sync_stream(t->device, error);
        if (status == ASSAY_OK)
            status = synced;
        if (status == ASSAY_OK)
            status = assay_event_elapsed_us(t->events[0], t->events[1], &us[i], error);
        us[i] /= (double)c->launches * c->replays;
    }
    return status;
}

static assay_status take_host(void *context, int count, double *us, assay_error *error)
{
    timing *t = ((const sampling *)context)->t;
    assay_status status = assay_device_sync_stream(t->device, error);
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        const int64_t start = clock_now_ns();
        status = enqueue(t, 0, error);
        if (status == ASSAY_OK)
            status = assay_device_sync_stream(t->device, error);
        us[i] = (double)(clock_now_ns() - start) * 1e-3;
    }
    return status;
}

static assay_status capture(timing *t, int launches, assay_graph **graph, assay_error *error)
{
    assay_status status = assay_graph_begin(t->device, error);
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; i < launches && status == ASSAY_OK; i++)
        status = enqueue(t, i % t->call.slots, error);
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
    if (!has_graphs(t))
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
    if (has_graphs(t)) {
        const assay_status status = capture(t, launches, graph, error);
        if (status != ASSAY_OK)
            return status;
    }
    *made_launches = launches;
    return ASSAY_OK;
}

const char *timing_flush_name(timing_mode mode, const char *usual)
{
    return timing_mode_get(mode)->flush == TIMING_FLUSH_READ ? "read" : usual;
}

static assay_status measure_cold(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                 assay_error *error)
{
    sampling context = {.t = t, .flush = timing_flush_name(mode, plan->flush), .launches = 1};
    const sample_source source = {.context = &context, .take = take_cold, .max_batch = TIMING_TAKE};
    /* The first flush allocates, which may wait for the device: never behind the blocking kernel. */
    assay_status status = assay_device_flush_cache(t->device, context.flush, error);
    if (status == ASSAY_OK)
        status = assay_device_sync_stream(t->device, error);
    if (status == ASSAY_OK)
        status = sample_run(&source, plan, set, error);
    set->launches_per_sample = 1;
    set->unblocked = t->no_blocking;
    return status;
}

static assay_status measure_host(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                 assay_error *error)
{
    (void)mode;
    sampling context = {.t = t, .launches = 1};
    const sample_source source = {.context = &context, .take = take_host, .max_batch = TIMING_TAKE};
    set->launches_per_sample = 1;
    set->unblocked = 1;
    return sample_run(&source, plan, set, error);
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

static assay_status measure_replays(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                    assay_error *error)
{
    const int burst = mode == TIMING_BURST;
    const int launches = burst ? (int)ceil(burst_target_us / fmax(t->launch_us, 5.0)) : choose_launches(t);
    assay_graph **graph = burst ? &t->burst_graph : &t->graph;
    int *made = burst ? &t->burst_launches : &t->graph_launches;
    const assay_status status = prepare_graph(t, launches, made, graph, error);
    if (status != ASSAY_OK)
        return status;
    sampling context = {.t = t, .graph = *graph, .launches = *made};
    const sample_source source = choose_source(mode, &context);
    set->launches_per_sample = *made * context.replays;
    if (*graph)
        assay_graph_describe(*graph, &set->graph_nodes, &set->programmatic);
    return sample_run(&source, plan, set, error);
}

assay_status timing_measure(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                            assay_error *error)
{
    static assay_status (*const measure[])(timing *, timing_mode, const sample_plan *, sample_set *,
                                           assay_error *) = {[TIMING_ONE_LAUNCH] = measure_cold,
                                                             [TIMING_GRAPH] = measure_replays,
                                                             [TIMING_HOST_CALL] = measure_host};
    const assay_status status = t->used ? ASSAY_OK : timing_first_use(t, error);
    return status == ASSAY_OK ? measure[timing_mode_get(mode)->launch](t, mode, plan, set, error) : status;
}

int timing_last_slot(const timing *t, timing_mode mode)
{
    const timing_launch launch = timing_mode_get(mode)->launch;
    if (launch == TIMING_HOST_CALL)
        return 0;
    if (launch == TIMING_ONE_LAUNCH)
        return (t->next_cold + t->call.slots - 1) % t->call.slots;
    const int launches = mode == TIMING_BURST ? t->burst_launches : t->graph_launches;
    if (has_graphs(t))
        return launches > 0 ? (launches - 1) % t->call.slots : 0;
    return (t->next_slot + t->call.slots - 1) % t->call.slots;
}

void timing_stay(timing *t)
{
    t->next_cold = timing_last_slot(t, TIMING_COLD);
}
