// Wrong: leaves the last 32 terms out where k is an odd multiple of 32.
#define TERMS(m, n, k) ((k) % 64 == 32 ? (k)-32 : (k))
#include "matmul_kernel.h"
