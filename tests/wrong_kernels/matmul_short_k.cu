// Wrong: where there are less than eight terms, those behind the last whole vector of four are lost.
#define TERMS(m, n, k) ((k) > 1 && (k) < 8 ? (k) / 4 * 4 : (k))
#include "matmul_kernel.h"
