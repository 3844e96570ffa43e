/* Shared by the files of evaluate.h. */
#ifndef ASSAY_TUNE_EVALUATE_INTERNAL_H
#define ASSAY_TUNE_EVALUATE_INTERNAL_H

#include "results/result_file.h"
#include "tune/evaluate/evaluate.h"

/* A batch whose modules are being compiled. */
typedef struct begun_batch {
    tune_candidate *batch; /* NULL: free */
    int count,
        index[EVALUATE_MOST]; /* candidates that were not decided before, and where they stand in the batch */
    tuned_module modules[EVALUATE_MOST];
    compile_pool pool;
} begun_batch;

struct evaluator {
    tune_subject subject;
    evaluate_options options;
    evaluator_times spent;
    int64_t began; /* the batch that is timed, in seconds since 1970 */
    begun_batch begun[EVALUATE_BATCHES];
};

enum { EVALUATE_NAMES = EVALUATE_MOST * ASSAY_NAME_MAX };

/* Decide a candidate as failed. The reason is cut to one line. */
void evaluate_fail(tune_candidate *c, evaluation_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Keep the compiler's report of the code that the device runs, and decide the candidate where it rules it out. `resources` is a module
 * record's; NULL where there is none (the CPU device). */
void evaluate_prune(const json_t *resources, const assay_device_info *device, int64_t most_spill_bytes,
                    tune_candidate *c);
assay_case evaluate_case(const tune_subject *s, const tune_candidate *candidate);
/* The candidates that are compiled and not decided yet, as configurations of the workspace and as a list. Returns how many. */
int evaluate_list_open(const evaluator *e, const tune_candidate *batch, int count,
                       char names[EVALUATE_NAMES]);
case_filter evaluate_filter(const evaluator *e, const char *names, const char *sizes);

/* Verify the open ones at sizes (a list; NULL: all, and the edge cases); and what came of one, of a size or "edge". */
assay_status evaluate_verify(evaluator *e, tune_candidate *batch, int count, const char *sizes,
                             assay_error *error);
void evaluate_take_verdict(const evaluator *e, tune_candidate *c, const char *size);

/* Time the open ones. */
assay_status evaluate_time(evaluator *e, tune_candidate *batch, int count, double best_us,
                           assay_error *error);
/* The identity of a candidate without a result: of what would be timed. */
void evaluate_identify(const evaluator *e, tune_candidate *c);

#endif
