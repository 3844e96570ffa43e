/* Memory as programs see it: allocations, pointers, pools. */
#include "device/ptx/runtime/stream.h"
#include <stdlib.h>
#include <string.h>

/* ---- allocations ---- */

cudaError_t cudaMalloc(void **pointer, size_t bytes)
{
    RT_CALL();
    return rt_end(pointer ? rt_malloc(pointer, bytes, "cudaMalloc") : cudaErrorInvalidValue);
}

/* Waits for the device, as a card's does: kernels may still use the memory. */
cudaError_t cudaFree(void *pointer)
{
    RT_CALL();
    if (!pointer)
        return rt_end(rt_device() ? cudaSuccess : cudaErrorNoDevice);
    const cudaError_t error = rt_finish_all();
    return rt_end(error == cudaSuccess ? rt_free(pointer) : error);
}

enum { PITCH = 512 };

static size_t pitch_of(size_t width)
{
    return (width + PITCH - 1) / PITCH * PITCH;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    RT_CALL();
    if (!pointer || !pitch)
        return rt_end(cudaErrorInvalidValue);
    *pitch = pitch_of(width);
    return rt_end(rt_malloc(pointer, *pitch * height, "cudaMallocPitch"));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    RT_CALL();
    if (!pitched)
        return rt_end(cudaErrorInvalidValue);
    *pitched = (struct cudaPitchedPtr){
        .pitch = pitch_of(extent.width), .xsize = extent.width, .ysize = extent.height};
    return rt_end(rt_malloc(&pitched->ptr, pitched->pitch * extent.height * extent.depth, "cudaMalloc3D"));
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags)
{
    RT_CALL();
    if (!pointer || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
        return rt_end(cudaErrorInvalidValue);
    return rt_end(rt_malloc_host(pointer, bytes, RT_MANAGED));
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
    RT_CALL();
    (void)flags; /* every kind of pinned memory is mapped and portable here */
    return rt_end(pointer ? rt_malloc_host(pointer, bytes, RT_PINNED) : cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes)
{
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *pointer)
{
    RT_CALL();
    const cudaError_t error = rt_finish_all();
    return rt_end(error == cudaSuccess ? rt_free_host(pointer) : error);
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags)
{
    RT_CALL();
    (void)flags;
    return rt_end(pointer && bytes ? rt_register_host(pointer, bytes) : cudaErrorInvalidValue);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    RT_CALL();
    const cudaError_t error = rt_finish_all();
    return rt_end(error == cudaSuccess ? rt_unregister_host(pointer) : error);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    RT_CALL();
    (void)flags;
    const rt_memory_kind kind = rt_memory_of(host);
    if (!device || (kind != RT_PINNED && kind != RT_REGISTERED))
        return rt_end(cudaErrorInvalidValue);
    *device = host;
    return rt_end(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    RT_CALL();
    if (!flags || rt_memory_of(host) != RT_PINNED)
        return rt_end(cudaErrorInvalidValue);
    *flags = cudaHostAllocMapped;
    return rt_end(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    RT_CALL();
    uint64_t used = 0, total = 0;
    if (!rt_device())
        return rt_end(cudaErrorNoDevice);
    ptx_memory_info(rt_device(), &used, &total);
    if (free_bytes)
        *free_bytes = total - used;
    if (total_bytes)
        *total_bytes = total;
    return rt_end(cudaSuccess);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    RT_CALL();
    rt_memory_kind kind;
    void *start;
    size_t bytes;
    if (!attributes)
        return rt_end(cudaErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    rt_find_allocation(pointer, &kind, &start, &bytes);
    if (kind == RT_PAGEABLE) {
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        attributes->hostPointer = (void *)(uintptr_t)pointer;
        return rt_end(cudaSuccess);
    }
    attributes->type = kind == RT_DEVICE    ? cudaMemoryTypeDevice
                       : kind == RT_MANAGED ? cudaMemoryTypeManaged
                                            : cudaMemoryTypeHost;
    attributes->devicePointer = (void *)(uintptr_t)pointer;
    attributes->hostPointer = kind == RT_DEVICE ? NULL : (void *)(uintptr_t)pointer;
    return rt_end(cudaSuccess);
}

/* ---- hints on managed memory: both sides see it at all times here ---- */

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    RT_CALL();
    (void)bytes, (void)location, (void)flags;
    if (!rt_find_stream(stream))
        return rt_end(cudaErrorInvalidResourceHandle);
    return rt_end(rt_memory_of(pointer) == RT_MANAGED ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    RT_CALL();
    (void)bytes, (void)advice, (void)location;
    return rt_end(rt_memory_of(pointer) == RT_MANAGED ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- allocations in stream order; every pool is the one heap ---- */

static struct CUmemPoolHandle_st {
    uint64_t release_threshold;
} default_pool;

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream)
{
    RT_CALL();
    if (!pointer || !rt_find_stream(stream))
        return rt_end(pointer ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (rt_is_capturing(rt_find_stream(stream)))
        return rt_end(rt_refuse(cudaErrorNotSupported, "cudaMallocAsync in a captured stream"));
    return rt_end(rt_malloc(pointer, bytes, "cudaMallocAsync"));
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    (void)pool;
    return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t handle)
{
    RT_CALL();
    const cudaStream_t stream = rt_find_stream(handle);
    rt_work work = {.kind = RT_FREE, .as.pointer = pointer};
    if (!stream)
        return rt_end(cudaErrorInvalidResourceHandle);
    return rt_end(rt_enqueue(stream, &work));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    RT_CALL();
    if (!pool || device != 0)
        return rt_end(cudaErrorInvalidValue);
    *pool = &default_pool;
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    RT_CALL();
    return rt_end(device == 0 && pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    RT_CALL();
    if (!pool || !properties)
        return rt_end(cudaErrorInvalidValue);
    *pool = calloc(1, sizeof **pool);
    return rt_end(*pool ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    RT_CALL();
    if (!pool || pool == &default_pool)
        return rt_end(cudaErrorInvalidValue);
    free(pool);
    return rt_end(cudaSuccess);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes)
{
    RT_CALL();
    (void)bytes;
    return rt_end(pool ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    RT_CALL();
    if (!pool || !value)
        return rt_end(cudaErrorInvalidValue);
    if (which == cudaMemPoolAttrReleaseThreshold)
        memcpy(&pool->release_threshold, value, sizeof pool->release_threshold);
    return rt_end(cudaSuccess);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value)
{
    RT_CALL();
    uint64_t used = 0, total = 0;
    if (!pool || !value)
        return rt_end(cudaErrorInvalidValue);
    if (rt_device())
        ptx_memory_info(rt_device(), &used, &total);
    switch (which) {
    case cudaMemPoolAttrReleaseThreshold:
        memcpy(value, &pool->release_threshold, sizeof pool->release_threshold);
        break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrUsedMemHigh:
        memcpy(value, &used, sizeof used);
        break;
    default:
        memcpy(value, &(int){1}, sizeof(int));
    }
    return rt_end(cudaSuccess);
}
