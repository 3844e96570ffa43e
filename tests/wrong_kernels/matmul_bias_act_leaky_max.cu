// Wrong: max(v, slope v) is leaky relu for slopes up to 1 only.
#define LEAKY(v, slope) fmaxf(v, (slope) * (v))
#include "matmul_bias_act_kernel.h"
