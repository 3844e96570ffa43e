/* What programs may set of a device and ask for again, without effect here. */
#include "device/ptx/runtime/stream.h"
#include <cuda_profiler_api.h>

enum { LIMITS = 16 };
static size_t limits[LIMITS] = {
    [cudaLimitStackSize] = 1024, [cudaLimitPrintfFifoSize] = 1 << 20, [cudaLimitMallocHeapSize] = 8 << 20};

cudaError_t cudaDeviceSetLimit(enum cudaLimit which, size_t value)
{
    RT_CALL();
    if ((unsigned)which >= LIMITS)
        return rt_end(cudaErrorUnsupportedLimit);
    limits[which] = value;
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit which)
{
    RT_CALL();
    if (!value || (unsigned)which >= LIMITS)
        return rt_end(cudaErrorUnsupportedLimit);
    *value = limits[which];
    return rt_end(cudaSuccess);
}

static enum cudaFuncCache cache_preference = cudaFuncCachePreferNone;

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache preference)
{
    RT_CALL();
    cache_preference = preference;
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *preference)
{
    RT_CALL();
    if (preference)
        *preference = cache_preference;
    return rt_end(preference ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RT_CALL();
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RT_CALL();
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    RT_CALL();
    (void)device, (void)peer;
    if (can)
        *can = 0;
    return rt_end(can ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaProfilerStart(void)
{
    RT_CALL();
    return rt_end(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
    RT_CALL();
    return rt_end(cudaSuccess);
}
