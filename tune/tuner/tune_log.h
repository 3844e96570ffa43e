/* A tuning run in the archive: what an earlier process of the run recorded, and what this one adds. Inside the tuner only. */
#ifndef ASSAY_TUNE_TUNE_LOG_H
#define ASSAY_TUNE_TUNE_LOG_H

#include "tune/tuner/seeds.h"

/* What an earlier process of the run recorded of a configuration. */
typedef struct recorded_candidate {
    char *values, *reason, *verdict, *report;
    evaluation_status status;
    double time_us, tflops, compile_s, verify_s, bench_s, elapsed_s;
} recorded_candidate;

typedef struct tune_log {
    const tune_options *options;
    const tune_outcome *outcome; /* its subject, space and strategy are known */
    int batch, window;           /* as asked for; of a run that goes on, what it began with */
    archive *archive;
    archive_run run; /* its texts are the next ones */
    char dims[256], arch[64], host[256], commit[64];
    char *space_text, *options_text, *source; /* owned; the kernel's text */
    int goes_on;                              /* 1: an earlier process began the run */
    tune_seeds seeds;                         /* of a run that goes on, what it began with */
    recorded_candidate *recorded;
    int recorded_count, recorded_capacity;
    double earlier_s; /* what the recorded ones took */
} tune_log;

/* Open the card's archive and look for a run to go on with. `source_sha256` is of the default configuration: of another kernel, compiler or
 * architecture no run is gone on with. Where there is none, tune_log_begin() begins one with log->seeds. Close it, also after a failure. */
assay_status tune_log_open(tune_log *log, const char *source_sha256, assay_error *error);
assay_status tune_log_begin(tune_log *log, assay_error *error);
void tune_log_close(tune_log *log);

/* What the run has of these values, or NULL; and a candidate from it. */
const recorded_candidate *tune_log_find(const tune_log *log, const char *values);
void tune_log_take(const recorded_candidate *r, tune_candidate *c);

/* Record a candidate that is decided. When this returns it is not lost, whatever happens to the process. */
assay_status tune_log_add(tune_log *log, const tune_candidate *c, assay_error *error);

#endif
