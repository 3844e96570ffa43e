// A kernel that must spill: more values live at once than the registers that its launch bounds leave it.
#include <assay/kernel.h>
#include "add.h"

enum { LIVE = 64 };

static __global__ void __launch_bounds__(1024, 2) spill(const scalar_t *x, scalar_t *out)
{
    float held[LIVE];
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        held[i] = assay::to_float(x[1024 * i + threadIdx.x]);
    __syncthreads(); // no load may be put off until its value is used
#pragma unroll
    for (int i = 0; i < LIVE; i++)
        out[1024 * i + threadIdx.x] = assay::from_float<scalar_t>(held[LIVE - 1 - i] * held[i]);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    return assay::launch(spill, dim3(1), dim3(1024), 0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out));
}
