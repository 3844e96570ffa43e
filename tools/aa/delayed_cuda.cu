// The delay on a GPU: one thread counts clocks. Clocks and not %globaltimer, whose steps can be longer than
// the delay.
#include "tools/aa/delayed.h"
#include <cuda_runtime.h>

static __global__ void spin(long long clocks)
{
    const long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

// Of the clock that memory-bound kernels run at: the highest. Under a power cap both the kernel and the delay
// take longer.
static double clocks_per_ns()
{
    static double known;
    int khz = 0;
    if (known == 0.0 && cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0) == cudaSuccess)
        known = khz * 1e-6;
    return known;
}

extern "C" assay_status delayed_delay(double ns, assay_stream stream)
{
    spin<<<1, 1, 0, stream>>>((long long)(ns * clocks_per_ns()));
    return cudaGetLastError() == cudaSuccess ? ASSAY_OK : ASSAY_ERR_DEVICE;
}
