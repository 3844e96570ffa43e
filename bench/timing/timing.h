/* Timing one enqueued call on a device, by each timing mode (results/timing_mode.h). docs/measurement.md has the reasons.
 *
 * cold, cold_read  Each launch alone: cache flush, event, launch, event, queued behind a blocking kernel, so that no launch overhead of
 *        the host lies between the events, and waited for before the next is queued. Launches rotate over the copies of the buffers.
 *        The first use of a call is never blocked: loading a module may synchronise. Where the blocking kernel gives up, sampling goes
 *        on without it and the sample set says so. Launches of 50 us and more on a GPU are held back for 100 us each, so that
 *        under a power limit all candidates have rested about equally long.
 * hot    Many launches back to back over rotating copies of all buffers, as a captured graph where the device has them; a sample is
 *        the time of one replay over its launches. The first replay of a batch is not counted.
 * sustained  Replays without a pause, many a sample: a steady state, where each kernel has found the clock that the power limit
 *        leaves it. protocol.h has the length of load and window.
 * burst  Like hot, but about a millisecond at a time with an idle pause before each: what a kernel does before power is a limit.
 * host   From before the launch to after the wait for the stream, by the host's clock, on an idle device and with warm data.
 *
 * Before each launch of cold, cold_read and host the inputs get other contents, in place and outside of the time, so that results which a kernel keeps are no use
 * to it. One more launch, which is not counted, follows the samples on the contents whose result is known. Replays do not
 * wait for such a change: timing_compare_contents() tells whether their time depends on it. */
#ifndef ASSAY_BENCH_TIMING_H
#define ASSAY_BENCH_TIMING_H

#include "bench/timing/sample.h"
#include "results/timing_mode.h"
#include <assay/device.h>

enum {
    TIMING_REPLAYS = 16, /* most timed behind each other */
    TIMING_EVENTS = TIMING_REPLAYS + 1,
    TIMING_TAKE = 40, /* most cold launches, or calls by the host's clock, between two looks at the time */
};
#define TIMING_REST_US 100.0 /* the same in torch_timing.py */

/* The call to be timed. `slot` says which copy of the buffers to work on, 0 <= slot < slots. */
typedef struct timing_call {
    void *context;
    assay_status (*enqueue)(void *context, int slot, assay_error *error);
    /* Give a slot's inputs other contents before the next launch; 0: those whose result is known. NULL: it has none. */
    assay_status (*change)(void *context, int slot, int64_t contents, assay_error *error);
    int slots;
} timing_call;

typedef struct timing {
    assay_device *device;
    timing_call call;
    assay_event *events[TIMING_EVENTS];
    double launch_us; /* rough, from the first use */
    int used;         /* the call was run once, unblocked, and cross-checked */
    int no_blocking;  /* the blocking kernel gave up once for this call */
    int may_wait; /* set by the caller: the call may wait for the device, so it is neither held back nor captured */
    int graph_launches, burst_launches;
    assay_graph *graph, *burst_graph;
    int next_slot;    /* of launches one by one, where the device has no graphs */
    int next_cold;    /* slot of the next cold launch */
    int64_t contents; /* the last ones that were given to a slot */
} timing;

/* Nothing is launched yet. Release also after a failure. */
assay_status timing_init(timing *t, assay_device *device, const timing_call *call, assay_error *error);
void timing_release(timing *t);

/* First use: launch once, report errors, estimate the time; then check that the host's time for some launches
 * agrees with the events' (a kernel that works on another stream makes its own stream look idle):
 * ASSAY_ERR_CHECK if it does not. */
assay_status timing_first_use(timing *t, assay_error *error);

/* Appends to `set`. A mode's own flush goes before the plan's. */
assay_status timing_measure(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                            assay_error *error);

/* Of a mode of replays that was measured: the time of a launch on contents that it has not met, another for each copy, and on the same
 * ones everywhere again, microseconds. Least values of some replays. Every slot has contents 0 afterwards. */
assay_status timing_compare_contents(timing *t, timing_mode mode, const char *flush, double *other_us,
                                     double *same_us, assay_error *error);
/* Whether two such times say that a kernel keeps its results: replays of right kernels differ by some percent, and a busy host's by more. */
int timing_depends_on_contents(double other_us, double same_us);

/* How a mode flushes the cache where the method says `usual`, as the device calls it. */
const char *timing_flush_name(timing_mode mode, const char *usual);

/* The slot that the last launch of a mode wrote: the output to look at. */
int timing_last_slot(const timing *t, timing_mode mode);
/* The next cold launch works where the last one did. */
void timing_stay(timing *t);

#endif
