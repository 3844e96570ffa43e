// Wrong: takes the stride along h for that along w where channels lie last and come in groups.
#define STRIDE_W(args) ((args).channels_last && (args).groups > 1 ? (args).stride : (args).stride_w)
#include "conv2d_kernel.h"
