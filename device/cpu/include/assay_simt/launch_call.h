/* What the translated  kernel<<<grid, block, bytes, stream>>>(arguments)  of a contest's kernel becomes on the CPU device
 * (build_module/module_launch.h): the call in a lambda, so that overloads and template arguments are resolved as in the original. */
#ifndef ASSAY_SIMT_LAUNCH_CALL_H
#define ASSAY_SIMT_LAUNCH_CALL_H

#include <assay_simt/host_api.h>
#include <assay_simt/launch.h>
#include <type_traits>

namespace assay_simt
{
/* The same loop as in launch.h, around a call instead of a function's address. */
template <class Call, class... Args>
struct call_launcher {
    static assay_status launch(assay_simt_launch_config config, Call call, Args... args)
    {
        const auto run_threads = [call, args...] {
            assay_simt_context &context = assay_simt_current;
            while (context.started < context.count) {
                context.self = context.order[context.started++];
                if (context.count != context.block_threads)
                    assay_simt_enter_block();
                call(args...);
                if (context.tracked)
                    assay_simt_thread_exit();
            }
        };
        typedef decltype(run_threads) body;
        void (*const run)(const void *) = [](const void *self) { (*static_cast<body *>(self))(); };
        config.kernel = reinterpret_cast<const void *>(run); /* an address in this module */
        if (ASSAY_SIMT_CHECK && ASSAY_SIMT_STATIC_GUARDS)
            config.checked |= ASSAY_SIMT_CHECK_GUARDED;
        return assay_simt_launch(&config, run, &run_threads, sizeof run_threads);
    }
};
} // namespace assay_simt

namespace assay_solve
{
/* A launch that CUDA would refuse is remembered as CUDA does, and for the caller of solve(). */
template <class Call, class... Args>
inline void launch(const char *name, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t on_stream,
                   Call call, Args... args)
{
    assay_simt_launch_config config = {};
    config.name = name;
    config.grid = {grid.x, grid.y, grid.z};
    config.block = {block.x, block.y, block.z};
    config.shared_bytes = shared_bytes;
    config.stream = on_stream;
    config.checked = ASSAY_SIMT_CHECK;
    config.cluster = 1;
    /* A lambda that holds nothing calls a kernel by its name; else it may hold a pointer to any. */
    config.leave = std::is_empty<Call>::value ? ASSAY_SIMT_LEAVE_BY_NAME : ASSAY_SIMT_LEAVE_OF_ANY;
    const assay_status status = assay_simt::call_launcher<Call, Args...>::launch(config, call, args...);
    if (status != ASSAY_OK) {
        assay_simt::note_error(cudaErrorInvalidConfiguration);
        launch_status = status;
    }
}
} // namespace assay_solve

#endif
