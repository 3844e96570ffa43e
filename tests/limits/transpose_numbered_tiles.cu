// transpose's step 4 where a grid's y and z are too small for the tiles, as they are for 65536 matrices: here for four already, which
// a CPU can afford. The op's edge cases have both.
#define MOST_ACROSS 3
#include "../../ops/transpose/v4_optimized.cu"
