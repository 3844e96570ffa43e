// Wrong: the dilation is taken for 1.
#define DILATION(args) 1
#include "conv2d_kernel.h"
