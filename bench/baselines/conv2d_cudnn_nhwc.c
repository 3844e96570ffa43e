/* Baseline of `conv2d`: cuDNN on tensors with their channels last, the layout its tensor-core kernels are made for (conv2d_cudnn.h). */
#define CONV_CHANNELS_LAST 1
#include "bench/baselines/conv2d_cudnn.h"
