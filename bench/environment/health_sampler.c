/* See health_sampler.h. */
#include "bench/environment/health_sampler.h"
#include "bench/timing/clock.h"
#include "statistics/describe.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_SAMPLES = 4096 };         /* of one mode: minutes */
static const double settle_ms = 10.0; /* after the beginning of a repetition */

struct health_sampler {
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t changed;
    health_reader read;
    void *context;
    double period_ms;
    health_log *log; /* NULL: idle */
    int generation;  /* of the log: a wait for an older one starts anew */
    int stopping;
};

static void append(health_log *log, const assay_device_health *sample)
{
    if (log->count == log->capacity) {
        const int capacity = log->capacity ? 2 * log->capacity : 32;
        assay_device_health *grown =
            log->capacity < MOST_SAMPLES ? realloc(log->samples, sizeof *grown * (size_t)capacity) : NULL;
        if (!grown)
            return; /* one sample less */
        log->samples = grown;
        log->capacity = capacity;
    }
    log->samples[log->count++] = *sample;
}

static struct timespec to_timespec(double ms)
{
    const int64_t ns = (int64_t)(ms * 1e6);
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
}

/* Asked without the lock, so that whoever changes the log never waits for the driver; a sample that comes too late is dropped. */
static void sample_once(health_sampler *s)
{
    const int generation = s->generation;
    assay_device_health sample;
    pthread_mutex_unlock(&s->lock);
    const assay_status status = s->read(s->context, &sample);
    pthread_mutex_lock(&s->lock);
    if (status == ASSAY_OK && s->log && s->generation == generation)
        append(s->log, &sample);
}

/* The period runs on from log to log, so that repetitions shorter than it get their share of samples, too. Where nobody is watched when it is over,
 * the sample is due a little after the next log: not at the very beginning, when the card may have idled. */
static void *run(void *argument)
{
    health_sampler *s = argument;
    pthread_mutex_lock(&s->lock);
    double due_ms = clock_now_ms() + s->period_ms;
    while (!s->stopping) {
        if (!s->log) {
            pthread_cond_wait(&s->changed, &s->lock);
            due_ms = fmax(due_ms, clock_now_ms() + fmin(settle_ms, 0.5 * s->period_ms));
            continue;
        }
        const struct timespec due = to_timespec(due_ms);
        if (pthread_cond_timedwait(&s->changed, &s->lock, &due) != ETIMEDOUT || !s->log)
            continue;
        sample_once(s);
        due_ms = clock_now_ms() + s->period_ms;
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static int has_something_to_ask(health_reader read, void *context)
{
    assay_device_health first;
    return read(context, &first) == ASSAY_OK && (first.sm_mhz >= 0.0 || first.power_w >= 0.0);
}

health_sampler *health_sampler_start(health_reader read, void *context, double period_ms)
{
    if (period_ms <= 0.0 || !has_something_to_ask(read, context))
        return NULL;
    health_sampler *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->read = read;
    s->context = context;
    s->period_ms = period_ms;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&s->thread, NULL, run, s) == 0)
        return s;
    free(s);
    return NULL;
}

void health_sampler_watch(health_sampler *s, health_log *log)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->log = log;
    s->generation++;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void health_sampler_stop(health_sampler *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->log = NULL;
    s->stopping = 1;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void health_log_release(health_log *log)
{
    free(log->samples);
    *log = (health_log){0};
}

health_summary health_log_summarise(const health_log *log, double (*at)(const assay_device_health *))
{
    health_summary out = {NAN, NAN, NAN};
    double *values = malloc(sizeof *values * (size_t)(log->count > 0 ? log->count : 1));
    int count = 0;
    for (int i = 0; values && i < log->count; i++)
        if (at(&log->samples[i]) >= 0.0)
            values[count++] = at(&log->samples[i]);
    if (count > 0)
        out = (health_summary){stats_min(values, count), stats_median(values, count),
                               stats_quantile(values, count, 1.0)};
    free(values);
    return out;
}

int64_t health_log_reasons(const health_log *log, int first)
{
    int64_t reasons = 0;
    for (int i = first; i < log->count; i++)
        reasons |= log->samples[i].reasons > 0 ? log->samples[i].reasons : 0;
    return reasons;
}
