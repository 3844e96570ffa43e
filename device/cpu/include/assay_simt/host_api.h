/* The part of the CUDA runtime's host side that small kernel files call around their launches: memory, copies, waiting, errors.
 *
 * Launches are complete when they return here, so waiting does nothing, and "device" memory is memory that the host sees. Of
 * streams and events there is only the name: what depends on their order is right without them. */
#ifndef ASSAY_SIMT_HOST_API_H
#define ASSAY_SIMT_HOST_API_H

#include <assay_simt/builtins.h>

typedef assay_stream cudaStream_t;

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9
};
typedef cudaError_t cudaError;

enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };

namespace assay_simt
{
/* As CUDA has it: set by what fails, cleared by cudaGetLastError(). */
inline cudaError_t last_error = cudaSuccess;

inline cudaError_t note_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}
} // namespace assay_simt

inline cudaError_t cudaPeekAtLastError()
{
    return assay_simt::last_error;
}
inline cudaError_t cudaGetLastError()
{
    const cudaError_t error = assay_simt::last_error;
    assay_simt::last_error = cudaSuccess;
    return error;
}
inline const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess                     ? "no error"
           : error == cudaErrorInvalidValue         ? "invalid argument"
           : error == cudaErrorMemoryAllocation     ? "out of memory"
           : error == cudaErrorInvalidConfiguration ? "invalid configuration argument"
                                                    : "unknown error";
}
inline const char *cudaGetErrorName(cudaError_t error)
{
    return cudaGetErrorString(error);
}

inline cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
inline cudaError_t cudaThreadSynchronize()
{
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}

/* A stream of one's own is the one stream there is. */
inline cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    *stream = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    return cudaStreamCreate(stream);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;

/* Events order nothing, as everything before them is complete; the time between two is not measured, and never 0. */
typedef struct CUevent_st *cudaEvent_t;
inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr)
{
    return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0)
{
    return cudaSuccess;
}
inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1e-3f;
    return cudaSuccess;
}
inline cudaError_t cudaEventDestroy(cudaEvent_t)
{
    return cudaSuccess;
}

namespace assay_simt
{
template <class T>
inline cudaError_t allocate(T **pointer, size_t bytes, int use)
{
    *pointer = static_cast<T *>(assay_simt_memory_alloc_for(bytes, use));
    return note_error(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}

inline cudaError_t check_argument(int is_right)
{
    return note_error(is_right ? cudaSuccess : cudaErrorInvalidValue);
}
} // namespace assay_simt

template <class T>
inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return assay_simt::allocate(pointer, bytes, ASSAY_SIMT_DEVICE);
}
template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t)
{
    return cudaMalloc(pointer, bytes);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned = 1)
{
    return assay_simt::allocate(pointer, bytes, ASSAY_SIMT_MAPPED);
}
template <class T>
inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned = 0)
{
    return assay_simt::allocate(pointer, bytes, ASSAY_SIMT_MAPPED);
}
inline cudaError_t cudaFree(void *pointer)
{
    return assay_simt::check_argument(assay_simt_memory_free(pointer));
}
inline cudaError_t cudaFreeAsync(void *pointer, cudaStream_t)
{
    return cudaFree(pointer);
}
inline cudaError_t cudaFreeHost(void *pointer)
{
    return cudaFree(pointer);
}
inline cudaError_t cudaMemset(void *pointer, int value, size_t bytes)
{
    return assay_simt::check_argument(assay_simt_memory_set(pointer, value, bytes));
}
inline cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t = nullptr)
{
    return cudaMemset(pointer, value, bytes);
}
inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                           (kind == cudaMemcpyDefault && assay_simt_memory_is_device(to));
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                             (kind == cudaMemcpyDefault && assay_simt_memory_is_device(from));
    return assay_simt::check_argument(assay_simt_memory_copy(to, to_device, from, from_device, bytes));
}
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t = nullptr)
{
    return cudaMemcpy(to, from, bytes, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    memcpy(reinterpret_cast<char *>(&symbol) + offset, from, bytes);
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                        cudaMemcpyKind = cudaMemcpyDeviceToHost)
{
    memcpy(to, reinterpret_cast<const char *>(&symbol) + offset, bytes);
    return cudaSuccess;
}

/* Shared memory needs no permission here. */
template <class F>
inline cudaError_t cudaFuncSetAttribute(F, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F, cudaFuncCache)
{
    return cudaSuccess;
}

inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int)
{
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

/* What grids are sized by; the limits are those that launches are held to here. */
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor, major, minor;
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    *properties = cudaDeviceProp{};
    snprintf(properties->name, sizeof properties->name, "CPU SIMT device");
    properties->totalGlobalMem = size_t{1} << 33;
    properties->sharedMemPerBlock = 48 << 10;
    properties->multiProcessorCount = assay_simt_worker_count();
    properties->warpSize = warpSize;
    properties->maxThreadsPerBlock = 1024;
    properties->maxThreadsPerMultiProcessor = 2048;
    properties->major = 9;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
    *value = assay_simt_worker_count();
    return cudaSuccess;
}

#endif
