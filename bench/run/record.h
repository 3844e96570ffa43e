/* What a group measured, as plain data: filled by group.c, turned into files by result.c. */
#ifndef ASSAY_BENCH_RECORD_H
#define ASSAY_BENCH_RECORD_H

#include "bench/environment/health_sampler.h"
#include "core/workspace.h"
#include "results/result.h"
#include <assay/device.h>

enum { RECORD_REASON_MAX = 640 };

typedef struct repetition_record {
    double *us; /* owned */
    int count;
    int launches_per_sample;
    int position; /* how many repetitions of any candidate came before it in this mode */
    assay_device_health before, after;
} repetition_record;

typedef struct mode_record {
    timing_mode mode;
    repetition_record *repetitions; /* owned */
    int count, capacity;
    int unblocked; /* the blocking kernel could not be used */
    int repeated;  /* repetitions thrown away for a thermal or hardware slowdown */
    int cut;       /* the time bound ended it: fewer repetitions than asked for, or less precise */
    int graph_nodes, programmatic; /* see sample.h */
    health_log during;             /* owned: what the card said while the repetitions ran */
} mode_record;

/* How the group measures: the same for all its candidates, recorded in every result and compared by the supervisor.
 */
typedef struct bench_method {
    int repetitions;
    int locked_mhz; /* the SM clock that a user had locked for the run; 0: none */
    double warmup_ms, sample_ms;
    int min_samples, max_samples;
    double bound_s; /* time one candidate may use for one mode; repetitions are cut to fit */
    char flush[8];
    timing_modes modes;
    uint64_t seed; /* of the inputs and of the order of repetitions */
} bench_method;

/* One candidate's outcome. Pointers are borrowed unless said otherwise. */
typedef struct bench_record {
    char name[2 * ASSAY_NAME_MAX]; /* variant, or baseline_NAME */
    result_kind kind;
    char math_mode[16], version[64];
    char choice[256]; /* what a baseline chose for this problem; "" nothing */
    char status[16];  /* "ok", "unstable", "not timed", "unavailable" */
    char reason[RECORD_REASON_MAX];
    char output_check[8]; /* "pass", "fail" or "" (nothing to check) */
    double
        overhead_cold_us; /* cold, of an empty kernel in a process of its own; 0: it has none; negative: not known */
    int mode_count;
    mode_record modes[TIMING_MODES]; /* owned, see record_release */
    const module_record *module;     /* NULL for baselines */
    const json_t *verdict;           /* NULL for baselines and where there is none */
    char launches[640];              /* see candidate.h, describe_launch; "" not known */
    double instructions;             /* of one launch on the CPU device; 0: not known */
    char *benchmark_report; /* owned: Google Benchmark's report of the same repetitions; NULL: none */
} bench_record;

void record_set_status(bench_record *record, const char *status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes a copy of the samples. `like` gives the repetition's other fields. */
assay_status record_add_repetition(mode_record *one, const double *us, int count,
                                   const repetition_record *like, assay_error *error);
void record_release(bench_record *record);

/* Means of a mode's repetitions; `means` has room for one->count. */
void record_means(const mode_record *one, double *means);

#endif
