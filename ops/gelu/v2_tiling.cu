// gelu, step 2: a tile of elements a thread.
//
// Tiling alone: thread t owns the ELEMENTS_PER_THREAD neighbouring elements that start at t *
// ELEMENTS_PER_THREAD and loads all of them before the first use. Several loads are in flight, and the
// evaluations are independent, so their latencies overlap. Accesses stay scalar: the lanes of a warp stand
// ELEMENTS_PER_THREAD elements apart.
// Expected effect: the L1 absorbs the strided accesses of small tiles; a gain for the 2-byte types, about
// even for f32, a loss with large tiles.
// Tunables: ELEMENTS_PER_THREAD, BLOCK_THREADS.
#include <assay/kernel.h>
#include "direct.h"
#include "gelu.h"

#ifndef ELEMENTS_PER_THREAD
#define ELEMENTS_PER_THREAD 4
#endif
#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

template <bool EXACT>
static __global__ void gelu_v2(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t count)
{
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * ELEMENTS_PER_THREAD;
    scalar_t tile[ELEMENTS_PER_THREAD];
#pragma unroll
    for (int k = 0; k < ELEMENTS_PER_THREAD; k++)
        if (first + k < count)
            tile[k] = x[first + k];
#pragma unroll
    for (int k = 0; k < ELEMENTS_PER_THREAD; k++)
        if (first + k < count)
            out[first + k] = gelu<EXACT>(tile[k]);
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = BLOCK_THREADS;
    const int64_t per_block = (int64_t)threads * ELEMENTS_PER_THREAD;
    const int64_t blocks = (args->count + per_block - 1) / per_block;
    return assay::launch(args->exact ? gelu_v2<true> : gelu_v2<false>, dim3((unsigned)blocks), dim3(threads),
                         0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), args->count);
}
