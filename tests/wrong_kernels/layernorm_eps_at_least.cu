// Wrong: an epsilon below 1e-6 is taken for 1e-6, which only small rows show.
#define LAYERNORM
#define INVERSE(sum, n, eps) (float)(1.0 / sqrt((sum) / (n) + fmax(eps, 1e-6)))
#include "norm_kernel.h"
