// Wrong: ignores the dilation where each channel has one filter.
#define DILATION(args) ((args).groups == (args).c && (args).k == (args).c ? 1 : (args).dilation)
#include "conv2d_kernel.h"
