// Wrong: powers below e^-20 of the largest are left out of the sum and of the result.
#define EXP(v) ((v) < -20.0f ? 0.0f : expf(v))
#include "softmax_row.h"
