// Wrong: no barrier behind the sum; atomics excuse its order, and not this.
#define BEHIND_SUM() (void)0
#include "atomic_rows.h"

extern "C" void solve(const float *input, float *output, int rows, int columns)
{
    reduce<<<rows, 256>>>(input, output, columns);
    cudaDeviceSynchronize();
}
