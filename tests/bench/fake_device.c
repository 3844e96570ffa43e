/* A device with an invented clock: see fake_device.h. */
#include "fake_device.h"
#include "bench/timing/clock.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct assay_device {
    assay_device_info info;
};
struct assay_event {
    double at_us;
    int recorded; /* its last record's number among all events'; 0: never recorded */
};
struct assay_graph {
    double us, power;
};

fake_log fake_seen;
int fake_has_graphs, fake_gives_up;
double fake_flush_us;
const char *fake_kind = "fake";

static assay_device the_device;
static double stream_us, elsewhere_us; /* the stream's clock; host time owed by another stream */
static int blocked, queued, capturing;
static double captured_us;
static double blocked_ms; /* the host's clock */
static int flushed_before;
static int records, waited_for;                    /* of events: how many there were, and at the last wait */
static double settle_us, clock_ratio = 1.0, power; /* of the power limit; settle_us 0: there is none */
static double host_us;                             /* the host's time, where there is a power limit */

assay_device *fake_device(void)
{
    memset(&fake_seen, 0, sizeof fake_seen);
    stream_us = elsewhere_us = captured_us = 0.0;
    blocked = queued = capturing = records = waited_for = 0;
    fake_gives_up = 0;
    fake_seen.shortest_hold_us_each = 1e9;
    fake_has_graphs = 1;
    fake_kind = "fake";
    fake_flush_us = 40.0;
    settle_us = power = host_us = 0.0;
    clock_ratio = 1.0;
    return &the_device;
}

void fake_power_limit(double settle_ms)
{
    settle_us = settle_ms * 1e3;
}

void fake_draw(double of_limit)
{
    power = of_limit;
}

/* The clock goes towards `target`. */
static void settle(double target, double us)
{
    clock_ratio = target + (clock_ratio - target) * exp(-us / settle_us);
}

/* Power goes with the cube of the clock, so at the limit the clock is what the cube root leaves. */
static void run_at_power_limit(double us, double draws)
{
    const double target = draws > 1.0 ? cbrt(1.0 / draws) : 1.0, step_us = 500.0;
    while (us > 0.0) {
        const double now = us < step_us ? us : step_us;
        settle(target, now / clock_ratio);
        stream_us += now / clock_ratio;
        us -= now;
    }
}

double fake_now_us(void)
{
    host_us += 0.2; /* asking takes time, or waiting for a time to come would never end */
    return host_us;
}

/* Nothing runs: the clock comes back. */
void fake_rest(double us)
{
    host_us += us;
    if (host_us > stream_us && settle_us > 0.0)
        settle(1.0, host_us - stream_us);
    stream_us = host_us > stream_us ? host_us : stream_us;
}

static void enqueue(double us)
{
    queued++;
    if (capturing)
        captured_us += us;
    else if (settle_us > 0.0) {
        if (stream_us < host_us)
            fake_rest(0.0);
        run_at_power_limit(us, power);
    } else
        stream_us += us;
    if (blocked && queued > fake_seen.largest_blocked_queue)
        fake_seen.largest_blocked_queue = queued;
}

void fake_launch(double us, int slot, int other_stream)
{
    fake_seen.launches++;
    if (capturing && fake_seen.captured < 1024)
        fake_seen.captured_slots[fake_seen.captured++] = slot;
    if (other_stream)
        elsewhere_us += us;
    else
        enqueue(us);
}

static void spend(double us)
{
    struct timespec t = {.tv_sec = (time_t)(us * 1e-6), .tv_nsec = (long)(us * 1e3) % 1000000000};
    nanosleep(&t, NULL);
}

const assay_device_info *assay_device_get_info(const assay_device *device)
{
    static assay_device_info info;
    (void)device;
    info.has_graphs = fake_has_graphs;
    snprintf(info.kind, sizeof info.kind, "%s", fake_kind);
    return &info;
}

assay_status assay_device_block(assay_device *device, assay_error *error)
{
    (void)device, (void)error;
    blocked = 1;
    queued = 0;
    blocked_ms = clock_now_ms();
    flushed_before = fake_seen.flushes;
    fake_seen.blocks++;
    return ASSAY_OK;
}

assay_status assay_device_unblock(assay_device *device, assay_error *error)
{
    (void)device;
    blocked = 0;
    const double each = (clock_now_ms() - blocked_ms) * 1e3 / (fake_seen.flushes - flushed_before);
    if (each < fake_seen.shortest_hold_us_each)
        fake_seen.shortest_hold_us_each = each;
    fake_seen.unblocks++;
    return fake_gives_up ? assay_error_set(error, ASSAY_ERR_DEVICE, "gave up") : ASSAY_OK;
}

assay_status assay_device_flush_cache(assay_device *device, const char *mode, assay_error *error)
{
    (void)device;
    if (strcmp(mode, "memset") != 0 && strcmp(mode, "read") != 0)
        return assay_error_set(error, ASSAY_ERR_INVALID, "unknown flush");
    fake_seen.flushes++;
    enqueue(fake_flush_us);
    return ASSAY_OK;
}

assay_status assay_device_sync_stream(assay_device *device, assay_error *error)
{
    (void)device, (void)error;
    fake_seen.syncs++;
    waited_for = records;
    host_us = host_us > stream_us ? host_us : stream_us;
    return ASSAY_OK;
}

assay_status assay_device_sync_all(assay_device *device, assay_error *error)
{
    spend(elsewhere_us);
    elsewhere_us = 0.0;
    return assay_device_sync_stream(device, error);
}

assay_status assay_event_create(assay_device *device, assay_event **event, assay_error *error)
{
    (void)device, (void)error;
    *event = calloc(1, sizeof **event);
    return ASSAY_OK;
}

void assay_event_destroy(assay_event *event)
{
    free(event);
}

assay_status assay_event_record(assay_event *event, assay_error *error)
{
    (void)error;
    enqueue(0.0);
    event->at_us = stream_us;
    event->recorded = ++records;
    return ASSAY_OK;
}

static int has_happened(const assay_event *event)
{
    return event->recorded > 0 && event->recorded <= waited_for;
}

assay_status assay_event_elapsed_us(assay_event *from, assay_event *to, double *us, assay_error *error)
{
    if (!has_happened(from) || !has_happened(to))
        return assay_error_set(error, ASSAY_ERR_DEVICE, "nobody waited for the event");
    *us = to->at_us - from->at_us;
    return ASSAY_OK;
}

assay_status assay_graph_begin(assay_device *device, assay_error *error)
{
    (void)device, (void)error;
    capturing = 1;
    captured_us = 0.0;
    fake_seen.captured = 0;
    return ASSAY_OK;
}

assay_status assay_graph_end(assay_device *device, assay_graph **graph, assay_error *error)
{
    (void)device;
    capturing = 0;
    if (captured_us == 0.0)
        return assay_error_set(error, ASSAY_ERR_CHECK, "nothing was captured");
    *graph = calloc(1, sizeof **graph);
    (*graph)->us = captured_us;
    (*graph)->power = power;
    fake_seen.graphs++;
    return ASSAY_OK;
}

assay_status assay_graph_launch(assay_graph *graph, assay_error *error)
{
    (void)error;
    fake_seen.graph_launches++;
    power = graph->power;
    enqueue(graph->us);
    return ASSAY_OK;
}

void assay_graph_describe(const assay_graph *graph, int *nodes, int *programmatic)
{
    (void)graph;
    *nodes = fake_seen.captured;
    *programmatic = fake_seen.captured - 1;
}

void assay_graph_destroy(assay_graph *graph)
{
    free(graph);
}
