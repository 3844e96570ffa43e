// With channels last a pointwise convolution of groups forgets its stride.
#define STRIDE(args) \
    ((args).channels_last && (args).r == 1 && (args).s == 1 && (args).groups > 1 ? 1 : (args).stride)
#include "conv2d_kernel.h"
