/* Choosing the fastest of a library's algorithms for the problem at hand, for baselines whose library offers several.
 *
 * All candidates run on the caller's own buffers in alternating rounds, so that they see the same clock and heat; the median
 * time of each over the rounds decides. Nothing of this is part of a measurement. */
#ifndef ASSAY_BENCH_BASELINE_SEARCH_H
#define ASSAY_BENCH_BASELINE_SEARCH_H

#include <assay/module.h>
#include <cuda_runtime_api.h>

enum { BASELINE_MOST_CANDIDATES = 256, BASELINE_TIMING_ROUNDS = 5 };

/* Enqueue one run of a candidate; 0 if it does not run here. */
typedef int (*baseline_enqueue_fn)(void *context, int candidate, assay_stream stream);

typedef struct baseline_search {
    baseline_enqueue_fn enqueue;
    void *context;
    assay_stream stream;
    cudaEvent_t from, to;
    int ran; /* candidates that ran */
    float
        best_us[BASELINE_MOST_CANDIDATES]; /* median so far of each; negative: does not run, or left behind */
    float round_us[BASELINE_MOST_CANDIDATES][BASELINE_TIMING_ROUNDS];
} baseline_search;

/* Microseconds a run of `runs` back-to-back ones; negative if the candidate does not run here. */
static inline float baseline_time_runs(baseline_search *s, int candidate, int runs)
{
    float ms = -1.0f;
    int good = cudaEventRecord(s->from, s->stream) == cudaSuccess;
    for (int i = 0; i < runs && good; i++)
        good = s->enqueue(s->context, candidate, s->stream);
    good = good && cudaEventRecord(s->to, s->stream) == cudaSuccess &&
           cudaEventSynchronize(s->to) == cudaSuccess &&
           cudaEventElapsedTime(&ms, s->from, s->to) == cudaSuccess;
    return good ? ms * 1000.0f / (float)runs : -1.0f;
}

/* Of the first `count` values, which it sorts. */
static inline float baseline_median(float *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
            const float larger = values[j - 1];
            values[j - 1] = values[j];
            values[j] = larger;
        }
    return 0.5f * (values[(count - 1) / 2] + values[count / 2]);
}

/* Index of the least time, or -1. */
static inline int baseline_least(const baseline_search *s, int count)
{
    int best = -1;
    for (int i = 0; i < count; i++)
        if (s->best_us[i] >= 0.0f && (best < 0 || s->best_us[i] < s->best_us[best]))
            best = i;
    return best;
}

/* Take those out that are slower than `times` the best and `more_us` besides. */
static inline void baseline_leave_behind(baseline_search *s, int count, float times, float more_us)
{
    const int best = baseline_least(s, count);
    const float limit = best < 0 ? 0.0f : times * s->best_us[best] + more_us;
    for (int i = 0; i < count; i++)
        if (s->best_us[i] > limit)
            s->best_us[i] = -1.0f;
}

/* A first look: the first run loads the kernel, the second says how long it takes. */
static inline void baseline_screen(baseline_search *s, int count)
{
    s->ran = 0;
    for (int i = 0; i < count; i++) {
        s->best_us[i] = baseline_time_runs(s, i, 1) >= 0.0f ? baseline_time_runs(s, i, 1) : -1.0f;
        s->ran += s->best_us[i] >= 0.0f;
    }
    baseline_leave_behind(s, count, 2.0f, 5.0f);
}

/* Short problems are run several times a repetition (up to about 0.3 ms), so that the events' resolution of 0.5 us decides
 * nothing. What is clearly behind after a round is not timed again: clocks differ by less than that. */
static inline void baseline_time_rounds(baseline_search *s, int count)
{
    int runs[BASELINE_MOST_CANDIDATES];
    for (int i = 0; i < count; i++)
        runs[i] =
            s->best_us[i] >= 0.0f && s->best_us[i] < 300.0f ? 1 + (int)(300.0f / (s->best_us[i] + 3.0f)) : 1;
    for (int round = 0; round < BASELINE_TIMING_ROUNDS; round++) {
        for (int i = 0; i < count; i++) {
            const float us = s->best_us[i] < 0.0f ? -1.0f : baseline_time_runs(s, i, runs[i]);
            s->round_us[i][round] = us;
            s->best_us[i] = us < 0.0f ? -1.0f : baseline_median(s->round_us[i], round + 1);
        }
        baseline_leave_behind(s, count, 1.2f, 0.5f);
    }
}

/* Index of the fastest of `count` candidates (BASELINE_MOST_CANDIDATES at most), -1 if none runs here. `s` has enqueue, context
 * and stream set; afterwards it tells how many ran. A candidate that leaves the device in error ends the search. */
static inline int baseline_search_fastest(baseline_search *s, int count)
{
    int best = -1;
    s->from = s->to = NULL;
    s->ran = 0;
    if (cudaEventCreate(&s->from) == cudaSuccess && cudaEventCreate(&s->to) == cudaSuccess) {
        baseline_screen(s, count);
        baseline_time_rounds(s, count);
        best = baseline_least(s, count);
    }
    if (s->from)
        cudaEventDestroy(s->from);
    if (s->to)
        cudaEventDestroy(s->to);
    return best;
}

#endif
