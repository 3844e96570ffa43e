/* The host side of <assay/hopper.h> on CUDA: what the current device can do, and launches with clusters or an early start. */
#ifndef ASSAY_HOPPER_HOST_CUDA_H
#define ASSAY_HOPPER_HOST_CUDA_H

#include <assay/kernel.h>

namespace assay
{

namespace detail
{
/* Never launched: the size of its static shared memory says from which pass the loaded code comes. The sizes are far apart
 * because compilers round up and add a reserve. */
template <int Unused>
__global__ void hopper_code_probe(int *out)
{
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    __shared__ int marker[4096];
    const int *last = &marker[4095];
#else
    __shared__ int marker[1];
    const int *last = &marker[0];
#endif
    int *volatile all = marker; /* keeps the compiler from dropping what is not used */
    all[*out] = 1;
    __syncthreads();
    *out = *last;
}

struct device_facts {
    int known, hopper, multiprocessors;
};

/* Facts of the current device, asked for once. Threads may race here: both write the same values, `known` last. */
inline device_facts current_device()
{
    enum { DEVICES = 64 };
    static device_facts all[DEVICES];
    int device = 0, major = 0;
    device_facts facts = {1, 0, 1};
    if (cudaGetDevice(&device) != cudaSuccess || device >= DEVICES)
        return facts;
    if (__atomic_load_n(&all[device].known, __ATOMIC_ACQUIRE))
        return all[device];
    cudaFuncAttributes attributes = {};
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&facts.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (cudaFuncGetAttributes(&attributes, hopper_code_probe<0>) != cudaSuccess)
        (void)cudaGetLastError();
    facts.hopper = major == 9 && attributes.sharedSizeBytes >= 4096 * sizeof(int);
    all[device].hopper = facts.hopper;
    all[device].multiprocessors = facts.multiprocessors;
    __atomic_store_n(&all[device].known, 1, __ATOMIC_RELEASE);
    return facts;
}
} // namespace detail

/* Whether the current device runs Hopper's instructions and this module holds code for them. */
inline bool hopper_available()
{
    return detail::current_device().hopper != 0;
}

/* Multiprocessors of the current device, for grids that stay. */
inline int multiprocessor_count()
{
    return detail::current_device().multiprocessors;
}

/* Blocks that a cluster may have. */
inline int cluster_limit()
{
    return 8;
}

namespace detail
{
template <class... Params, class... Args>
inline assay_status launch_with(const cudaLaunchAttribute *attributes, int count, void (*kernel)(Params...),
                                dim3 grid, dim3 block, size_t shared_bytes, assay_stream stream,
                                Args &&...args)
{
    static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter of the kernel");
    if (shared_bytes > 48 * 1024 && cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                         static_cast<int>(shared_bytes)) != cudaSuccess) {
        (void)cudaGetLastError(); /* reported here: do not let it stick */
        return ASSAY_ERR_DEVICE;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = const_cast<cudaLaunchAttribute *>(attributes);
    config.numAttrs = static_cast<unsigned>(count);
    if (cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...) != cudaSuccess) {
        (void)cudaGetLastError();
        return ASSAY_ERR_DEVICE;
    }
    return ASSAY_OK;
}
inline cudaLaunchAttribute cluster_attribute(int cluster)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = static_cast<unsigned>(cluster);
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    return attribute;
}
inline cudaLaunchAttribute early_attribute()
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    return attribute;
}
} // namespace detail

/* assay::launch with clusters of `cluster` blocks along x; gridDim.x must be a multiple of it. */
template <class... Params, class... Args>
inline assay_status launch_cluster(void (*kernel)(Params...), int cluster, dim3 grid, dim3 block,
                                   size_t shared_bytes, assay_stream stream, Args &&...args)
{
    const cudaLaunchAttribute attribute = detail::cluster_attribute(cluster);
    return detail::launch_with(&attribute, cluster > 1 ? 1 : 0, kernel, grid, block, shared_bytes, stream,
                               args...);
}

/* assay::launch of a kernel that may begin while the kernel launched before it on `stream` still runs. It reads what that one
 * writes, and writes what that one reads, only behind wait_for_previous(). For kernels of one call: the first of a call is launched as
 * usual, so that calls do not overlap. */
template <class... Params, class... Args>
inline assay_status launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                                 assay_stream stream, Args &&...args)
{
    const cudaLaunchAttribute attribute = detail::early_attribute();
    return detail::launch_with(&attribute, 1, kernel, grid, block, shared_bytes, stream, args...);
}

} // namespace assay

#endif
