// Right: one thread an output, in double.
#include "conv2d_kernel.h"
