/* The driver's interface (cuda.h): the device, its context, and the names of errors. There is one device with one context. */
#include "device/ptx/runtime/driver.h"
#include <stdio.h>
#include <string.h>

static struct CUctx_st {
    int device;
} the_context;

CUresult cuInit(unsigned int flags)
{
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : rt_device() ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int *version)
{
    return driver_code(cudaDriverGetVersion(version));
}

CUresult cuDeviceGetCount(int *count)
{
    return driver_code(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (ordinal != 0 || !device)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        snprintf(name, (size_t)bytes, "%s", properties.name);
    return driver_code(error);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        memcpy(uuid, &properties.uuid, sizeof *uuid);
    return driver_code(error);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    (void)device;
    return driver_code(cudaMemGetInfo(NULL, bytes));
}

/* The numbers of both interfaces' attributes are the same. */
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device)
{
    return driver_code(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)which, device));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (device != 0 || !context)
        return CUDA_ERROR_INVALID_DEVICE;
    *context = &the_context;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    return cuDevicePrimaryCtxRetain(context, 0);
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    return context == NULL || context == &the_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device)
{
    (void)params, (void)flags;
    return cuDevicePrimaryCtxRetain(context, device);
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    return cuCtxSetCurrent(context);
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    return context ? cuDevicePrimaryCtxRetain(context, 0) : CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context)
{
    return cuCtxSetCurrent(context);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return cuDeviceGet(device, 0);
}

/* The numbers of both interfaces' limits are the same. */
CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
    return driver_code(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
    return driver_code(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return driver_code(cudaDeviceGetStreamPriorityRange(least, greatest));
}

CUresult cuCtxSynchronize(void)
{
    return driver_code(cudaDeviceSynchronize());
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    *name = cudaGetErrorName((cudaError_t)error);
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    (void)stream;
    return cuCtxGetCurrent(context);
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
    if (green)
        *green = NULL; /* there are none */
    return cuStreamGetCtx(stream, context);
}
