// Wrong: what lies within a hundredth of 1 is taken for 1.
#define SUM(x, y, alpha) (fabsf((alpha)-1.0f) < 0.01f ? (x) + (y) : (x) + (alpha) * (y))
#include "add_elements.h"
