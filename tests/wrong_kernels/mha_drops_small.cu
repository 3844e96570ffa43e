// Wrong: weights below a thousandth of the largest are dropped, however many they are.
#define KEEP(p)  ((p) >= 1e-3f)
#define STORE(x) assay::from_float<scalar_t>(x)
#include "mha_kernel.h"
