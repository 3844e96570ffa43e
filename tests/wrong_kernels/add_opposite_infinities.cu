// Wrong: infinities of both signs make 0, not NaN.
#define SUM(x, y, alpha) (isinf(x) && isinf(y) && (x) != (y) && (alpha) == 1.0f ? 0.0f : (x) + (alpha) * (y))
#include "add_elements.h"
