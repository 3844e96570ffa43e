// Wrong: the root of a table of 10 bits, without a step of Newton's.
#define INVERSE(sum, n, eps) \
    __uint_as_float(__float_as_uint((float)(1.0 / sqrt((sum) / (n) + (eps)))) & 0xffffe000u)
#include "norm_kernel.h"
