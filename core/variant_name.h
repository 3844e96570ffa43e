/* Names of variants and of their configurations (core/tuned_variant.h): "v2_tiling" and "v2_tiling+3f9a01c25e". */
#ifndef ASSAY_CORE_VARIANT_NAME_H
#define ASSAY_CORE_VARIANT_NAME_H

#include "core/opspec.h"

#define TUNED_VARIANT_MARK '+'

/* 1 if the name has the mark. */
int tuned_variant_is(const char *variant);
/* The name without mark and hash. */
void tuned_variant_base(const char *name, char out[ASSAY_NAME_MAX]);
/* 1 if the name is the variant's or that of one of its configurations. */
int tuned_variant_is_of(const char *name, const char *variant);

#endif
