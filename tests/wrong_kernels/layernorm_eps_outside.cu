// Wrong: adds eps to the deviation and not to the variance.
#define LAYERNORM
#define INVERSE(sum, n, eps) (float)(1.0 / (sqrt((sum) / (n)) + (eps)))
#include "norm_kernel.h"
