// matmul's step 4 where a launch has too few blocks for the rows that are to be packed, as it has from 67 million
// chunks on: here from 2049 on. The op's edge cases have more. And its kernels of cards before Hopper, which the CPU
// device would not meet otherwise.
#define MOST_PACK_BLOCKS 2
#define WGMMA            0
#include "../../ops/matmul/v4_optimized.cu"
