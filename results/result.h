/* The result of one case: a kernel or a baseline, timed once. One type for all of Assay.
 *
 * Bench fills it, result_write.c makes a file of it and result_read.c reads it; these two alone know the
 * keys of the JSON. Everyone else takes a `const result *`. This header derives nothing: no speedups, no
 * ranks, no judgement of a time.
 *
 * Ownership: a result owns all that it points to, result_free() frees it. Texts are never NULL ("" where
 * nothing is known) and live as long as the result; result_text() makes one. Times are in microseconds,
 * sizes in bytes, dates in Unix seconds. A number that is not known is NAN, a count or flag that is not
 * known is 0 unless its line says otherwise. */
#ifndef ASSAY_RESULTS_RESULT_H
#define ASSAY_RESULTS_RESULT_H

#include "core/opspec.h"
#include "results/timing_mode.h"
#include <assay/device.h>

typedef enum result_kind {
    RESULT_VARIANT,          /* a kernel of the op's folder */
    RESULT_BASELINE,         /* a library kernel of the same function: speedups are against it */
    RESULT_UNRANKED_BASELINE /* shown, not ranked: a copy, or a nearly equal function */
} result_kind;

typedef enum result_status {
    RESULT_OK,
    RESULT_UNSTABLE,   /* timed, but clocks or temperatures did not hold still; `reason` has the numbers */
    RESULT_NOT_TIMED,  /* `reason` says why: wrong, crashed, does not fit the device */
    RESULT_UNAVAILABLE /* a baseline that is not there, or does not offer this problem */
} result_status;

typedef struct result_case {
    char op[ASSAY_NAME_MAX];
    char name[ASSAY_NAME_MAX]; /* the variant, "v4_optimized", or the baseline, "torch_eager" */
    result_kind kind;
    assay_dtype dtype;
    char size[ASSAY_NAME_MAX];
} result_case;

/* What a size stands for. Two results are of one problem only where all of this is equal. */
typedef struct result_problem {
    int dim_count, param_count;
    opspec_dim dims[OPSPEC_MAX_DIMS]; /* as resolved for the device's kind; never negative */
    assay_param params[ASSAY_MAX_PARAMS];
    const char *distribution; /* of the inputs: "normal", or "x uniform, y normal" */
    uint64_t seed;
} result_problem;

typedef struct result_tunable {
    char name[ASSAY_NAME_MAX];
    int64_t value;
} result_tunable;

typedef struct result_device {
    const char *kind, *name, *slug, *uuid, *driver, *runtime;
    int sm_count, compute_major, compute_minor; /* 0, 0 on the CPU device */
    int64_t memory_bytes, l2_bytes;
    double peak_gbs;
} result_device;

typedef struct result_host {
    const char *name, *cpu; /* host name; the processor's model */
    int cpus;
    double load; /* load average of the last minute when it was timed: other programs' share, and its own */
} result_host;

typedef struct result_toolchain {
    const char *compiler; /* "nvcc 13.0.88, host GNU 12.2.0" */
    const char *flags, *arch;
} result_toolchain;

/* SHA-256 as hexadecimal text. */
typedef struct result_hashes {
    const char *kernel; /* kernel file, project headers, flags, tunables; "" for baselines */
    const char *code;   /* machine code (resources/code_hash.h); "" for baselines and where it is not known */
    const char *reference; /* reference.c with its headers */
    const char *op_json;   /* the parts that decide the problem or a verdict: problem_hash.h */
} result_hashes;

/* How it was timed. */
typedef struct result_method {
    int version; /* RESULT_METHOD_VERSION of the program that timed it */
    int repetitions, min_samples, max_samples;
    double warmup_ms, sample_ms;
    double bound_s; /* time that one candidate may use for one mode */
    char flush[8];  /* "memset" or "read" */
    timing_modes modes;
    uint64_t seed;   /* of the order of candidates */
    int locked_mhz;  /* the SM clock that a user locked; 0: none */
    int other_count; /* the other candidates of the group, which alternated with this one */
    const char **others;
} result_method;

enum { RESULT_METHOD_VERSION = 1 };

typedef enum result_health_value {
    RESULT_SM_MHZ,
    RESULT_MEMORY_MHZ,
    RESULT_POWER_W,
    RESULT_TEMPERATURE_C,
    RESULT_HEALTH_VALUES
} result_health_value;
enum { RESULT_REASON_BITS = 32 }; /* of NVML's clock event mask */

/* What the card said while a mode was timed. */
typedef struct result_during {
    int samples; /* 0: the device tells nothing */
    double low[RESULT_HEALTH_VALUES], median[RESULT_HEALTH_VALUES], high[RESULT_HEALTH_VALUES];
    double reason_share[RESULT_REASON_BITS]; /* part of the samples with that bit of the mask */
} result_during;

enum {
    RESULT_FLAW_WARM_UP = 1,   /* repetitions change from beginning to end, most of them the same way */
    RESULT_FLAW_DRIFT = 2,     /* repetitions change from the first to the last */
    RESULT_FLAW_OUTLIERS = 4,  /* more than 5% of the samples */
    RESULT_FLAW_BIMODAL = 8,   /* two clusters: a mean describes neither */
    RESULT_FLAW_DEPENDENT = 16 /* repetitions follow each other: the interval is too narrow */
};

typedef struct result_sample_quality {
    double drift_z, drift_change, lag1, effective_samples;
    int outliers;
} result_sample_quality;

typedef struct result_quality {
    unsigned flaws; /* RESULT_FLAW_ */
    int outliers, warming_repetitions;
    double effective_samples, lag1;
    result_sample_quality between_repetitions;
    double dip, dip_critical; /* dip test for two clusters; NAN: not made */
    double low_us, high_us;   /* centres of the two clusters */
    double share_high;
} result_quality;

typedef struct result_repetition {
    double mean_us, median_us;
    int position; /* how many repetitions of any candidate came before it in this mode; -1: not known */
    int launches_per_sample; /* 0: not known */
    int sample_count;        /* taken, also where they are not loaded */
    double *samples_us;      /* in the order taken; NULL: not loaded, or not kept */
    int quantile_count;      /* kept in place of samples, see export */
    double *quantiles_us;    /* sorted */
    assay_device_health before, after;
    result_sample_quality quality;
} result_repetition;

typedef enum result_stop { RESULT_STOP_REPETITIONS, RESULT_STOP_TIME } result_stop;

/* The times of one mode. `mean_us` is the mean of the repetitions' means, `low_us` to `high_us` its 95%
 * interval. */
typedef struct result_times {
    int present;
    int method_version; /* timing_mode_info.version when it was timed */
    double mean_us, median_us, min_us, p95_us, stddev_us, low_us, high_us;
    double median_low_us, median_high_us;
    double gbs, tflops, percent_of_roofline;
    int above_roofline;
    int sample_count;
    int blocked;  /* launches waited behind a blocking kernel */
    int repeated; /* repetitions taken again after throttling */
    result_stop stopped;
    int graph_nodes, programmatic; /* of the graph that was timed; 0: single launches */
    result_during during;
    result_quality quality;
    int repetition_count;
    result_repetition *repetitions;
} result_times;

/* The verdict of the correctness run that the times belong to. */
typedef struct result_verdict {
    const char *status; /* "pass" and so on; "" for baselines */
    int64_t time;
    int attempts;
} result_verdict;

/* A number or a text under a name: what a compiled kernel needs, what counters counted. */
typedef struct result_fact {
    const char *name;
    const char *text; /* "" for a number */
    double number;    /* NAN for a text */
} result_fact;
typedef struct result_facts {
    int count;
    result_fact *facts;
} result_facts;

struct result_chunk;

typedef struct result {
    result_case id;
    result_problem problem;
    int tunable_count;
    result_tunable tunables[OPSPEC_MAX_TUNABLES];
    result_status status;
    const char *reason;    /* one line; "" where the status says it all */
    const char *math_mode; /* "ieee" or "tf32" */
    result_device device;
    result_host host;
    result_toolchain toolchain; /* "" for baselines */
    result_hashes hashes;
    const char *library_version, *choice; /* of baselines: version, and what it chose for this problem */
    result_method method;
    const char *launches; /* of a variant's kernels: "grid 64x1x1, block 256x1x1, 0 B; ..."; "" not known */
    double overhead_us[TIMING_MODES]; /* what an empty kernel takes by that mode; NAN: not measured */
    result_times times[TIMING_MODES];
    result_verdict verdict;
    double flops, bytes;      /* of the op's definition */
    const char *output_check; /* "pass", "fail" or "" (nothing was checked) */
    result_facts resources;   /* registers, spills ... of a CUDA variant on this card */
    result_facts counters;    /* dram_bytes, l2_bytes ... counted by a profiler */
    int64_t time;             /* when it was timed */
    const char *rerun;        /* the command that times it again */
    char commit[64];
    int dirty;
    const char *
        benchmark_report; /* Google Benchmark's report as JSON text, written beside; "" none. Not read back */
    struct result_chunk *chunks; /* memory of the texts and arrays */
    int no_memory;               /* a text or array could not be had: writing refuses */
} result;

/* An empty result: texts "", numbers NAN, health unknown. NULL without memory. */
result *result_new(void);
/* NULL is fine. */
void result_free(result *r);

/* A copy of `text` (NULL: "") that the result owns. Never NULL; without memory "" and r->no_memory. */
const char *result_text(result *r, const char *text);
/* Zeroed memory that the result owns; NULL for 0 bytes, and without memory, which r->no_memory says. */
void *result_alloc(result *r, size_t bytes);
/* Append a fact; `text` NULL: a number. */
void result_add_fact(result *r, result_facts *facts, const char *name, double number, const char *text);
/* A fact's number, or `fallback` if it is not there or a text. */
double result_fact_number(const result_facts *facts, const char *name, double fallback);
const char *result_fact_text(const result_facts *facts, const char *name);

/* "variant", "baseline", "unranked baseline"; "ok", "unstable", "not timed", "unavailable": for readers
 * and tables. */
const char *result_kind_name(result_kind kind);
const char *result_status_name(result_status status);
int result_status_parse(const char *name, result_status *status);
/* 1 for ok and unstable: there are times. */
int result_is_timed(const result *r);
/* 1 if the mode has a time. */
int result_has(const result *r, timing_mode mode);
/* The times of a mode, NULL if it has none. */
const result_times *result_get(const result *r, timing_mode mode);
/* All clock event reasons seen before, during and after the repetitions of a mode. */
int64_t result_reasons(const result_times *times);

/* Beginning of the reason of a case whose tensors do not fit the device: no failure of the kernel. */
#define RESULT_TOO_LARGE "does not fit the device: "
/* Beginning of the reason of a baseline that is there and does not compute this problem: it will say so
 * again. */
#define RESULT_NOT_OFFERED "not offered: "
int result_is_too_large(const result *r);
int result_is_not_offered(const result *r);

/* "warm-up", "drift", "outliers", "bimodal", "dependent" of one RESULT_FLAW_ bit; NULL for another bit. */
const char *result_flaw_name(unsigned flaw);

/* Before a baseline's name in files, rows and commands: "baseline_torch_eager". */
#define RESULT_BASELINE_PREFIX "baseline_"
enum { RESULT_FULL_NAME_MAX = ASSAY_NAME_MAX + sizeof RESULT_BASELINE_PREFIX };
/* The baseline's name in a full name; NULL for a variant's. */
const char *result_baseline_in(const char *full);
/* The name that files, rows and commands use: the variant's, or a baseline's with its prefix. */
void result_full_name(const result_case *id, char *out, size_t bytes);
/* The reverse: kind and name from a full name. `unranked` says of a baseline that it is not ranked. */
void result_split_name(const char *full, int unranked, result_case *id);
/* "softmax.v4_optimized.bf16.large.json" */
void result_file_name(const result_case *id, char *out, size_t bytes);

/* "2026-01-31T12:00:00Z" as Unix seconds; 0 if it is no such text. */
int64_t result_time_parse(const char *text);
void result_time_text(int64_t time, char out[32]);

#endif
