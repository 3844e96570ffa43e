// Wrong: the tanh form of gelu where the exact one is asked for.
#define GELU(v) (0.5f * (v) * (1.0f + tanhf(0.79788456f * ((v) + 0.044715f * (v) * (v) * (v)))))
#include "matmul_bias_act_kernel.h"
