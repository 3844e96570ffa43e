/* Values for the tests of the comparison. */
#ifndef ASSAY_TESTS_VERIFY_COMPARE_VALUES_H
#define ASSAY_TESTS_VERIFY_COMPARE_VALUES_H

#include "verify/compare.h"

static inline assay_tensor vector_of(int64_t count)
{
    return (assay_tensor){.rank = 1, .shape = {count}};
}

/* Store a value in a dtype's bits. */
static inline void put(void *out, assay_dtype dtype, int64_t i, double value)
{
    if (dtype == ASSAY_F32)
        ((float *)out)[i] = (float)value;
    else if (dtype == ASSAY_F16)
        ((uint16_t *)out)[i] = assay_float_to_f16((float)value);
    else
        ((uint16_t *)out)[i] = assay_float_to_bf16((float)value);
}

#endif
