// Wrong: e to the power of v by a polynomial of three terms: right to a thousandth.
#include <math.h>
static __device__ inline float rough_exp(float v)
{
    const float t = v * 1.44269504f, whole = floorf(t), part = t - whole;
    return ldexpf(1.0f + part * (0.6951786f + part * 0.3048214f) - 0.0787f * part * (1.0f - part) * 0.5f,
                  (int)whole);
}
#define EXP(v) rough_exp(v)
#include "softmax_row.h"
