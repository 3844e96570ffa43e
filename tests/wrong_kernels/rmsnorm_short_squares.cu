// Wrong: squares are rounded to 8 bits before they are added.
#define SQUARE(v) (double)assay::to_float(assay::from_float<__nv_bfloat16>((float)((v) * (v))))
#include "norm_kernel.h"
