/* The order in which edge cases are run. */
#ifndef ASSAY_VERIFY_EDGE_ORDER_H
#define ASSAY_VERIFY_EDGE_ORDER_H

#include "core/opspec.h"

/* Fill order[] with the indices of `count` cases, at most OPSPEC_MAX_EDGES. Ordinary contents come before special ones, and within both the
 * least work first (flops and bytes): a wrong kernel is then shown by a small problem, and soon. Cases that run once come last, because
 * their launch is what is large. */
void edge_order(const opspec *spec, const assay_op_impl *impl, assay_dtype dtype, const opspec_edge *cases,
                int count, int order[]);

#endif
