/* Where a case stands without a profiler: its measured time against the roofline and the launch overhead, and what the compiler said of it. */
#ifndef ASSAY_PROFILE_POSITION_H
#define ASSAY_PROFILE_POSITION_H

#include "core/workspace.h"
#include "profile/classify.h"
#include "results/result.h"

typedef struct position {
    const result *result;                   /* owned; NULL: never timed on this card */
    double mean_us, overhead_us;            /* cold */
    double gbs, tflops;                     /* achieved, of the op's definition */
    double peak_gbs, peak_tflops;           /* measured ceilings; NAN: not measured */
    double memory_percent, compute_percent; /* of these */
    const char *unit;                       /* the arithmetic unit of the ceiling */
    char device[128];
    json_t *resources; /* owned: of a compiled module; NULL where none was compiled for CUDA */
    char arch[32];     /* the architecture that is shown; "" none */
} position;

/* Find the case's result below RESULTS (NULL: none) and its module's record. What is not there stays unknown: no error for it.
 * Release it, also after an error. */
assay_status position_read(const workspace *ws, const assay_case *c, const char *results, position *out,
                           assay_error *error);
void position_release(position *p);

/* Fill a launch profile by what the compiler reported (origin METRIC_COMPILED): a kernel each, or where kernels were counted those of that
 * name. */
void position_put_compiled(const position *p, launch_profile *out);

/* What the position says of the bottleneck: fewer rules than with counters, and a lower confidence. */
void position_classify(const position *p, const profiled_kernel *kernel, bottleneck *out);

#endif
