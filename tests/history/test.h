/* Made-up results in a temporary folder. */
#ifndef ASSAY_TESTS_HISTORY_TEST_H
#define ASSAY_TESTS_HISTORY_TEST_H

#include "tests/unit.h"
#include "results/result.h"
#include <jansson.h>

typedef struct made_result {
    const char *op, *variant, *size; /* NULL: add, v1_baseline ("baseline_..." for a baseline), large */
    assay_dtype dtype;               /* 0: f32 */
    result_status status;
    const char *reason;
    const char *device;                      /* NULL: cuda */
    const char *slug, *card, *uuid, *driver; /* NULL: of one made-up card */
    const char *math_mode, *distribution, *flush;
    const char *commit, *time, *kernel; /* kernel: its source's hash */
    const char *code;                   /* hash of its machine code; NULL: not known */
    const char *with;                   /* the candidates it alternated with, by commas, or NULL */
    timing_mode mode;                   /* 0: cold */
    int dirty, count, samples, reasons, exported, locked_mhz;
    int method_version;  /* 0: the present one */
    double overhead_us;  /* of that mode; 0: 3.0, negative: not known */
    double load, sm_mhz; /* 0: not known; 1980 */
    double instructions; /* counted; 0: not */
    const double *times; /* of the repetitions, microseconds; `count` of them, 0: a result without times */
} made_result;

/* `count` repetitions of about `us`, spread evenly over +-`spread` (relative), in an order that is no trend.
 */
void fill_times(double *times, int count, double us, double spread);

/* Each repetition has `samples` samples around its time, or quantiles if `exported`. */
result *make_result(const made_result *r);
/* FOLDER/bench/OP.NAME.DTYPE.SIZE.json with that result. */
void write_result(const char *folder, const made_result *r);

#endif
