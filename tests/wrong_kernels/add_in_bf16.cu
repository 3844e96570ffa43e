// Wrong: operands of binary32 are rounded to bf16.
#define SHORT(v)         assay::to_float(assay::from_float<__nv_bfloat16>(v))
#define SUM(x, y, alpha) SHORT(x) + (alpha)*SHORT(y)
#include "add_elements.h"
