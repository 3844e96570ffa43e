// Wrong: adds to what the output holds already.
#define STORE(out, sum) (out) = assay::from_float<scalar_t>(assay::to_float(out) + (float)(sum))
#include "reduce_sum_rows.h"
