// Right: in double, a row a thread: what the wrong ones are a step away from.
#define LAYERNORM
#include "norm_kernel.h"
