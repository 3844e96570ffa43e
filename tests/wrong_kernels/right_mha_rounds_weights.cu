// Right: weights are rounded to the dtype, as tensor cores want them, before they multiply v.
#include <assay/kernel.h>
#define WEIGHT(p) assay::to_float(assay::from_float<scalar_t>(p))
#include "mha_kernel.h"
