// Wrong: pads columns as it pads rows.
#define PADDING_W(args) (args).padding
#include "conv2d_kernel.h"
