/* The driver's interface, continued (driver.c): memory, streams and events. */
#include "device/ptx/runtime/driver.h"
#include <string.h>

CUresult driver_code(cudaError_t error)
{
    switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
        return CUDA_ERROR_INVALID_HANDLE;
    case cudaErrorInvalidSymbol:
        return CUDA_ERROR_NOT_FOUND;
    default:
        return (CUresult)error;
    }
}

/* ---- memory ---- */

static void *at(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes)
{
    RT_CALL_AS(CUresult);
    void *pointer = NULL;
    const cudaError_t error =
        address && bytes ? rt_malloc(&pointer, bytes, "cuMemAlloc") : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *address = (CUdeviceptr)(uintptr_t)pointer;
    return driver_code(rt_end(error));
}

CUresult cuMemFree(CUdeviceptr address)
{
    return driver_code(cudaFree(at(address)));
}

CUresult cuMemAllocHost(void **pointer, size_t bytes)
{
    return driver_code(cudaMallocHost(pointer, bytes));
}

CUresult cuMemFreeHost(void *pointer)
{
    return driver_code(cudaFreeHost(pointer));
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    return driver_code(cudaMemGetInfo(free_bytes, total_bytes));
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return driver_code(cudaMemcpy(at(to), from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return driver_code(cudaMemcpy(to, at(from), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return driver_code(cudaMemcpy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return driver_code(cudaMemcpyAsync(at(to), from, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return driver_code(cudaMemcpyAsync(to, at(from), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return driver_code(cudaMemcpyAsync(at(to), at(from), bytes, cudaMemcpyDeviceToDevice, stream));
}

static CUresult fill(CUdeviceptr to, uint32_t value, int element, size_t count, CUstream handle)
{
    RT_CALL_AS(CUresult);
    const cudaStream_t stream = rt_find_stream(handle);
    rt_work work = {
        .kind = RT_FILL,
        .as.fill = {
            .to = at(to), .value = value, .element = element, .width = count, .height = 1, .depth = 1}};
    cudaError_t error = stream ? rt_fill_check(&work.as.fill) : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess && count > 0)
        error = rt_enqueue(stream, &work);
    return driver_code(rt_end(error));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill(to, value, 1, count, 0);
}

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count)
{
    return fill(to, value, 4, count, 0);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    return fill(to, value, 1, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream)
{
    return fill(to, value, 4, count, stream);
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute which, CUdeviceptr address)
{
    struct cudaPointerAttributes a;
    const cudaError_t error = data ? cudaPointerGetAttributes(&a, at(address)) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return driver_code(error);
    if (a.type == cudaMemoryTypeUnregistered)
        return CUDA_ERROR_INVALID_VALUE;
    if (which == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
        memcpy(data, &a.devicePointer, sizeof a.devicePointer);
    else if (which == CU_POINTER_ATTRIBUTE_HOST_POINTER)
        memcpy(data, &a.hostPointer, sizeof a.hostPointer);
    else if (which == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        memcpy(data, &a.device, sizeof a.device);
    else if (which == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        memcpy(data,
               &(CUmemorytype){a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE},
               sizeof(CUmemorytype));
    else
        return CUDA_ERROR_NOT_SUPPORTED;
    return CUDA_SUCCESS;
}

/* ---- streams and events ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    return driver_code(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamDestroy(CUstream stream)
{
    return driver_code(cudaStreamDestroy(stream));
}

CUresult cuStreamSynchronize(CUstream stream)
{
    return driver_code(cudaStreamSynchronize(stream));
}

CUresult cuStreamQuery(CUstream stream)
{
    return driver_code(cudaStreamQuery(stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    return driver_code(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    return driver_code(cudaStreamIsCapturing(stream, (enum cudaStreamCaptureStatus *)status));
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    return driver_code(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    return driver_code(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event)
{
    return driver_code(cudaEventSynchronize(event));
}

CUresult cuEventQuery(CUevent event)
{
    return driver_code(cudaEventQuery(event));
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    return driver_code(cudaEventElapsedTime(ms, start, end));
}

CUresult cuEventDestroy(CUevent event)
{
    return driver_code(cudaEventDestroy(event));
}
