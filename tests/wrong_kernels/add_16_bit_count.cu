// Wrong: 2^16 elements at most, as a count of 16 bits has them.
#define WORKS(i, count) ((i) <= 0xffff)
#include "add_elements.h"
