// Wrong: scales a up by 2^64, against underflow, and the sum back; large values overflow on the way.
#define ADD(sum, x, y) sum += ((x)*0x1p64f) * (y)
#define STORE(sum)     ((sum)*0x1p-64f)
#include "matmul_kernel.h"
