/* Which arithmetic units may bound an op: one rule for the benchmark, which writes percentages, and the report, which draws bounds. */
#ifndef ASSAY_RESULTS_ROOFLINE_UNITS_H
#define ASSAY_RESULTS_ROOFLINE_UNITS_H

#include "core/opspec.h"

enum { ROOFLINE_MOST_UNITS = 4 };

typedef struct roofline_unit {
    const char *ceiling; /* name in ceilings.json */
    double cost;         /* operations of this unit for one operation of the op */
    const char *label;   /* what the bound is called */
} roofline_unit;

/* The units that could do the op's arithmetic at this dtype and math mode; the op's bound is the largest rate / cost among those
 * that were measured. Products, attention and convolutions may use tensor cores; with f32 operands and full accuracy these take
 * three tf32 or six bf16 products for one (operands split into high and low parts; ops/matmul/README.md), or three f16 ones if
 * tiles are scaled (22 bits of each factor; docs/notes/2026-11-28-mha.md). All other ops compute in f32. Returns the count, at
 * least 1. */
int roofline_units(const opspec *spec, assay_dtype dtype, int tf32, roofline_unit units[ROOFLINE_MOST_UNITS]);

#endif
