// Wrong: the bias is added behind the activation.
#define AFTER 1
#include "matmul_bias_act_kernel.h"
