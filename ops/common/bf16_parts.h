/* A binary32 number as the sum of three bfloat16 numbers of 8 bits each, for products at full accuracy on
 * tensor cores (ops/matmul/v4/split.cuh says how they are multiplied). */
#ifndef ASSAY_OPS_COMMON_BF16_PARTS_H
#define ASSAY_OPS_COMMON_BF16_PARTS_H

#include <assay/kernel.h>

/* False where the three parts are not x: NaN, infinity, larger than bfloat16's largest, or so small that the
 * third part is lost. */
__device__ __forceinline__ bool split_element(float x, __nv_bfloat16 (&parts)[3])
{
    const float magnitude = fabsf(x);
    float rest = x;
#pragma unroll
    for (int p = 0; p < 3; p++) {
        parts[p] = assay::from_float<__nv_bfloat16>(rest);
        rest -= assay::to_float(parts[p]); /* exact */
    }
    return magnitude == 0.0f || (magnitude >= 0x1p-110f && magnitude <= 0x1.fep127f); /* false for a NaN */
}

#endif
