// Right: in double, a row a thread.
#include "reduce_sum_rows.h"
