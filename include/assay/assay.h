/* libassay: verify, time and tune kernels of a configured build from a program of your own. What `assay list`, `verify`, `bench`, `tune` and
 * `archive best` do, without their text. Kernels run in processes of their own, as always: one that crashes costs its verdict and not
 * your program.
 *
 *     assay_session *s;
 *     assay_error error = {0};
 *     if (assay_session_open("build", &s, &error) != ASSAY_OK)
 *         return fprintf(stderr, "%s\n", error.message), 1;
 *     assay_selection which = {.op = "add", .variant = "v2_tiling", .dtype = "f32", .dims = "M=777,N=4096",
 *                              .configuration = "ELEMENTS_PER_THREAD=8"};
 *     assay_verdict verdict;
 *     assay_session_verify(s, &which, &verdict, &error);
 *     assay_session_close(s);
 *
 * A session is for one thread at a time. It starts processes and waits for them, so a program that handles SIGCHLD must leave children that
 * it did not start alone. Times are in microseconds; NAN: not known. */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <assay/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_session assay_session;

/* A configured build folder or an unpacked bundle (NULL: $ASSAY_BUILD, else the current folder). ASSAY_ERR_INVALID: none there.
 * ASSAY_ERR_ENVIRONMENT: its device is not here. */
assay_status assay_session_open(const char *build, assay_session **out, assay_error *error);
void assay_session_close(assay_session *s); /* NULL is fine */

/* Names, which live as long as the session; NULL past the end and for an unknown op. */
const char *assay_session_device(const assay_session *s); /* "nvidia-h100-80gb-hbm3" */
const char *assay_session_op(const assay_session *s, int number);
const char *assay_session_variant(const assay_session *s, const char *op, int number);
const char *assay_session_dtype(const assay_session *s, const char *op, int number);
const char *assay_session_size(const assay_session *s, const char *op, int number);
/* A tunable of a variant: its name, and its values as text with the default in brackets ("2 [4] 8"). */
const char *assay_session_tunable(assay_session *s, const char *op, const char *variant, int number,
                                  const char **values);

/* One kernel on one problem. Exact names; texts are borrowed for the call. */
typedef struct assay_selection {
    const char *op, *variant, *dtype;
    const char *size;          /* of op.json; NULL where `dims` is given */
    const char *dims, *params; /* "M=777,N=4096", "alpha=2"; NULL: none */
    const char *configuration; /* "TILE=16,STAGES=4": compiled if need be; NULL: the build's module */
} assay_selection;

typedef struct assay_verdict {
    int passed;
    char status[32];  /* "pass", "fail", "crash", "timeout", "does not compile", "skipped" */
    char reason[640]; /* one line; "" of a pass */
    double seconds;
} assay_verdict;
/* Judge the kernel on the problem alone, by the rules of `assay verify`. ASSAY_OK also when it is wrong. ASSAY_ERR_INVALID: a name, value,
 * constraint or dimension. */
assay_status assay_session_verify(assay_session *s, const assay_selection *which, assay_verdict *out,
                                  assay_error *error);

typedef struct assay_timing_options { /* zeros: the defaults of `assay bench` */
    const char *mode;                 /* "cold", "hot" ...; NULL: cold */
    int repetitions, quick;
    double warmup_ms, sample_ms;
} assay_timing_options;
typedef struct assay_timing {
    int timed;                               /* 0: `reason` says why not */
    char reason[640];                        /* the verdict's, where the kernel is not verified or wrong */
    double mean_us, low_us, high_us, min_us; /* mean with its 95% interval */
    double tflops, gbs;
    int repetitions;
} assay_timing;
/* Time it; what has no verdict yet is verified first, at the problem and in the edge cases. A result that is there already and of the same
 * identity is not measured again. `options` may be NULL. */
assay_status assay_session_time(assay_session *s, const assay_selection *which,
                                const assay_timing_options *options, assay_timing *out, assay_error *error);

typedef struct assay_tuning_options {
    const char *strategy; /* NULL: the default */
    uint64_t seed;
    long evaluations;            /* 0: no limit; then budget_s must be given */
    double budget_s;             /* 0: no limit */
    int save;                    /* write a faster winner to ops/OP/best/ */
    assay_timing_options timing; /* of the finals; fewer repetitions also limit the search */
} assay_tuning_options;
typedef struct assay_tuning {
    int evaluations, succeeded;
    int has_winner;
    char winner[1024]; /* "TILE=16,STAGES=4" */
    char verdict[32];  /* of the winner against the default: "faster", or "same" where the default stays */
    double winner_us, default_us; /* of the finals */
    char run[33];                 /* in the archive */
    char report[4096];            /* path of logs/OP_tuning.md */
} assay_tuning;
/* Search; `which->configuration` is not looked at. A run that was interrupted goes on. */
assay_status assay_session_tune(assay_session *s, const assay_selection *which,
                                const assay_tuning_options *options, assay_tuning *out, assay_error *error);

typedef struct assay_archived {
    const char *op, *variant, *dtype, *size, *configuration, *run;
    double us, speedup; /* over the default configuration of its run */
} assay_archived;
/* The fastest `limit` configurations of each problem that the archive of this device has, fastest first; NULL fields of `which` select all.
 * Texts are valid during the call; a callback that does not return 0 ends the list. */
assay_status assay_session_best(assay_session *s, const assay_selection *which, int limit,
                                int (*each)(void *context, const assay_archived *row), void *context,
                                assay_error *error);

#ifdef __cplusplus
}
#endif
#endif
