// matmul's step 4 where a grid's y is too small for the rows that are to be packed, as it is from 524281 on: here from 17 on. The op's edge
// cases have more.
#define MOST_DOWN 2
#include "../../ops/matmul/v4_optimized.cu"
