// add, step 2: a tile of elements a thread.
//
// Tiling alone: thread t owns the ELEMENTS_PER_THREAD neighbouring elements that start at t *
// ELEMENTS_PER_THREAD, loads all of them before the first use and then writes them, so the index arithmetic
// is shared and several loads are in flight. The accesses stay scalar: at any moment the lanes of a warp
// stand ELEMENTS_PER_THREAD elements apart, so one load instruction touches that many times more cache lines
// than in step 1.
// Expected effect: the lines that one load leaves half used are found in L1 by the next one, so memory
// traffic stays the same, but the load/store unit needs several passes an instruction. A gain for the 2-byte
// types, whose single elements kept too few bytes in flight; about even for f32, and worse again with large
// tiles.
// Tunables: ELEMENTS_PER_THREAD, BLOCK_THREADS.
#include <assay/kernel.h>
#include "add.h"

#ifndef ELEMENTS_PER_THREAD
#define ELEMENTS_PER_THREAD 4
#endif
#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

static __global__ void add_v2(const scalar_t *__restrict__ x, const scalar_t *__restrict__ y,
                              scalar_t *__restrict__ out, int64_t count, float alpha)
{
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * ELEMENTS_PER_THREAD;
    float a[ELEMENTS_PER_THREAD], b[ELEMENTS_PER_THREAD];
#pragma unroll
    for (int k = 0; k < ELEMENTS_PER_THREAD; k++) {
        if (first + k < count) {
            a[k] = assay::to_float(x[first + k]);
            b[k] = assay::to_float(y[first + k]);
        }
    }
#pragma unroll
    for (int k = 0; k < ELEMENTS_PER_THREAD; k++) {
        if (first + k < count)
            out[first + k] = assay::from_float<scalar_t>(a[k] + alpha * b[k]);
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = BLOCK_THREADS;
    const int64_t per_block = (int64_t)threads * ELEMENTS_PER_THREAD;
    const int64_t blocks =
        (args->count + per_block - 1) / per_block; // up to 2^31 - 1: more than memory holds
    return assay::launch(add_v2, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}
