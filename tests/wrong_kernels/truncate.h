// A value of binary32 cut off to the dtype: the fault of kernels that store the upper half of its bits.
#include <assay/kernel.h>
#include <string.h>

static __device__ inline scalar_t truncate(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    if (ASSAY_DTYPE_BF16)
        bits &= 0xffff0000u;
    else if (ASSAY_DTYPE_F16)
        bits &= 0xffffe000u;
    memcpy(&value, &bits, sizeof bits);
    return assay::from_float<scalar_t>(value);
}
