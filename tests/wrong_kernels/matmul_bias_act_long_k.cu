// Wrong: where K is split the last part forgets the leaky relu.
#define ACTIVATION(args)                                                                        \
    ((args).k >= 1000 && (args).activation == MATMUL_BIAS_ACT_LEAKY_RELU ? MATMUL_BIAS_ACT_NONE \
                                                                         : (args).activation)
#include "matmul_bias_act_kernel.h"
