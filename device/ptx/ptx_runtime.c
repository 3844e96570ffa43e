/* See ptx_runtime.h. */
#include "device/ptx/ptx_runtime.h"
#include <dlfcn.h>
#include <string.h>

ptx_runtime ptx_rt;

static const struct {
    void *place; /* of the function's pointer */
    const char *name;
} functions[] = {
    {&ptx_rt.malloc, "cudaMalloc"},
    {&ptx_rt.free, "cudaFree"},
    {&ptx_rt.copy, "cudaMemcpyAsync"},
    {&ptx_rt.fill, "cudaMemsetAsync"},
    {&ptx_rt.sync_stream, "cudaStreamSynchronize"},
    {&ptx_rt.sync_device, "cudaDeviceSynchronize"},
    {&ptx_rt.create_stream, "cudaStreamCreateWithFlags"},
    {&ptx_rt.destroy_stream, "cudaStreamDestroy"},
    {&ptx_rt.begin_capture, "cudaStreamBeginCapture"},
    {&ptx_rt.end_capture, "cudaStreamEndCapture"},
    {&ptx_rt.count_nodes, "cudaGraphGetNodes"},
    {&ptx_rt.instantiate, "cudaGraphInstantiate"},
    {&ptx_rt.launch_graph, "cudaGraphLaunch"},
    {&ptx_rt.destroy_graph, "cudaGraphDestroy"},
    {&ptx_rt.destroy_executable, "cudaGraphExecDestroy"},
    {&ptx_rt.last_error, "cudaGetLastError"},
    {&ptx_rt.error_name, "cudaGetErrorName"},
    {&ptx_rt.error_text, "cudaGetErrorString"},
    {&ptx_rt.attribute, "cudaDeviceGetAttribute"},
    {&ptx_rt.judge, "assay_ptx_judge"},
    {&ptx_rt.judge_host, "assay_ptx_judge_host"},
    {&ptx_rt.set_tensor, "assay_ptx_set_tensor"},
    {&ptx_rt.set_order, "assay_ptx_set_order"},
    {&ptx_rt.took_order, "assay_ptx_took_order"},
    {&ptx_rt.take_report, "assay_ptx_take_report"},
    {&ptx_rt.used, "assay_ptx_used"},
    {&ptx_rt.count, "assay_ptx_count"},
    {&ptx_rt.take_counts, "assay_ptx_take_counts"},
    {&ptx_rt.print_kernel, "assay_ptx_print_kernel"},
};

assay_status ptx_runtime_load(const char *path, assay_error *error)
{
    if (ptx_rt.take_report)
        return ASSAY_OK;
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        return assay_error_set(error, ASSAY_ERR_ENVIRONMENT,
                               "device ptx: %s; build the target assay_ptx_cudart", dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            return assay_error_set(error, ASSAY_ERR_ENVIRONMENT, "device ptx: %s has no %s", path,
                                   functions[i].name);
        memcpy(functions[i].place, &found, sizeof found);
    }
    return ASSAY_OK;
}
