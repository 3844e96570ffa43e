/* A device with an invented clock, in place of device/: lets the timing methods be tested to the microsecond,
 * and lets them meet blocking kernels that give up and kernels that work on another stream. The time between
 * two events is had only after a wait for the stream, as on a card. */
#ifndef ASSAY_TESTS_BENCH_FAKE_DEVICE_H
#define ASSAY_TESTS_BENCH_FAKE_DEVICE_H

#include <assay/device.h>

typedef struct fake_log {
    int blocks, unblocks, flushes, launches, graphs, graph_launches, syncs, largest_blocked_queue;
    int captured_slots[1024], captured;
    double shortest_hold_us_each; /* of the batches: time from blocking to unblocking over its flushes */
} fake_log;

extern fake_log fake_seen;
extern int fake_has_graphs;   /* what the device info says */
extern const char *fake_kind; /* what the device info says */
extern int fake_gives_up;     /* unblock fails */
extern double fake_flush_us;

/* A card at its power limit: the clock goes, within some tenths of a second, to what the power of the work leaves, and comes back at rest. Off
 * unless fake_power_limit() was called. With it the device's time is the host's (fake_clock.c): waiting and sleeping let it go on. */
void fake_power_limit(double settle_ms);
/* Of the launches to come: the power that they would draw at full clock, in parts of the limit. Above 1 the clock falls. */
void fake_draw(double power);
/* The host's time by the device's clock, microseconds; the device rests until then. */
double fake_now_us(void);
void fake_rest(double us);

assay_device *fake_device(void); /* reset and opened */
/* Enqueue a launch of `us`; on another stream it takes host time at the next wait for the device instead. */
void fake_launch(double us, int slot, int other_stream);

#endif
