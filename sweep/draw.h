/* Shapes that nobody chose: drawn from "sweep" of op.json (core/opspec_sweep.h).
 *
 * Shape number i is a function of op.json, the device's kind and (seed, i) alone, by the counter-based generator of the test data
 * (verify/random.h) and arithmetic without libm: the same list on every machine, and a longer list begins with the shorter one. */
#ifndef ASSAY_SWEEP_DRAW_H
#define ASSAY_SWEEP_DRAW_H

#include "core/opspec_sweep.h"
#include "sweep/shape_list.h"

enum { DRAW_MOST_SHAPES = 10000 };

/* The op's own distribution; of an op without one (spec->sweep NULL) one made from its sizes: each dimension log-uniform from 1 to the
 * largest there is, 30% of the draws multiples of 8 and 30% of 64. NULL without memory; free() it. */
opspec_sweep *draw_distribution(const opspec *spec);

/* Draw `count` shapes. `families`: NULL for all by their weights, else a comma-separated list. A draw that the op does not compute, that is
 * beyond the bounds of the device's kind or that was drawn before is drawn again from ranges whose upper ends come down step by step, so that a
 * range made for GPUs serves the CPU device, too. Fewer shapes where there are no more. ASSAY_ERR_INVALID: an unknown family, or one without
 * a shape in bounds. */
assay_status draw_shapes(opspec *spec, const assay_op_impl *impl, const char *device_kind,
                         const char *families, uint64_t seed, int count, shape_list *list,
                         assay_error *error);

/* least * (most / least)^part, 0 <= part < 1, rounded down; log-uniform for a uniform part. The same bits on every machine. */
int64_t draw_log_uniform(int64_t least, int64_t most, double part);

#endif
