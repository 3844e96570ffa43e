/* Evaluating configurations: compile, verify, time, each by the suite's own means, so that what is found wrong here is found wrong by
 * `assay verify`, and what is fast here is fast by `assay bench`. A candidate that does not compile, is wrong, crashes or hangs costs
 * itself. What is known of it already (module, verdict, result of the same identity) is used again.
 *
 *     evaluate_begin(e, batch, count, &error);      compiling starts beside this process
 *     ... evaluate_finish() of the batch before ...
 *     evaluate_finish(e, batch, count, &error);     waits for the compilers, then verifies and times
 */
#ifndef ASSAY_TUNE_EVALUATE_EVALUATE_H
#define ASSAY_TUNE_EVALUATE_EVALUATE_H

#include "bench/plan/bench.h"
#include "tune/evaluate/compile_pool.h"
#include "tune/space/space.h"
#include <assay/device.h>

enum { EVALUATE_MOST = 16, EVALUATE_BATCHES = 32, EVALUATE_SAMPLES = 64, EVALUATE_REASON = 400 };

/* What is tuned: a variant of an op for one dtype and problem. Borrowed. */
typedef struct tune_subject {
    workspace *ws; /* with its card chosen */
    const workspace_op *op;
    const char *variant;
    assay_dtype dtype;
    const char *size; /* of op.json, or a shape */
    const space *space;
    assay_device_info device;
} tune_subject;

typedef struct evaluate_options {
    int compile_jobs;                       /* 0: one a core */
    double compile_limit_s, verify_limit_s; /* of one candidate */
    int64_t most_spill_bytes; /* of the compiler's report; more is not run. Negative: no limit */
    double
        give_up_factor; /* times the best so far: the first repetition says that it is slow, and no other is taken; 0: never */
    timing_mode mode;  /* the objective is its mean */
    workspace *screen; /* of the CPU device: candidates are run there first (screen.h); NULL: not. Borrowed */
    bench_options bench; /* repetitions and lengths */
} evaluate_options;

typedef struct tune_candidate {
    configuration configuration;
    tuned_variant tuned;
    int done; /* 0: the run was interrupted before it was decided */
    evaluation_status status;
    char reason[EVALUATE_REASON];     /* one line of a failure, "" of a success */
    double time_us;                   /* NAN of a failure */
    double samples[EVALUATE_SAMPLES]; /* means of the repetitions, us */
    int sample_count;
    double tflops;
    double compile_s, verify_s, bench_s; /* NAN: did not happen */
    char source_sha256
        [65]; /* kernel, headers, flags, compiler, architecture, values; "" before it is compiled */
    char identity
        [65]; /* of that, problem, reference, device, driver, host and method: of what decides the time */
    char verdict[32]; /* "pass", "fail" ... or "" */
    char *report;     /* owned: the compiler's report on resources as JSON, or "" */
    int was_known;    /* 1: time and verdict were there already */
} tune_candidate;

typedef struct evaluator evaluator;

/* Where an evaluator's time went, in seconds. */
typedef struct evaluator_times {
    double compiling; /* waiting for compilers; on a GPU most of it passes while something is measured */
    double verifying, timing;
} evaluator_times;

/* Both are copied, what they point to is borrowed. */
assay_status evaluator_create(const tune_subject *subject, const evaluate_options *options, evaluator **out,
                              assay_error *error);
void evaluator_free(evaluator *e);
evaluator_times evaluator_spent(const evaluator *e);

/* The candidate of a configuration of the space. Release with tune_candidate_release(). */
assay_status tune_candidate_make(const tune_subject *subject, const configuration *c, tune_candidate *out,
                                 assay_error *error);
void tune_candidate_release(tune_candidate *candidate);

/* Start to compile. At most EVALUATE_MOST, and at most EVALUATE_BATCHES batches begun and not finished. The batch must stay where it is. */
assay_status evaluate_begin(evaluator *e, tune_candidate *batch, int count, assay_error *error);
/* `best_us` (NAN: none) is what slow candidates are held against. ASSAY_OK also when candidates failed or the run was interrupted; else
 * nothing more can be evaluated (no compiler, no device, disk full). */
assay_status evaluate_finish(evaluator *e, tune_candidate *batch, int count, double best_us,
                             assay_error *error);

/* The first half of evaluate_finish(), for batches that another process measures: whether a batch's compilers have ended; and what they
 * made, by which some of the batch are decided. A batch that was not begun is compiled. Waits where compilers still run. */
int evaluate_is_compiled(evaluator *e, const tune_candidate *batch);
assay_status evaluate_compiled(evaluator *e, tune_candidate *batch, assay_error *error);

/* For the finals: verify candidates at all sizes and edge cases of the op; *wrong gets for each 0, or 1 with the reason. */
assay_status evaluate_everywhere(evaluator *e, tune_candidate *batch, int count, int *wrong,
                                 assay_error *error);
/* Time candidates together, their repetitions interleaved, by `bench` in full. Their results are then in the results folder. */
assay_status evaluate_together(evaluator *e, tune_candidate *batch, int count, const bench_options *bench,
                               assay_error *error);
/* The same at another size of the op; *us gets for each its mean, or NAN. */
assay_status evaluate_at_size(evaluator *e, tune_candidate *batch, int count, const char *size,
                              const bench_options *bench, double *us, assay_error *error);
/* Path of a candidate's result. */
void evaluate_result_path(const tune_subject *subject, const tune_candidate *candidate, char *out,
                          size_t out_bytes);

#endif
