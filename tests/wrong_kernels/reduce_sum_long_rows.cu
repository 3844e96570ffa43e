// Wrong: what lies behind 2^19 elements of a row is left out.
#define LENGTH(n) ((n) < 524288 ? (n) : 524288)
#include "reduce_sum_rows.h"
