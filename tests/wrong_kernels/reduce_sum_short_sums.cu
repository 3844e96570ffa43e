// Wrong: sums are kept in 11 bits, as those of f16 are.
#define ADD(sum, v) (double)assay::to_float(assay::from_float<__half>((float)((sum) + (v))))
#include "reduce_sum_rows.h"
