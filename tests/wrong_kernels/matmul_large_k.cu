// Wrong: right up to K = 2048, stops there beyond.
#define TERMS(m, n, k) ((k) < 2048 ? (k) : 2048)
#include "matmul_kernel.h"
