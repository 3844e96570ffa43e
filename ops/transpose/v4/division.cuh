// transpose, step 4: division by a number that the host knows.
#ifndef ASSAY_OPS_TRANSPOSE_V4_DIVISION_CUH
#define ASSAY_OPS_TRANSPOSE_V4_DIVISION_CUH

#include <assay/kernel.h>

// Division by `by` as multiplication with its inverse, rounded up: exact where i * by is below 2^32.
struct division {
    unsigned by, inverse;

    __device__ __forceinline__ int operator()(int i) const
    {
        return by == 1 ? i : (int)__umulhi((unsigned)i, inverse);
    }
};

static inline division division_by(int by)
{
    return {(unsigned)by, UINT32_MAX / (unsigned)by + 1};
}

#endif
