// Wrong: 1 / sqrt(dim), whatever scale is asked for.
#define SCALE(args) rsqrtf((float)(args).dim)
#include "mha_kernel.h"
