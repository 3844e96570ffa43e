/* Clock, power, temperature and clock event reasons while a case runs: a thread that asks a few times a second.
 *
 * Asking takes NVML some tens of microseconds on the host and nothing on the card. A repetition's batches are enqueued behind a blocking
 * kernel or are one graph, so a host thread that is held up for that long delays no launch that is timed (docs/measurement.md). */
#ifndef ASSAY_BENCH_HEALTH_SAMPLER_H
#define ASSAY_BENCH_HEALTH_SAMPLER_H

#include <assay/device.h>

typedef struct health_log {
    assay_device_health *samples; /* owned */
    int count, capacity;
} health_log;

typedef struct health_summary { /* of one value: NAN where none was known */
    double min, median, max;
} health_summary;

typedef assay_status (*health_reader)(void *context, assay_device_health *health);

typedef struct health_sampler health_sampler;

/* `read` is called from the thread, once every `period_ms`, while a log is watched. NULL if there is nothing to ask (the first answer
 * knows neither clock nor power) or no thread can be had: then there are no samples. */
health_sampler *health_sampler_start(health_reader read, void *context, double period_ms);
/* From now on samples go to `log`; NULL: nobody is watched. When it returns, the log watched before is
 * written no more. NULL for the sampler is fine. */
void health_sampler_watch(health_sampler *sampler, health_log *log);
void health_sampler_stop(health_sampler *sampler);

void health_log_release(health_log *log);
/* `at` gives the value of a sample; negative ones are unknown. */
health_summary health_log_summarise(const health_log *log, double (*at)(const assay_device_health *));
/* All reasons seen together, from sample `first` on; 0 if none is known. */
int64_t health_log_reasons(const health_log *log, int first);

#endif
