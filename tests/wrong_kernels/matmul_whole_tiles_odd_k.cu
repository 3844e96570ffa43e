// Wrong: the path for whole tiles of 128 by 128 forgets the remainder of K.
#define TERMS(m, n, k) ((m) % 128 == 0 && (n) % 128 == 0 ? (k) / 8 * 8 : (k))
#include "matmul_kernel.h"
