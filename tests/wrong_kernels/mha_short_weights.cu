// Weights with one bit less than the dtype has.
#include <assay/kernel.h>
static __device__ inline float shortened(float p)
{
    const unsigned lost = ASSAY_DTYPE_BF16 ? 17 : 14;
    return __uint_as_float((__float_as_uint(p) + (1u << (lost - 1))) & ~((1u << lost) - 1u));
}
#define WEIGHT(p) shortened(p)
#include "mha_kernel.h"
