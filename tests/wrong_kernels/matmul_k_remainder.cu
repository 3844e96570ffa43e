// Wrong: sums whole steps of eight only, so it fails where K is no multiple of eight.
#define TERMS(m, n, k) ((k) / 8 * 8)
#include "matmul_kernel.h"
