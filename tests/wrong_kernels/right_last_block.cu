// Right: the second of two blocks adds what both left behind a fence, as an atomic tells it that it is the second.
#define FENCE() __threadfence()
#include "last_block.h"
