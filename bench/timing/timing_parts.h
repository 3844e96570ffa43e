/* What the files of the timing methods share. Only they include this header. */
#ifndef ASSAY_BENCH_TIMING_PARTS_H
#define ASSAY_BENCH_TIMING_PARTS_H

#include "bench/timing/timing.h"

typedef struct sampling {
    timing *t;
    const char *flush;
    assay_graph *graph; /* NULL: the device has none */
    int launches;       /* a replay */
    int replays;        /* a sample */
    int keep;           /* sample_plan's keep_contents */
} sampling;

static inline int timing_has_graphs(const timing *t)
{
    return !t->may_wait && assay_device_get_info(t->device)->has_graphs;
}

static inline assay_status timing_enqueue(timing *t, int slot, assay_error *error)
{
    return t->call.enqueue(t->call.context, slot, error);
}

static inline assay_status timing_change(timing *t, int slot, int64_t contents, assay_error *error)
{
    return t->call.change ? t->call.change(t->call.context, slot, contents, error) : ASSAY_OK;
}

/* timing_replays.c */
assay_status timing_measure_replays(timing *t, timing_mode mode, const sample_plan *plan, sample_set *set,
                                    assay_error *error);

#endif
