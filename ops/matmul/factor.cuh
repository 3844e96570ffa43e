// An element of a or b as the module's math mode multiplies it: in tf32 rounded to 10 bits of fraction, which
// is all that tensor cores would read of it. Sums stay in fp32.
#ifndef ASSAY_OPS_MATMUL_FACTOR_CUH
#define ASSAY_OPS_MATMUL_FACTOR_CUH

#include <assay/kernel.h>

__device__ __forceinline__ scalar_t as_factor(scalar_t x)
{
#if ASSAY_DTYPE_TF32
    return __uint_as_float(assay::to_tf32(x));
#else
    return x;
#endif
}

#endif
