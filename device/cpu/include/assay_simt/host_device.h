/* What the CUDA runtime tells of the device and of kernels. The CPU device says of itself what holds of compute capability 9.0, for whose
 * limits launches are held to; only the number of multiprocessors is its own, that of its workers. */
#ifndef ASSAY_SIMT_HOST_DEVICE_H
#define ASSAY_SIMT_HOST_DEVICE_H

#include <assay_simt/host_error.h>

namespace assay_simt
{
constexpr int SHARED_PER_BLOCK = 48 << 10, SHARED_OPT_IN = 227 << 10, SHARED_PER_SM = 228 << 10,
              THREADS_PER_BLOCK = 1024, THREADS_PER_SM = 2048, BLOCKS_PER_SM = 32, REGISTERS = 65536,
              L2_BYTES = 50 << 20;

/* The address of a kernel, given as a function, a pointer to one, or a plain pointer. */
template <class F>
inline const void *kernel_address(F *kernel)
{
    return reinterpret_cast<const void *>(kernel);
}
} // namespace assay_simt

enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedCarveout {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxShared = 100,
    cudaSharedmemCarveoutMaxL1 = 0
};

template <class F>
inline cudaError_t cudaFuncSetAttribute(F *kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
        return cudaSuccess;
    return assay_simt::note_error(assay_simt_allow_shared(assay_simt::kernel_address(kernel), value)
                                      ? cudaSuccess
                                      : cudaErrorInvalidValue);
}
template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache)
{
    return cudaSuccess;
}

/* Registers are the compiler's of a GPU and not known here. */
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout;
};
template <class F>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, F *)
{
    *attributes = cudaFuncAttributes{};
    attributes->maxThreadsPerBlock = assay_simt::THREADS_PER_BLOCK;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = assay_simt::SHARED_PER_BLOCK;
    return cudaSuccess;
}

/* By threads, blocks and dynamic shared memory alone. */
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *, int threads, size_t shared)
{
    if (!blocks || threads < 1)
        return assay_simt::note_error(cudaErrorInvalidValue);
    const int by_threads =
        threads > assay_simt::THREADS_PER_BLOCK ? 0 : assay_simt::THREADS_PER_SM / ((threads + 31) / 32 * 32);
    const size_t by_shared = assay_simt::SHARED_PER_SM / (shared + 1024); /* CUDA keeps 1 KiB a block */
    const int most = by_threads < assay_simt::BLOCKS_PER_SM ? by_threads : assay_simt::BLOCKS_PER_SM;
    *blocks = static_cast<size_t>(most) < by_shared ? most : static_cast<int>(by_shared);
    return cudaSuccess;
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F *, size_t = 0, int limit = 0)
{
    *block = limit > 0 && limit < assay_simt::THREADS_PER_BLOCK ? limit : assay_simt::THREADS_PER_BLOCK;
    *grid = assay_simt_worker_count() * (assay_simt::THREADS_PER_SM / *block);
    return cudaSuccess;
}

inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int device)
{
    return assay_simt::note_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin,
        totalConstMem, memPitch;
    int multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor,
        maxBlocksPerMultiProcessor, major, minor, regsPerBlock, regsPerMultiprocessor, l2CacheSize,
        maxThreadsDim[3], maxGridSize[3], clockRate, memoryClockRate, memoryBusWidth, concurrentKernels,
        asyncEngineCount, cooperativeLaunch, unifiedAddressing, managedMemory, integrated;
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (!properties || device != 0)
        return assay_simt::note_error(cudaErrorInvalidDevice);
    *properties = cudaDeviceProp{};
    snprintf(properties->name, sizeof properties->name, "CPU SIMT device");
    properties->totalGlobalMem = size_t{1} << 33;
    properties->sharedMemPerBlock = assay_simt::SHARED_PER_BLOCK;
    properties->sharedMemPerBlockOptin = assay_simt::SHARED_OPT_IN;
    properties->sharedMemPerMultiprocessor = assay_simt::SHARED_PER_SM;
    properties->totalConstMem = 64 << 10;
    properties->memPitch = 0x7fffffff;
    properties->multiProcessorCount = assay_simt_worker_count();
    properties->warpSize = warpSize;
    properties->maxThreadsPerBlock = assay_simt::THREADS_PER_BLOCK;
    properties->maxThreadsPerMultiProcessor = assay_simt::THREADS_PER_SM;
    properties->maxBlocksPerMultiProcessor = assay_simt::BLOCKS_PER_SM;
    properties->major = 9;
    properties->regsPerBlock = properties->regsPerMultiprocessor = assay_simt::REGISTERS;
    properties->l2CacheSize = assay_simt::L2_BYTES;
    properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
    properties->maxThreadsDim[2] = 64;
    properties->maxGridSize[0] = 0x7fffffff;
    properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
    properties->clockRate = properties->memoryClockRate = 1000000;
    properties->memoryBusWidth = 64;
    properties->concurrentKernels = properties->asyncEngineCount = properties->unifiedAddressing = 1;
    return cudaSuccess;
}

enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106
};
inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    const cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess || !value)
        return assay_simt::note_error(cudaErrorInvalidValue);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
        *value = p.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
        break;
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
        *value = p.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = static_cast<int>(p.sharedMemPerBlock);
        break;
    case cudaDevAttrTotalConstantMemory:
        *value = static_cast<int>(p.totalConstMem);
        break;
    case cudaDevAttrWarpSize:
        *value = p.warpSize;
        break;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = p.regsPerBlock;
        break;
    case cudaDevAttrClockRate:
        *value = p.clockRate;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
    case cudaDevAttrL2CacheSize:
        *value = p.l2CacheSize;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
    case cudaDevAttrCooperativeLaunch:
        *value = 0;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = static_cast<int>(p.sharedMemPerMultiprocessor);
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = static_cast<int>(p.sharedMemPerBlockOptin);
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = p.maxBlocksPerMultiProcessor;
        break;
    }
    return cudaSuccess;
}

#endif
