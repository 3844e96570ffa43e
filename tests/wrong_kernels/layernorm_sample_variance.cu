// Wrong: divides by n - 1, as a sample's variance does.
#define LAYERNORM
#define INVERSE(sum, n, eps) (float)(1.0 / sqrt((sum) / ((n) > 1 ? (n)-1 : 1) + (eps)))
#include "norm_kernel.h"
