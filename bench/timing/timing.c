/* The timing methods on a device, launches one by one: see timing.h. */
#include "bench/timing/timing_parts.h"
#include "bench/timing/clock.h"
#include <math.h>
#include <string.h>

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

/* Contents that the slot has not had; behind the same step of the host as if nothing were to change. */
static assay_status change_anew(timing *t, int slot, int keep, assay_error *error)
{
    return keep ? ASSAY_OK : timing_change(t, slot, ++t->contents, error);
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
        status = timing_enqueue(t, i % t->call.slots, error);
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
        status = timing_enqueue(t, t->next_cold, error);
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

static assay_status take_cold(void *context, int count, double *us, assay_error *error)
{
    const sampling *c = context;
    timing *t = c->t;
    assay_status status = ASSAY_OK;
    t->no_blocking |= t->may_wait;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        int gave_up = 0;
        status = change_anew(t, t->next_cold, c->keep, error);
        if (status == ASSAY_OK)
            status = run_cold(t, c->flush, !t->no_blocking, &gave_up, error);
        if (status == ASSAY_OK && gave_up) {
            t->no_blocking = 1;
            status = change_anew(t, t->next_cold, c->keep, error);
            if (status == ASSAY_OK)
                status = run_cold(t, c->flush, 0, &gave_up, error);
        }
        if (status == ASSAY_OK)
            status = assay_event_elapsed_us(t->events[0], t->events[1], &us[i], error);
        t->next_cold = (t->next_cold + 1) % t->call.slots;
    }
    return status;
}

static assay_status take_host(void *context, int count, double *us, assay_error *error)
{
    const sampling *c = context;
    timing *t = c->t;
    assay_status status = ASSAY_OK;
    for (int i = 0; i < count && status == ASSAY_OK; i++) {
        status = change_anew(t, 0, c->keep, error);
        if (status == ASSAY_OK)
            status = assay_device_sync_stream(t->device, error);
        if (status != ASSAY_OK)
            break;
        const int64_t start = clock_now_ns();
        status = timing_enqueue(t, 0, error);
        if (status == ASSAY_OK)
            status = assay_device_sync_stream(t->device, error);
        us[i] = (double)(clock_now_ns() - start) * 1e-3;
    }
    return status;
}

/* One more launch, on the contents whose result is known, in the slot whose turn it is. */
static assay_status launch_known(sampling *c, int slot,
                                 assay_status (*take)(void *, int, double *, assay_error *),
                                 assay_error *error)
{
    timing *t = c->t;
    double us;
    if (c->keep || !t->call.change)
        return ASSAY_OK;
    c->keep = 1;
    const assay_status status = timing_change(t, slot, 0, error);
    return status == ASSAY_OK ? take(c, 1, &us, error) : status;
}

const char *timing_flush_name(timing_mode mode, const char *usual)
{
    return timing_mode_get(mode)->flush == TIMING_FLUSH_READ ? "read" : usual;
}

static assay_status measure_cold(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                 assay_error *error)
{
    sampling context = {
        .t = t, .flush = timing_flush_name(mode, plan->flush), .launches = 1, .keep = plan->keep_contents};
    const sample_source source = {.context = &context, .take = take_cold, .max_batch = TIMING_TAKE};
    /* The first flush allocates, which may wait for the device: never behind the blocking kernel. */
    assay_status status = assay_device_flush_cache(t->device, context.flush, error);
    if (status == ASSAY_OK)
        status = assay_device_sync_stream(t->device, error);
    if (status == ASSAY_OK)
        status = sample_run(&source, plan, set, error);
    if (status == ASSAY_OK)
        status = launch_known(&context, t->next_cold, take_cold, error);
    set->launches_per_sample = 1;
    set->unblocked = t->no_blocking;
    return status;
}

static assay_status measure_host(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                 assay_error *error)
{
    (void)mode;
    sampling context = {.t = t, .launches = 1, .keep = plan->keep_contents};
    const sample_source source = {.context = &context, .take = take_host, .max_batch = TIMING_TAKE};
    set->launches_per_sample = 1;
    set->unblocked = 1;
    const assay_status status = sample_run(&source, plan, set, error);
    return status == ASSAY_OK ? launch_known(&context, 0, take_host, error) : status;
}

assay_status timing_measure(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                            assay_error *error)
{
    static assay_status (*const measure[])(timing *, timing_mode, const sample_plan *, sample_set *,
                                           assay_error *) = {[TIMING_ONE_LAUNCH] = measure_cold,
                                                             [TIMING_GRAPH] = timing_measure_replays,
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
    if (timing_has_graphs(t))
        return launches > 0 ? (launches - 1) % t->call.slots : 0;
    return (t->next_slot + t->call.slots - 1) % t->call.slots;
}

void timing_stay(timing *t)
{
    t->next_cold = timing_last_slot(t, TIMING_COLD);
}
