/* Google Benchmark behind a C interface: benchmarks whose repetitions are taken by C functions, run by its runner, in its order, reported
 * by its reporters.
 *
 * One repetition of ours is one repetition of its (`Repetitions`, one iteration, manual time: the mean time of a launch), and repetitions
 * of all benchmarks of a run are shuffled by its random interleaving. What a repetition does (warm-up, samples, health of the card, checks)
 * is the function's; raw samples never come here. docs/notes/2026-11-google-benchmark.md says what that gives and what it does not.
 *
 * State is per process, as Google Benchmark's is. Works with versions 1.7 and 1.8. */
#ifndef ASSAY_BENCH_GBENCH_H
#define ASSAY_BENCH_GBENCH_H

#include <assay/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GBENCH_MOST_COUNTERS = 4 };

typedef struct gbench_counter {
    const char *name; /* lives as long as the process */
    double value;     /* per launch if `rate`, then reported per second; 0 where it is not finite */
    int rate;
} gbench_counter;

/* What a repetition gave. */
typedef struct gbench_repetition {
    double mean_us;    /* of a launch */
    char skipped[256]; /* not "": it was not taken, or is not to be trusted, and why. Reported as an error */
    int withdrawn;     /* of a skipped one: what the benchmark gave before is not to be trusted either */
    gbench_counter counters[GBENCH_MOST_COUNTERS];
    int counter_count;
} gbench_repetition;

typedef struct gbench_benchmark {
    char name[320]; /* "softmax/v4_optimized/bf16/large/cold" */
    int repetitions;
    void (*take)(void *context, gbench_repetition *out); /* `out` is zeroed */
    void *context;
} gbench_benchmark;

/* Take the options that begin with --benchmark_ out of argv, which stays NULL-terminated, and hand them over; argv[0] is the program. Once,
 * before all else. With any of them runs are shown on the terminal as Google Benchmark shows them. ASSAY_ERR_INVALID: one is not known, or is
 * the plan's to say. */
assay_status gbench_start(int *argc, char **argv, assay_error *error);
/* 1 if the option --benchmark_list_tests was given. */
int gbench_only_lists(void);
/* --benchmark_out ("": not given) and --benchmark_out_format ("json" unless given). */
const char *gbench_out_path(void);
const char *gbench_out_format(void);
/* A line of the context of all reports. */
void gbench_add_context(const char *key, const char *value);

/* selected[i] is 1 if --benchmark_filter matches the name of list[i], as Google Benchmark would match it; returns how many are. */
int gbench_select(const gbench_benchmark *list, int count, int *selected);
/* Print the names that the filter matches. */
void gbench_list(const gbench_benchmark *list, int count);

/* Run all repetitions of the benchmarks that the filter matches. */
assay_status gbench_run(const gbench_benchmark *list, int count, assay_error *error);

/* What Google Benchmark's JSON reporter makes of all runs so far whose names begin with `prefix`, without what it appends to names. Strict
 * JSON, malloc'ed: bare NaN and Infinity are null. */
assay_status gbench_report(const char *prefix, char **json, assay_error *error);

/* After the last run: end what is on the terminal and write --benchmark_out. ASSAY_ERR_IO: it could not be written. */
assay_status gbench_finish(assay_error *error);

/* Replace bare NaN, Infinity, -Infinity, inf and nan outside strings by null, in place of the same length or
 * shorter. Public for its test. */
void gbench_make_strict(char *json);

#ifdef __cplusplus
}
#endif
#endif
