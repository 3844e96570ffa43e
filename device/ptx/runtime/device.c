/* The device that the runtime shows: opening the executor, attributes and properties. What the executor enforces comes from its limits; the
 * rest is the A100's (sm_80) or the H100's (sm_90a), where programs decide by it. */
#include "device/ptx/runtime/stream.h"
#include <limits.h>
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

typedef struct attribute_entry {
    enum cudaDeviceAttr which;
    int value;
} attribute_entry;

/* The rest is 0, for it is not there: no pageable access, no peers, no surfaces. */
static const attribute_entry constants[] = {
    {cudaDevAttrTotalConstantMemory, CONSTANT_BYTES},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, INT_MAX},
    {cudaDevAttrClockRate, CLOCK_KHZ},
    {cudaDevAttrMemoryClockRate, MEMORY_KHZ},
    {cudaDevAttrGlobalMemoryBusWidth, BUS_BITS},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28},
    {cudaDevAttrMaxTexture1DWidth, 131072},
    {cudaDevAttrMaxTexture2DWidth, 131072},
    {cudaDevAttrMaxTexture2DHeight, 65536},
    {cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {cudaDevAttrMaxTexture2DLinearHeight, 65536},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
};

static const attribute_entry *find_attribute(const attribute_entry *entries, size_t count,
                                             enum cudaDeviceAttr which)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i].which == which)
            return &entries[i];
    return NULL;
}

static cudaError_t attribute(int *value, enum cudaDeviceAttr which)
{
    const ptx_limits *l = rt_limits();
    const attribute_entry limited[] = {
        {cudaDevAttrMaxThreadsPerBlock, (int)l->threads_per_block},
        {cudaDevAttrMaxBlockDimX, (int)l->block[0]},
        {cudaDevAttrMaxBlockDimY, (int)l->block[1]},
        {cudaDevAttrMaxBlockDimZ, (int)l->block[2]},
        {cudaDevAttrMaxGridDimX, (int)l->grid[0]},
        {cudaDevAttrMaxGridDimY, (int)l->grid[1]},
        {cudaDevAttrMaxGridDimZ, (int)l->grid[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (int)l->shared_per_block},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)l->shared_per_block_optin},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)l->shared_per_sm},
        {cudaDevAttrReservedSharedMemoryPerBlock, (int)l->shared_reserved},
        {cudaDevAttrMaxRegistersPerBlock, (int)l->registers_per_sm},
        {cudaDevAttrMaxRegistersPerMultiprocessor, (int)l->registers_per_sm},
        {cudaDevAttrMultiProcessorCount, (int)l->multiprocessors},
        {cudaDevAttrMaxThreadsPerMultiProcessor, (int)l->threads_per_sm},
        {cudaDevAttrMaxBlocksPerMultiprocessor, (int)l->blocks_per_sm},
        {cudaDevAttrComputeCapabilityMajor, l->major},
        {cudaDevAttrComputeCapabilityMinor, l->minor},
        {cudaDevAttrL2CacheSize, has_clusters() ? L2_BYTES_SM90 : L2_BYTES_SM80},
        {cudaDevAttrClusterLaunch, has_clusters()},
    };
    const attribute_entry *found = find_attribute(limited, sizeof limited / sizeof limited[0], which);
    if (!found)
        found = find_attribute(constants, sizeof constants / sizeof constants[0], which);
    *value = found ? found->value : 0;
    return which > 0 && which < cudaDevAttrMax ? cudaSuccess : cudaErrorInvalidValue;
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
