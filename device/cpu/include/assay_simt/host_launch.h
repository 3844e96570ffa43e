/* Launches by the runtime's functions. A kernel must be given as what it is, a function: from a plain pointer nothing tells the types of its
 * parameters here. */
#ifndef ASSAY_SIMT_HOST_LAUNCH_H
#define ASSAY_SIMT_HOST_LAUNCH_H

#include <assay_simt/host_device.h>
#include <assay_simt/host_streams.h>
#include <assay_simt/launch.h>
#include <utility>

enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    struct {
        unsigned x, y, z;
    } clusterDim;
    int cooperative, priority, programmaticStreamSerializationAllowed;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};

namespace assay_simt
{
inline assay_simt_launch_config launch_config(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes,
                                              cudaStream_t stream)
{
    assay_simt_launch_config config = {};
    config.kernel = kernel;
    config.grid = {grid.x, grid.y, grid.z};
    config.block = {block.x, block.y, block.z};
    config.shared_bytes = shared_bytes;
    config.stream = stream;
    config.checked = ASSAY_SIMT_CHECK;
    config.cluster = 1;
    config.leave = ASSAY_SIMT_LEAVE_BY_ADDRESS;
    return config;
}
inline cudaError_t of_launch(assay_status status)
{
    return note_error(status == ASSAY_OK ? cudaSuccess : cudaErrorInvalidConfiguration);
}
template <class... Params, size_t... I>
inline cudaError_t launch_array(void (*kernel)(Params...), const assay_simt_launch_config &config,
                                void **args, std::index_sequence<I...>)
{
    (void)args;
    return of_launch(launcher<Params...>::launch(config, kernel, *static_cast<Params *>(args[I])...));
}
template <class F>
struct array_launch {
    static cudaError_t run(F *, const assay_simt_launch_config &, void **)
    {
        static_assert(
            never<F>::value,
            "the CPU device has no launch through a plain pointer: give cudaLaunchKernel the kernel itself");
        return cudaErrorNotSupported;
    }
};
template <class... Params>
struct array_launch<void(Params...)> {
    static cudaError_t run(void (*kernel)(Params...), const assay_simt_launch_config &config, void **args)
    {
        return launch_array(kernel, config, args, std::index_sequence_for<Params...>());
    }
};
} // namespace assay_simt

template <class... Params, class... Args>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *launch, void (*kernel)(Params...),
                                      Args &&...args)
{
    assay_simt_launch_config config =
        assay_simt::launch_config(reinterpret_cast<const void *>(kernel), launch->gridDim, launch->blockDim,
                                  launch->dynamicSmemBytes, launch->stream);
    for (unsigned i = 0; i < launch->numAttrs; i++) {
        const cudaLaunchAttribute &a = launch->attrs[i];
        if (a.id == cudaLaunchAttributeCooperative && a.val.cooperative)
            return assay_simt::note_error(cudaErrorNotSupported);
        if (a.id == cudaLaunchAttributeClusterDimension) {
            if (a.val.clusterDim.y != 1 || a.val.clusterDim.z != 1)
                return assay_simt::note_error(cudaErrorNotSupported);
            config.cluster = a.val.clusterDim.x;
        }
    }
    return assay_simt::of_launch(
        assay_simt::launcher<Params...>::launch(config, kernel, static_cast<Params>(args)...));
}
template <class F>
inline cudaError_t cudaLaunchKernel(F *kernel, dim3 grid, dim3 block, void **args, size_t shared_bytes = 0,
                                    cudaStream_t stream = nullptr)
{
    return assay_simt::array_launch<F>::run(
        kernel,
        assay_simt::launch_config(reinterpret_cast<const void *>(kernel), grid, block, shared_bytes, stream),
        args);
}
template <class F>
inline cudaError_t cudaLaunchCooperativeKernel(F *, dim3, dim3, void **, size_t = 0, cudaStream_t = nullptr)
{
    static_assert(assay_simt::never<F>::value,
                  "the CPU device has no grid-wide groups (this_grid, cudaLaunchCooperativeKernel)");
    return cudaErrorNotSupported;
}

#endif
