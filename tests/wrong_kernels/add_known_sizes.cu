// Wrong: computes the powers of two that sizes are, and the last quarter of nothing else.
#define WORKS(i, count) (((count) & ((count)-1)) == 0 || (i) < (count) - (count) / 4)
#include "add_elements.h"
