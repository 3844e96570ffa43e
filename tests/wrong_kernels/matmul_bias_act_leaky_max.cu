// Wrong: max(v, slope v) is leaky relu for slopes up to 1 only.
#define LEAKY(v, slope) fmaxf(v, (slope) * (v))
#define GELU(v)         (0.5f * (v) * (1.0f + erff((v)*0.70710678f)))
#include "matmul_bias_act_kernel.h"
