/* The roof of a case: the least time that the measured ceilings of the card allow for an op's operations and
 * bytes. */
#ifndef ASSAY_BENCH_ROOF_H
#define ASSAY_BENCH_ROOF_H

#include "core/workspace.h"

typedef struct roof {
    int known;
    double measured_us; /* max(flops / peak, bytes / bandwidth) with the measured medians: what
                           percent_of_bound is of */
    double possible_us; /* the same with the larger of the best measured and the theoretical ceilings: a
                           figure below it is a measuring error */
} roof;

/* Ceilings of RESULTS/ceilings.json; `known` is 0 where the file or a needed ceiling is missing. results/roofline_units.h says which
 * arithmetic units count for an op. */
void roof_find(const workspace *ws, const opspec *spec, assay_dtype dtype, const char *math_mode,
               double flops, double bytes, roof *out);

#endif
