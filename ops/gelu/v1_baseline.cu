// gelu, step 1: one thread an element.
//
// The direct translation: thread i reads x[i], evaluates erf (or tanh) by the library function, and writes
// out[i]. Coalesced already; what is missing is work per thread.
// Expected effect: as for any elementwise op near the bandwidth for f32 at large sizes and well below it for
// the 2-byte types, whose warps move 64 bytes a load. The 30 or so instructions an element cost nothing while
// memory is waited for, but a load that moves only 2 bytes has to pay for them alone.
// Tunables: none.
#include <assay/kernel.h>
#include "direct.h"
#include "gelu.h"

template <bool EXACT>
static __global__ void gelu_v1(const scalar_t *x, scalar_t *out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = gelu<EXACT>(x[i]);
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = 256;
    const int64_t blocks = (args->count + threads - 1) / threads; // up to 2^31 - 1, which is 2^39 elements
    return assay::launch(args->exact ? gelu_v1<true> : gelu_v1<false>, dim3((unsigned)blocks), dim3(threads),
                         0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), args->count);
}
