/* Archive of tuning: every run and every candidate, in one SQLite file that any tool can read.
 *
 * A candidate is written in one transaction when its evaluation ends (WAL, synchronous NORMAL): a process that is
 * killed loses none that archive_record returned for, a machine that loses power at most the last ones, and the
 * file is never damaged. Several processes may write one archive.
 * Archives of many machines merge without conflict, in any order and any number of times: a run has a random
 * identifier, and a candidate is the run's identifier and its number in it.
 * Without SQLite in the build every call gives ASSAY_ERR_UNSUPPORTED and says so. */
#ifndef ASSAY_TUNE_ARCHIVE_H
#define ASSAY_TUNE_ARCHIVE_H

#include "tune/space/evaluation.h"
#include <assay/status.h>
#include <stddef.h>

enum { ARCHIVE_SCHEMA = 1, ARCHIVE_UID_BYTES = 33, ARCHIVE_IDENTITY_BYTES = 65 };

typedef struct archive archive;
typedef enum archive_mode { ARCHIVE_READ, ARCHIVE_WRITE } archive_mode;

/* ARCHIVE_WRITE makes a missing file. ASSAY_ERR_IO, ASSAY_ERR_FORMAT (not an archive, or of another schema). */
assay_status archive_open(const char *path, archive_mode mode, archive **out, assay_error *error);
void archive_close(archive *a); /* NULL is fine */

/* What is tuned, where. Texts are borrowed and never NULL ("" where not known). */
typedef struct archive_problem {
    const char *op, *variant, *dtype, *size;
    const char *dims;   /* "M=4096,N=4096,K=4096" */
    const char *device; /* slug of the card: "nvidia-h100-80gb-hbm3" */
    const char *arch;   /* "sm_90a" */
} archive_problem;

typedef struct archive_run {
    char uid[ARCHIVE_UID_BYTES]; /* 32 hex digits */
    archive_problem problem;
    const char *strategy;
    uint64_t seed;
    const char *options; /* JSON: budget, providers, stop rules, whatever a resumed run must take over */
    const char *space; /* JSON: parameters with values and constraints; of another space no run is resumed */
    const char *commit, *host, *command;
    int64_t started, ended; /* seconds since 1970; `ended` 0 while it runs or if it was killed */
    const char *end;        /* "", or why it ended: "budget", "target", "exhausted", "interrupted" ... */
    double default_us;      /* time of the default configuration; NAN until it is known */
    int64_t id;             /* row in this file; set by the archive */
} archive_run;

typedef struct archive_candidate {
    char run_uid[ARCHIVE_UID_BYTES];
    int64_t number;     /* 0, 1, ... in the order of archive_record */
    const char *values; /* label: "BLOCK_M=128,STAGES=4" */
    char identity
        [ARCHIVE_IDENTITY_BYTES]; /* SHA-256 in hex of all that decides the time: source, headers, flags,
                                              compiler, driver, architecture, values, problem, method */
    const char *source;           /* text that was compiled, or ""; equal texts are stored once */
    const char *compile_report;   /* registers, spills, shared memory as JSON, or the compiler's message */
    const char *verdict;          /* JSON or text of the correctness run */
    evaluation_status status;
    const char *reason;    /* one line for a failure, "" for a success */
    double time_us;        /* the objective; NAN for a failure */
    double tflops;         /* NAN: not known */
    double speedup;        /* default configuration's time over this one's; NAN: not known */
    const double *samples; /* us; stored as 32-bit floats */
    int sample_count;
    const char *provider;                /* who proposed it: a strategy's or a provider's name */
    const char *parent;                  /* "RUN_UID:NUMBER" of the candidate that it was made from, or "" */
    int64_t recorded_ms;                 /* since 1970 */
    double compile_s, verify_s, bench_s; /* what the evaluation took; NAN: did not happen */
} archive_candidate;

/* Begin a run: sets run->uid (if empty), run->id and run->started (if 0). */
assay_status archive_begin_run(archive *a, archive_run *run, assay_error *error);
/* The latest run of this problem, space, strategy and seed that has not ended: ids and texts of *out are valid until
 * the next call with `a`. *found 0 if there is none. */
assay_status archive_find_run(archive *a, const archive_run *like, archive_run *out, int *found,
                              assay_error *error);
assay_status archive_set_default(archive *a, int64_t run_id, double default_us, assay_error *error);
assay_status archive_end_run(archive *a, int64_t run_id, const char *end, assay_error *error);

/* Write one candidate of a run: one transaction. Sets c->number and, if 0, c->recorded_ms. */
assay_status archive_record(archive *a, int64_t run_id, archive_candidate *c, assay_error *error);

/* Rows one by one; return other than ASSAY_OK to stop with that status. Texts are valid during the call. */
typedef assay_status (*archive_each)(void *context, const archive_run *run, const archive_candidate *c,
                                     assay_error *error);
/* All candidates of a run in order: what a resumed run tells its strategy. */
assay_status archive_replay(archive *a, int64_t run_id, archive_each each, void *context, assay_error *error);

/* Filters: NULL or "" selects all; lists with commas ("v3_coalesced,v4_optimized"). */
typedef struct archive_filter {
    const char *op, *variant, *dtype, *size, *dims, *device, *run;
    int64_t since_ms; /* 0: all */
} archive_filter;

/* The fastest `limit` successes of each problem, fastest first. Of equal values of one problem only the latest
 * measurement counts. */
assay_status archive_best(archive *a, const archive_filter *filter, int limit, archive_each each,
                          void *context, assay_error *error);
/* The latest `limit` candidates (0: all), latest first. */
assay_status archive_history(archive *a, const archive_filter *filter, int limit, archive_each each,
                             void *context, assay_error *error);
/* All candidates that match, oldest first, without the three long texts (source, compile_report, verdict): they
 * are "". best and history give them up to a limit of 1000. */
assay_status archive_walk(archive *a, const archive_filter *filter, archive_each each, void *context,
                          assay_error *error);

typedef struct archive_merge_counts {
    long runs_added, runs_known, candidates_added, candidates_known;
} archive_merge_counts;
/* Add what `path` has and `a` has not: one transaction. Idempotent. */
assay_status archive_merge(archive *a, const char *path, archive_merge_counts *counts, assay_error *error);

#endif
