/* op.json's constraints on one configuration: what --set and a winner's file are held against. */
#ifndef ASSAY_TUNE_EVALUATE_CONSTRAINTS_H
#define ASSAY_TUNE_EVALUATE_CONSTRAINTS_H

#include "core/tuned_variant.h"
#include "tune/space/space.h"

/* The architecture that the workspace's modules are compiled for: the newest one, "sm_90a", or "cpu". */
void tune_arch(const workspace *ws, char *out, size_t out_bytes);

/* The space of a variant for a case. `size` is op.json's or a shape; of "edge" and "huge" no dimension is known, and what constraints say
 * of dimensions is then taken from the size "small". */
assay_status tune_space(const workspace *ws, const workspace_op *op, const char *variant, assay_dtype dtype,
                        const char *size, space **out, assay_error *error);

/* ASSAY_ERR_INVALID with the first constraint that does not hold, and the values. */
assay_status tuned_check_constraints(const workspace *ws, const workspace_op *op, const tuned_variant *tuned,
                                     assay_dtype dtype, const char *size, assay_error *error);

#endif
