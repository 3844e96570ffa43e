/* The driver's interface (cuda.h): memory pools, managed memory, and what streams are asked for. Handles, numbers of attributes and functions
 * of the host are those of the runtime. */
#include "device/ptx/runtime/driver.h"

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
    return driver_code(cudaDeviceGetMemPool(pool, device));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    return driver_code(cudaDeviceGetDefaultMemPool(pool, device));
}

/* Places and kinds of allocations have the same numbers in both interfaces. */
CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    const bool is_device = location && location->type == CU_MEM_LOCATION_TYPE_DEVICE;
    return is_device && type == CU_MEM_ALLOCATION_TYPE_PINNED ? cuDeviceGetDefaultMemPool(pool, location->id)
                                                              : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
    return driver_code(cudaMemPoolDestroy(pool));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    return driver_code(cudaMemPoolTrimTo(pool, bytes));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value)
{
    return driver_code(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)which, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute which, void *value)
{
    return driver_code(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)which, value));
}

CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream)
{
    return driver_code(cudaMallocAsync((void **)(void *)address, bytes, stream));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream)
{
    return driver_code(cudaMallocFromPoolAsync((void **)(void *)address, bytes, pool, stream));
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream)
{
    return driver_code(cudaFreeAsync((void *)(uintptr_t)address, stream));
}

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags)
{
    return driver_code(cudaMallocManaged((void **)(void *)address, bytes, flags));
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
    return driver_code(cudaStreamCreateWithPriority(stream, flags, priority));
}

CUresult cuStreamGetPriority(CUstream stream, int *priority)
{
    return driver_code(cudaStreamGetPriority(stream, priority));
}

CUresult cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
    return driver_code(cudaStreamGetFlags(stream, flags));
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id)
{
    return driver_code(cudaStreamGetId(stream, id));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
    return driver_code(cudaLaunchHostFunc(stream, function, data));
}

/* Copies whose direction the addresses tell. */
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return driver_code(cudaMemcpyAsync((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes,
                                       cudaMemcpyDefault, stream));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return driver_code(
        cudaMemcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes, cudaMemcpyDefault));
}
