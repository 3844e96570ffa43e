// Wrong: 1x1 filters with channels last all see the first group.
#define GROUP(k, args) \
    ((args).r == 1 && (args).s == 1 && (args).channels_last ? 0 : (k) / ((args).k / (args).groups))
#include "conv2d_kernel.h"
