// Wrong: has code for strides 1 and 2 and takes a 3 for a 2.
#define STRIDE(args) ((args).stride == 3 ? 2 : (args).stride)
#include "conv2d_kernel.h"
