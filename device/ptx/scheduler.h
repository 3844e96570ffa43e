/* What a host thread of a launch starts with. */
#ifndef ASSAY_DEVICE_PTX_SCHEDULER_H
#define ASSAY_DEVICE_PTX_SCHEDULER_H

#include "device/ptx/exec.h"

typedef struct worker_start {
    launch_state *launch;
    struct line_counter *counters; /* of this thread; NULL without PTX_CHECK_COUNTERS */
    uint32_t share;                /* gangs that run side by side from the start */
} worker_start;

/* A gang for the blocks of a launch, one set of them after the other; `counters` as above. */
gang *gang_new(launch_state *launch, struct line_counter *counters);
void start_gang(gang *g, uint64_t number);
void gang_free(gang *g);
/* Number k in a permutation of [0, n) drawn from a seed; k itself for seed 0. */
uint64_t drawn_order(uint64_t k, uint64_t n, uint64_t seed);
/* The place in the grid of a block of a gang. */
void gang_block(const launch_state *launch, uint64_t gang_number, uint32_t rank, uint32_t index[3]);

#endif
