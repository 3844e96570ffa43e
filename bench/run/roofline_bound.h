/* The roofline bound of a case: the least time that the measured ceilings of the card allow for an op's operations and
 * bytes. */
#ifndef ASSAY_BENCH_ROOFLINE_BOUND_H
#define ASSAY_BENCH_ROOFLINE_BOUND_H

#include "core/workspace.h"

typedef struct roofline_bound {
    int known;
    double measured_us; /* max(flops / peak, bytes / bandwidth) with the measured medians: what
                           percent_of_bound is of */
    double possible_us; /* the same with the larger of the best measured and the theoretical ceilings: a
                           time below it is a measuring error */
} roofline_bound;

/* Ceilings of RESULTS/ceilings.json; `known` is 0 where the file or a needed ceiling is missing. results/roofline_units.h says which
 * arithmetic units count for an op. */
void roofline_bound_find(const workspace *ws, const opspec *spec, assay_dtype dtype, const char *math_mode,
                         double flops, double bytes, roofline_bound *out);

#endif
