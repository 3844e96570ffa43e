// Wrong: the bias is added behind the activation.
#define AFTER           1
#define LEAKY(v, slope) ((v) < 0 ? (v) * (slope) : (v))
#define GELU(v)         (0.5f * (v) * (1.0f + erff((v)*0.70710678f)))
#include "matmul_bias_act_kernel.h"
