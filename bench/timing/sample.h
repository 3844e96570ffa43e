/* The sampling loop: warm up, then take samples until the time is used up. It knows nothing of devices: what
 * is sampled and which clock bounds the loop are given, so that the loop itself is tested with invented ones.
 */
#ifndef ASSAY_BENCH_SAMPLE_H
#define ASSAY_BENCH_SAMPLE_H

#include <assay/status.h>

typedef struct sample_plan {
    double warmup_ms;  /* wall time of discarded samples; 0: none. One warm-up sample is taken even if it is
                          longer */
    double sample_ms;  /* wall time of kept samples, what lies between them (flushes) included */
    int min_samples;   /* taken even if sample_ms is over; 1 where one sample takes over long_ms */
    int max_samples;   /* 0: no limit */
    double long_ms;    /* 0: min_samples holds for any length */
    const char *flush; /* how `cold` flushes the cache: "memset" or "read" */
    int keep_contents; /* 1: the inputs stay as they are between launches (timing.h) */
} sample_plan;

typedef struct sample_set {
    double *us; /* microseconds a launch, in the order taken */
    int count, capacity;
    int launches_per_sample; /* over how many launches each value is a mean */
    int unblocked;           /* 1: the blocking kernel could not be used, see timing.h */
    int graph_nodes;         /* of the graph that was replayed; 0: launched one by one */
    int programmatic;        /* of that graph's dependencies: kernels that may overlap the one before (PDL) */
} sample_set;

typedef struct sample_source {
    void *context;
    /* Take `count` samples (at most max_batch), microseconds each. Batches let the device work without gaps.
     */
    assay_status (*take)(void *context, int count, double *us, assay_error *error);
    double (*now_ms)(void *context); /* NULL: clock_now_ms() */
    int max_batch;
} sample_source;

/* Appends nothing on failure. The set keeps its memory for the next call; start from a zeroed one. */
assay_status sample_run(const sample_source *source, const sample_plan *plan, sample_set *set,
                        assay_error *error);
void sample_set_clear(sample_set *set); /* count = 0, memory kept */
void sample_set_release(sample_set *set);
assay_status sample_set_append(sample_set *set, double us, assay_error *error);

#endif
