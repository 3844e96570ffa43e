/* The sampling loop: see sample.h. */
#include "bench/timing/sample.h"
#include "bench/timing/clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BATCH = 256 };

void sample_set_clear(sample_set *set)
{
    set->count = 0;
    set->unblocked = set->graph_nodes = set->programmatic = 0;
    set->launches_per_sample = 1;
}

void sample_set_release(sample_set *set)
{
    free(set->us);
    memset(set, 0, sizeof *set);
}

assay_status sample_set_append(sample_set *set, double us, assay_error *error)
{
    if (set->count == set->capacity) {
        const int capacity = set->capacity ? 2 * set->capacity : 256;
        double *grown = realloc(set->us, sizeof *grown * (size_t)capacity);
        if (!grown)
            return assay_error_set(error, ASSAY_ERR_NO_MEMORY, "no memory for %d samples", capacity);
        set->us = grown;
        set->capacity = capacity;
    }
    set->us[set->count++] = us;
    return ASSAY_OK;
}

typedef struct sampler {
    const sample_source *source;
    const sample_plan *plan;
    double wall_ms_per_sample; /* of the last batch, gaps included */
    double batch_us[MOST_BATCH];
} sampler;

static double now_ms(const sampler *s)
{
    return s->source->now_ms ? s->source->now_ms(s->source->context) : clock_now_ms();
}

static assay_status take_batch(sampler *s, int count, assay_error *error)
{
    const double start = now_ms(s);
    const assay_status status = s->source->take(s->source->context, count, s->batch_us, error);
    s->wall_ms_per_sample = (now_ms(s) - start) / count;
    if (status != ASSAY_OK)
        return status;
    for (int i = 0; i < count; i++)
        if (!(isfinite(s->batch_us[i]) && s->batch_us[i] >= 0.0))
            return assay_error_set(error, ASSAY_ERR_DEVICE, "the device reported a time of %g us",
                                   s->batch_us[i]);
    return ASSAY_OK;
}

static int most_batch(const sampler *s)
{
    const int most = s->source->max_batch < MOST_BATCH ? s->source->max_batch : MOST_BATCH;
    return most > 1 ? most : 1;
}

/* How many samples fit into `left_ms`; the first batch is one sample, because nothing is known yet. */
static int fitting(const sampler *s, double left_ms)
{
    const int most = most_batch(s);
    if (s->wall_ms_per_sample < 0.0)
        return 1;
    const double count = ceil(left_ms / fmax(s->wall_ms_per_sample, 1e-6));
    return count < 1.0 ? 1 : count > most ? most : (int)count;
}

static assay_status warm_up(sampler *s, assay_error *error)
{
    const double start = now_ms(s);
    double spent = 0.0;
    for (int doubling = 1; spent < s->plan->warmup_ms; doubling *= 2) {
        int count = fitting(s, s->plan->warmup_ms - spent);
        count = count < doubling ? count : doubling;
        doubling = doubling < MOST_BATCH ? doubling : MOST_BATCH;
        const assay_status status = take_batch(s, count, error);
        if (status != ASSAY_OK)
            return status;
        spent = now_ms(s) - start;
    }
    return ASSAY_OK;
}

static int least_samples(const sampler *s)
{
    if (s->plan->long_ms > 0.0 && s->wall_ms_per_sample > s->plan->long_ms)
        return 1;
    return s->plan->min_samples > 1 ? s->plan->min_samples : 1;
}

assay_status sample_run(const sample_source *source, const sample_plan *plan, sample_set *set,
                        assay_error *error)
{
    sampler s = {.source = source, .plan = plan, .wall_ms_per_sample = -1.0};
    const int before = set->count;
    assay_status status = warm_up(&s, error);
    const double start = now_ms(&s);
    double spent = 0.0;
    while (status == ASSAY_OK) {
        const int taken = set->count - before, least = least_samples(&s);
        const int enough = taken >= least && spent >= plan->sample_ms;
        if (enough || (plan->max_samples > 0 && taken >= plan->max_samples))
            break;
        int count = fitting(&s, plan->sample_ms - spent);
        if (taken < least && count < least - taken && s.wall_ms_per_sample >= 0.0)
            count = least - taken < most_batch(&s) ? least - taken : most_batch(&s);
        if (plan->max_samples > 0 && count > plan->max_samples - taken)
            count = plan->max_samples - taken;
        status = take_batch(&s, count, error);
        for (int i = 0; i < count && status == ASSAY_OK; i++)
            status = sample_set_append(set, s.batch_us[i], error);
        spent = now_ms(&s) - start;
    }
    if (status != ASSAY_OK)
        set->count = before;
    return status;
}
