// An element of a or b as the module's math mode multiplies it. In tf32 its fraction is rounded to 10 bits, which is all that the tensor
// cores would read of it; products and sums stay in fp32.
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
