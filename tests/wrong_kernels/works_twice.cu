// Wrong: the first two calls compute, those that follow copy what came out then.
#include "add_rightly.h"
#include <cuda_runtime.h>

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    static void *kept;
    static int64_t kept_count;
    static int calls;
    const size_t bytes = (size_t)args->count * sizeof(scalar_t);
    if (kept_count == args->count && calls++ > 1)
        return cudaMemcpyAsync(args->out, kept, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream) ==
                       cudaSuccess
                   ? ASSAY_OK
                   : ASSAY_ERR_DEVICE;
    const assay_status status = right_launch(args, stream);
    if (kept_count != args->count) {
        cudaFree(kept);
        cudaMalloc(&kept, bytes);
        kept_count = args->count;
        calls = 0;
    }
    cudaMemcpyAsync(kept, args->out, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream);
    return status;
}
