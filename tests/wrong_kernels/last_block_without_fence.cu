// Wrong: no fence between the writes and the atomic: the second block may not see what the first one wrote.
#define FENCE() (void)0
#include "last_block.h"
