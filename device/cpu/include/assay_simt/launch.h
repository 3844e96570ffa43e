/* assay::launch for the CPU device: the same call as on CUDA. */
#ifndef ASSAY_SIMT_LAUNCH_H
#define ASSAY_SIMT_LAUNCH_H

#include <assay_simt/builtins.h>

namespace assay_simt
{

/* The loop of one fiber. A thread that waits leaves its fiber here, inside the kernel; the rest of the block goes on in another
 * fiber's loop. */
template <class... Params>
struct launcher {
    static assay_status launch(const assay_simt_launch_config &config, void (*kernel)(Params...),
                               Params... params)
    {
        static_assert((sizeof(Params) + ... + 0) <= 32764, "CUDA gives a kernel's parameters 32764 bytes");
        const auto run_threads = [kernel, params...] {
            assay_simt_context &context = assay_simt_current;
            while (context.started < context.count) {
                context.self = context.order[context.started++];
                if (context.count != context.block_threads)
                    assay_simt_enter_block();
                kernel(params...);
                if (context.tracked)
                    assay_simt_thread_exit();
            }
        };
        using body = decltype(run_threads);
        assay_simt_launch_config full = config;
        if (ASSAY_SIMT_CHECK && ASSAY_SIMT_STATIC_GUARDS)
            full.checked |= ASSAY_SIMT_CHECK_GUARDED;
        return assay_simt_launch(
            &full, [](const void *call) { (*static_cast<const body *>(call))(); }, &run_threads,
            sizeof run_threads);
    }
};

} // namespace assay_simt

namespace assay
{

/* Launch `kernel`; see <assay/kernel.h>. Returns ASSAY_ERR_DEVICE for a configuration that CUDA refuses. */
template <class... Params, class... Args>
inline assay_status launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                           assay_stream stream, Args &&...args)
{
    static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each parameter of the kernel");
    const assay_simt_launch_config config = {reinterpret_cast<const void *>(kernel),
                                             {grid.x, grid.y, grid.z},
                                             {block.x, block.y, block.z},
                                             shared_bytes,
                                             stream,
                                             ASSAY_SIMT_CHECK,
                                             1};
    return assay_simt::launcher<Params...>::launch(config, kernel, static_cast<Params>(args)...);
}

} // namespace assay

#endif
