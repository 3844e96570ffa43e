/* Two versions of a kernel timed together and compared by the rules of `assay compare`. */
#ifndef ASSAY_OPTIMIZE_VERSUS_H
#define ASSAY_OPTIMIZE_VERSUS_H

#include "outside/outside.h"

typedef enum versus_verdict { VERSUS_FASTER, VERSUS_SAME, VERSUS_SLOWER, VERSUS_NOT_TIMED } versus_verdict;

typedef struct versus {
    versus_verdict
        verdict; /* slower if a case is; else faster if one is; else same, also where it cannot be told */
    double speedup, low,
        high; /* of the base's times over the new ones', geometric mean over cases, and of the intervals' ends; NAN: unknown */
    double percent_of_bound; /* of the new version, the mean over cases; NAN: ceilings are not known */
    json_t *
        cases; /* array of {"dtype", "size", "verdict", "base_us", "new_us", "speedup", "low", "high", "reason"}; owned */
} versus;

/* "faster", "same", "slower", "not timed" */
const char *versus_name(versus_verdict verdict);

/* Both are variants of `o` that passed. `options` as for bench, without baselines. ASSAY_OK also where a kernel failed while it was timed.
 * Release it always. */
assay_status versus_run(outside *o, const char *base, const char *changed, const outside_request *request,
                        const bench_options *options, versus *out, assay_error *error);
void versus_release(versus *v);

#endif
