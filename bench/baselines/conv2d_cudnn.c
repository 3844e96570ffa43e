/* Baseline of `conv2d`: cuDNN on tensors with their channels first, NCHW (conv2d_cudnn.h). */
#define CONV_CHANNELS_LAST 0
#include "bench/baselines/conv2d_cudnn.h"
