/* Kernels as programs see them: launches, attributes, occupancy. */
#include "device/ptx/runtime/stream.h"
#include <stdlib.h>
#include <string.h>

/* ---- launches ---- */

static cudaError_t launch(const void *function, const cudaLaunchConfig_t *config, void **args)
{
    RT_CALL();
    rt_kernel *kernel;
    rt_work work;
    cudaStream_t stream = rt_find_stream(config->stream);
    cudaError_t error = stream ? rt_find_kernel(function, &kernel) : cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error = rt_launch_make(kernel, config, args, NULL, 0, &work);
    if (error == cudaSuccess)
        error = rt_enqueue(stream, &work);
    return rt_end(error);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args)
{
    if (config)
        return launch(function, config, args);
    RT_CALL();
    return rt_end(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream)
{
    const cudaLaunchConfig_t config = {
        .gridDim = grid, .blockDim = block, .dynamicSmemBytes = shared, .stream = stream};
    return launch(function, &config, args);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    cudaLaunchAttribute cooperative = {.id = cudaLaunchAttributeCooperative, .val.cooperative = 1};
    const cudaLaunchConfig_t config = {.gridDim = grid,
                                       .blockDim = block,
                                       .dynamicSmemBytes = shared,
                                       .stream = stream,
                                       .attrs = &cooperative,
                                       .numAttrs = 1};
    return launch(function, &config, args);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

/* What stands between <<< and >>> is pushed by the caller and popped by the kernel's stub. */
enum { MOST_PUSHED = 64 };
static __thread struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed[MOST_PUSHED];
static __thread unsigned pushed_count;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (pushed_count == MOST_PUSHED)
        return 1;
    pushed[pushed_count].grid = grid;
    pushed[pushed_count].block = block;
    pushed[pushed_count].shared = shared;
    pushed[pushed_count++].stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (pushed_count == 0)
        return cudaErrorMissingConfiguration;
    pushed_count--;
    *grid = pushed[pushed_count].grid;
    *block = pushed[pushed_count].block;
    *shared = pushed[pushed_count].shared;
    memcpy(stream, &pushed[pushed_count].stream, sizeof(cudaStream_t));
    return cudaSuccess;
}

/* ---- handles ---- */

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = out ? rt_find_kernel(host, &kernel) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = (cudaKernel_t)(void *)kernel;
    return rt_end(error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host)
{
    return cudaGetKernel((cudaKernel_t *)(void *)out, host);
}

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = name ? rt_find_kernel(function, &kernel) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *name = kernel->name;
    return rt_end(error);
}

cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes)
{
    RT_CALL();
    rt_kernel *kernel;
    cudaError_t error = rt_find_kernel(function, &kernel);
    if (error == cudaSuccess) {
        const ptx_function_info *f = ptx_function_describe(kernel->function);
        if (index >= f->param_count || !offset)
            error = cudaErrorInvalidValue;
        else
            *offset = f->params[index].offset;
        if (error == cudaSuccess && bytes)
            *bytes = f->params[index].bytes;
    }
    return rt_end(error);
}

/* ---- attributes ---- */

static uint32_t most_dynamic(const rt_kernel *k)
{
    const uint32_t usual = rt_limits()->shared_per_block,
                   fixed = ptx_function_describe(k->function)->static_shared;
    return k->max_dynamic ? k->max_dynamic : fixed < usual ? usual - fixed : 0;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = attributes ? rt_find_kernel(function, &kernel) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_end(error);
    const ptx_function_info *f = ptx_function_describe(kernel->function);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = f->static_shared;
    attributes->constSizeBytes = f->const_bytes;
    attributes->localSizeBytes = f->local_bytes;
    attributes->maxThreadsPerBlock = (int)f->max_threads;
    attributes->numRegs = (int)f->registers;
    attributes->ptxVersion = f->target;
    attributes->binaryVersion = rt_limits()->major * 10 + rt_limits()->minor;
    attributes->maxDynamicSharedSizeBytes = (int)most_dynamic(kernel);
    attributes->preferredShmemCarveout = kernel->carveout;
    attributes->clusterDimMustBeSet = f->explicit_cluster;
    attributes->requiredClusterWidth = (int)f->required_cluster[0];
    attributes->requiredClusterHeight = (int)f->required_cluster[1];
    attributes->requiredClusterDepth = (int)f->required_cluster[2];
    attributes->nonPortableClusterSizeAllowed = kernel->nonportable_cluster;
    return rt_end(cudaSuccess);
}

static cudaError_t set_attribute(rt_kernel *kernel, enum cudaFuncAttribute which, int value)
{
    const uint32_t fixed = ptx_function_describe(kernel->function)->static_shared,
                   most = rt_limits()->shared_per_block_optin;
    switch (which) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (uint32_t)value + fixed > most)
            return rt_refuse(cudaErrorInvalidValue,
                             "%s: %d bytes of dynamic and %u of static shared memory, a block has %u",
                             kernel->name, value, fixed, most);
        kernel->max_dynamic = (uint32_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        kernel->carveout = value;
        return value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        kernel->nonportable_cluster = value;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute which, int value)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = rt_find_kernel(function, &kernel);
    return rt_end(error == cudaSuccess ? set_attribute(kernel, which, value) : error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute which, int value,
                                            int device)
{
    (void)device;
    return cudaFuncSetAttribute(kernel, which, value);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache preference)
{
    RT_CALL();
    (void)preference;
    rt_kernel *kernel;
    return rt_end(rt_find_kernel(function, &kernel));
}

/* ---- occupancy ---- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                                   int threads, size_t shared,
                                                                   unsigned int flags)
{
    RT_CALL();
    (void)flags;
    rt_kernel *kernel;
    const cudaError_t error =
        blocks && threads > 0 ? rt_find_kernel(function, &kernel) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *blocks = (int)ptx_function_blocks_per_sm(kernel->function, (uint32_t)threads, (uint32_t)shared);
    return rt_end(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                  cudaOccupancyDefault);
}

/* The most that leaves room for `blocks` of them. */
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                                      int threads)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error =
        bytes && blocks > 0 && threads > 0 ? rt_find_kernel(function, &kernel) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_end(error);
    const ptx_limits *l = rt_limits();
    const uint32_t fixed = ptx_function_describe(kernel->function)->static_shared + l->shared_reserved;
    const uint32_t share = l->shared_per_sm / (uint32_t)blocks / 128 * 128;
    const uint32_t free = share > fixed ? share - fixed : 0, most = l->shared_per_block_optin;
    *bytes = free < most ? free : most;
    return rt_end(cudaSuccess);
}

static dim3 cluster_of(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
            return (dim3){config->attrs[i].val.clusterDim.x, config->attrs[i].val.clusterDim.y,
                          config->attrs[i].val.clusterDim.z};
    return (dim3){1, 1, 1};
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function,
                                           const cudaLaunchConfig_t *config)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = clusters && config ? rt_find_kernel(function, &kernel) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return rt_end(error);
    const dim3 c = cluster_of(config);
    const uint32_t threads = config->blockDim.x * config->blockDim.y * config->blockDim.z,
                   size = c.x * c.y * c.z;
    const uint32_t blocks =
        ptx_function_blocks_per_sm(kernel->function, threads, (uint32_t)config->dynamicSmemBytes) *
        rt_limits()->multiprocessors;
    *clusters = size ? (int)(blocks / size) : 0;
    return rt_end(cudaSuccess);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function,
                                                 const cudaLaunchConfig_t *config)
{
    RT_CALL();
    rt_kernel *kernel;
    const cudaError_t error = size && config ? rt_find_kernel(function, &kernel) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *size = kernel->nonportable_cluster ? 16 : (int)rt_limits()->cluster;
    return rt_end(error);
}
