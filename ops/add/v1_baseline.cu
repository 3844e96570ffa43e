// add, step 1: one thread an element.
//
// The direct translation: thread i reads x[i] and y[i] and writes out[i]. Neighbouring threads touch
// neighbouring elements, so even this is coalesced; what is missing is work per thread: every thread pays its
// index arithmetic and keeps only two loads in flight.
// Expected effect: bound by latency at small sizes; at large ones near the bandwidth for f32, clearly below
// it for the 2-byte types, whose warps move 64 bytes a load instead of 128.
// Tunables: none.
#include <assay/kernel.h>
#include "add.h"

static __global__ void add_v1(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = 256;
    const int64_t blocks = (args->count + threads - 1) / threads; // up to 2^31 - 1, which is 2^39 elements
    return assay::launch(add_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}
