/* What became of one shape, dtype and variant, from the files that verify and bench left. */
#ifndef ASSAY_SWEEP_TAKE_CASE_H
#define ASSAY_SWEEP_TAKE_CASE_H

#include "sweep/sweep.h"

/* Fill all of *c but `shape`, which must be set. While the shape is a size of the op. */
void sweep_take_case(const workspace *ws, const assay_case *which, const sweep_options *options,
                     sweep_case *c);

#endif
