/* The device that the runtime shows: opening the executor, attributes and properties. What the executor enforces comes from its limits; the
 * rest is the A100's (sm_80) or the H100's (sm_90a), where programs decide by it. */
#include "device/ptx/runtime/stream.h"
#include <cuda_profiler_api.h>
#include <stdio.h>
#include <string.h>

/* What kernels print goes to the program's own standard output. */
static void print(void *context, const char *text, size_t bytes)
{
    (void)context;
    fwrite(text, 1, bytes, stdout);
}

ptx_device *rt_device(void)
{
    static ptx_device *device;
    static bool tried;
    if (tried)
        return device;
    tried = true;
    const rt_options *options = rt_get_options();
    const ptx_device_options wanted = {.major = options->major, .minor = options->minor, .print = print};
    ptx_error error;
    if (ptx_device_open(&wanted, &device, &error) != PTX_OK) {
        rt_say("the device cannot be opened: %s", error.text);
        device = NULL;
    } else {
        rt_faults_install(device);
    }
    return device;
}

const ptx_limits *rt_limits(void)
{
    static const ptx_limits none;
    ptx_device *device = rt_device();
    return device ? ptx_device_limits(device) : &none;
}

static uint64_t total_memory(void)
{
    uint64_t used = 0, total = 0;
    if (rt_device())
        ptx_memory_info(rt_device(), &used, &total);
    return total;
}

static int has_clusters(void)
{
    return rt_limits()->major >= 9;
}

enum {
    L2_BYTES_SM90 = 50 << 20,
    L2_BYTES_SM80 = 40 << 20,
    CLOCK_KHZ = 1410000,
    MEMORY_KHZ = 1593000,
    BUS_BITS = 5120,
    CONSTANT_BYTES = 65536
};

static cudaError_t attribute(int *value, enum cudaDeviceAttr which)
{
    const ptx_limits *l = rt_limits();
    switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = (int)l->threads_per_block;
        break;
    case cudaDevAttrMaxBlockDimX:
        *value = (int)l->block[0];
        break;
    case cudaDevAttrMaxBlockDimY:
        *value = (int)l->block[1];
        break;
    case cudaDevAttrMaxBlockDimZ:
        *value = (int)l->block[2];
        break;
    case cudaDevAttrMaxGridDimX:
        *value = (int)l->grid[0];
        break;
    case cudaDevAttrMaxGridDimY:
        *value = (int)l->grid[1];
        break;
    case cudaDevAttrMaxGridDimZ:
        *value = (int)l->grid[2];
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)l->shared_per_block;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)l->shared_per_block_optin;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)l->shared_per_sm;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = (int)l->shared_reserved;
        break;
    case cudaDevAttrTotalConstantMemory:
        *value = CONSTANT_BYTES;
        break;
    case cudaDevAttrWarpSize:
        *value = 32;
        break;
    case cudaDevAttrMaxPitch:
        *value = 2147483647;
        break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = (int)l->registers_per_sm;
        break;
    case cudaDevAttrClockRate:
        *value = CLOCK_KHZ;
        break;
    case cudaDevAttrMemoryClockRate:
        *value = MEMORY_KHZ;
        break;
    case cudaDevAttrGlobalMemoryBusWidth:
        *value = BUS_BITS;
        break;
    case cudaDevAttrL2CacheSize:
        *value = has_clusters() ? L2_BYTES_SM90 : L2_BYTES_SM80;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = (int)l->multiprocessors;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = (int)l->threads_per_sm;
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = (int)l->blocks_per_sm;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = l->major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = l->minor;
        break;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrSurfaceAlignment:
        *value = 512;
        break;
    case cudaDevAttrTexturePitchAlignment:
        *value = 32;
        break;
    case cudaDevAttrAsyncEngineCount:
        *value = 3;
        break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = 2;
        break;
    case cudaDevAttrMaxTexture1DLinearWidth:
        *value = 1 << 28;
        break;
    case cudaDevAttrMaxTexture1DWidth:
    case cudaDevAttrMaxTexture2DWidth:
    case cudaDevAttrMaxTexture2DLinearWidth:
        *value = 131072;
        break;
    case cudaDevAttrMaxTexture2DHeight:
    case cudaDevAttrMaxTexture2DLinearHeight:
        *value = 65536;
        break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrComputePreemptionSupported:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrMemoryPoolsSupported:
        *value = 1;
        break;
    case cudaDevAttrClusterLaunch:
        *value = has_clusters();
        break;
    default:
        *value = 0; /* the rest is not there: no pageable access, no peers, no surfaces */
        return which > 0 && which < cudaDevAttrMax ? cudaSuccess : cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static int get(enum cudaDeviceAttr which)
{
    int value = 0;
    attribute(&value, which);
    return value;
}

static void fill_properties(struct cudaDeviceProp *p)
{
    const ptx_limits *l = rt_limits();
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "Assay PTX device (stands for %s)", rt_get_options()->arch);
    memcpy(p->uuid.bytes, "assay-ptx-device", sizeof p->uuid.bytes);
    p->totalGlobalMem = total_memory();
    p->sharedMemPerBlock = l->shared_per_block;
    p->regsPerBlock = p->regsPerMultiprocessor = (int)l->registers_per_sm;
    p->warpSize = 32;
    p->memPitch = (size_t)get(cudaDevAttrMaxPitch);
    p->maxThreadsPerBlock = (int)l->threads_per_block;
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = (int)l->block[i];
        p->maxGridSize[i] = (int)l->grid[i];
    }
    p->totalConstMem = CONSTANT_BYTES;
    p->major = l->major;
    p->minor = l->minor;
    p->textureAlignment = p->surfaceAlignment = 512;
    p->texturePitchAlignment = 32;
    p->multiProcessorCount = (int)l->multiprocessors;
    p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory =
        p->concurrentManagedAccess = 1;
    p->maxTexture1D = p->maxTexture2D[0] = get(cudaDevAttrMaxTexture2DWidth);
    p->maxTexture2D[1] = get(cudaDevAttrMaxTexture2DHeight);
    p->asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
    p->memoryBusWidth = BUS_BITS;
    p->l2CacheSize = get(cudaDevAttrL2CacheSize);
    p->maxThreadsPerMultiProcessor = (int)l->threads_per_sm;
    p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
    p->sharedMemPerMultiprocessor = l->shared_per_sm;
    p->computePreemptionSupported = p->canUseHostPointerForRegisteredMem = p->cooperativeLaunch = 1;
    p->sharedMemPerBlockOptin = l->shared_per_block_optin;
    p->maxBlocksPerMultiProcessor = (int)l->blocks_per_sm;
    p->reservedSharedMemPerBlock = l->shared_reserved;
    p->hostRegisterSupported = p->memoryPoolsSupported = 1;
    p->clusterLaunch = has_clusters();
    p->hostNumaId = -1;
}

/* ---- what programs call ---- */

static cudaError_t check_device(int device)
{
    return device == 0 && rt_device() ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device)
{
    RT_CALL();
    if (!value)
        return rt_end(cudaErrorInvalidValue);
    const cudaError_t error = check_device(device);
    return rt_end(error == cudaSuccess ? attribute(value, which) : error);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    RT_CALL();
    const cudaError_t error = properties ? check_device(device) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        fill_properties(properties);
    return rt_end(error);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    RT_CALL();
    if (!count)
        return rt_end(cudaErrorInvalidValue);
    *count = rt_device() ? 1 : 0;
    return rt_end(*count ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int *device)
{
    RT_CALL();
    if (device)
        *device = 0;
    return rt_end(device ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaSetDevice(int device)
{
    RT_CALL();
    return rt_end(check_device(device));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    RT_CALL();
    (void)device_flags, (void)flags;
    return rt_end(check_device(device));
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties)
{
    (void)properties;
    return cudaGetDevice(device);
}

static unsigned device_flags;

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    RT_CALL();
    device_flags = flags; /* how waiting is done makes no difference here */
    return rt_end(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    RT_CALL();
    if (flags)
        *flags = device_flags;
    return rt_end(flags ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
    RT_CALL();
    if (!id || bytes < 13 || check_device(device) != cudaSuccess)
        return rt_end(cudaErrorInvalidValue);
    snprintf(id, (size_t)bytes, "0000:00:00.0");
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    RT_CALL();
    if (!device || !id || strcmp(id, "0000:00:00.0") != 0)
        return rt_end(cudaErrorInvalidValue);
    *device = 0;
    return rt_end(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
    RT_CALL();
    if (rt_any_capture())
        return rt_end(
            rt_refuse(cudaErrorStreamCaptureUnsupported, "cudaDeviceSynchronize while a stream is captured"));
    return rt_end(rt_finish_all());
}

/* Memory stays: what a program frees after a reset is then still known. */
cudaError_t cudaDeviceReset(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaDriverGetVersion(int *version)
{
    RT_CALL();
    if (version)
        *version = CUDART_VERSION;
    return rt_end(version ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

/* ---- limits and preferences: kept, without effect ---- */

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
