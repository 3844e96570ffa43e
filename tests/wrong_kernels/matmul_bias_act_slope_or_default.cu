// Wrong: takes a slope of 0 for one that was not given.
#define SLOPE(args) ((args).negative_slope != 0.0f ? (args).negative_slope : 0.01f)
#include "matmul_bias_act_kernel.h"
