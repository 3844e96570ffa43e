// Wrong: alpha multiplies the other operand.
#define SUM(x, y, alpha) (alpha) * (x) + (y)
#include "add_elements.h"
