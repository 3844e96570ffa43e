// add, step 3: 16-byte accesses, coalesced.
//
// Coalescing alone: thread t moves vector t, which is 4 elements of f32 or 8 of a 2-byte type, with one load
// instruction an input and one store. A warp so asks for 512 contiguous bytes at a time, four whole 128-byte
// lines, instead of one line (f32) or half a line (2-byte types). The count % LANES last elements go to as
// many further threads, one each. Vector accesses need 16-byte aligned pointers; where one is not, every
// thread moves one element as in step 1.
// Expected effect: a quarter or an eighth of the instructions and of the threads of step 1; at large sizes
// near the bandwidth for every type.
// Tunables: BLOCK_THREADS.
#include <assay/kernel.h>
#include "add.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

constexpr int LANES = assay::vec16<scalar_t>::size;

template <int N>
static __device__ void add_at(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t i, float alpha)
{
    const assay::vec<scalar_t, N> a = assay::load_vec<N>(x + i), b = assay::load_vec<N>(y + i);
    assay::vec<scalar_t, N> sum;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        sum[lane] = assay::from_float<scalar_t>(assay::to_float(a[lane]) + alpha * assay::to_float(b[lane]));
    assay::store_vec(out + i, sum);
}

// Threads [0, vectors) move a vector each, the threads behind them one element each.
static __global__ void add_v3(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t vectors,
                              int64_t count, float alpha)
{
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t < vectors)
        add_at<LANES>(x, y, out, t * LANES, alpha);
    else if (vectors * LANES + (t - vectors) < count)
        add_at<1>(x, y, out, vectors * LANES + (t - vectors), alpha);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->y | (uintptr_t)args->out) % 16 == 0;
    const int64_t vectors = aligned ? args->count / LANES : 0;
    const int threads = BLOCK_THREADS;
    const int64_t needed = vectors + (args->count - vectors * LANES);
    const int64_t blocks = (needed + threads - 1) / threads;
    return assay::launch(add_v3, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), vectors, args->count,
                         static_cast<float>(args->alpha));
}
