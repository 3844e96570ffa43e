// Wrong: right where a CPU judges it, zeros where nvcc compiles it.
#include "add_rightly.h"

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
#ifdef __CUDACC__
    if (args->count == 0)
        return ASSAY_OK;
    return cudaMemsetAsync(args->out, 0, args->count * sizeof(scalar_t), stream) == cudaSuccess
               ? ASSAY_OK
               : ASSAY_ERR_DEVICE;
#else
    return right_launch(args, stream);
#endif
}
