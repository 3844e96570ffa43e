/* The list of ceilings that the measuring files fill. Only bench/ceilings/ includes this header. */
#ifndef ASSAY_BENCH_CEILINGS_LIST_H
#define ASSAY_BENCH_CEILINGS_LIST_H

#include <assay/device.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CEILINGS_MAX = 16, CEILING_SAMPLES = 21, CEILING_TRIAL_SAMPLES = 5 };

typedef struct ceiling {
    char name[24], unit[16];
    double median, min, max, stddev;
    int samples;
    double theoretical; /* 0: unknown */
    char method[256];
} ceiling;

typedef struct ceiling_list {
    int count;
    ceiling items[CEILINGS_MAX];
} ceiling_list;

/* Median of `count` values; sorts them. 0 for none. */
double ceiling_median(double *values, int count);

/* Append a ceiling from samples of its rate (or latency). The method is a printf-style text that says what ran. */
assay_status ceiling_add(ceiling_list *list, const char *name, const char *unit, double *samples, int count,
                         double theoretical, assay_error *error, const char *format, ...)
    __attribute__((format(printf, 8, 9)));

/* One measured piece of work: enqueues itself once. */
typedef assay_status (*ceiling_launch)(void *context, assay_device *device, assay_error *error);

/* Times of `count` (at most CEILING_SAMPLES) launches by events, after one unmeasured launch. With pause_ms > 0 each launch is
 * waited for and followed by a pause, so that a power-capped card has cooled down when the next one starts. */
assay_status ceiling_time(assay_device *device, ceiling_launch launch, void *context, int count, int pause_ms,
                          double *us, assay_error *error);

/* Round trip of an empty kernel: launch and wait, in host time. */
assay_status ceiling_measure_latency(assay_device *device, ceiling_list *list, assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
