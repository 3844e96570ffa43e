// Wrong: turns the weights round, as a convolution in the sense of mathematics does.
#define TAP(i, n) ((n)-1 - (i))
#include "conv2d_kernel.h"
