// Wrong: skips products whose factor in a is 0, which loses the NaN of 0 times infinity.
#define ADD(sum, x, y) sum += (x) != 0.0f ? (x) * (y) : 0.0f
#include "matmul_kernel.h"
