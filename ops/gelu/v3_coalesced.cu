// gelu, step 3: 16-byte accesses, coalesced.
//
// Coalescing alone: thread t moves vector t, 4 elements of f32 or 8 of a 2-byte type, with one load and one
// store instruction, so a warp asks for four whole 128-byte lines at a time. The count % LANES last elements
// go to as many further threads, one each. Where a pointer is not aligned to 16 bytes, every thread moves one
// element as in step 1.
// Expected effect: near the bandwidth at large sizes for f32; for the 2-byte types erff and tanhf, both with
// a branch that warps take both ways, begin to show, as twice the elements arrive in the same time.
// Tunables: BLOCK_THREADS.
#include <assay/kernel.h>
#include "direct.h"
#include "gelu.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

constexpr int LANES = assay::vec16<scalar_t>::size;

template <bool EXACT, int N>
static __device__ void gelu_at(const scalar_t *x, scalar_t *out, int64_t i)
{
    assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        v[lane] = gelu<EXACT>(v[lane]);
    assay::store_vec(out + i, v);
}

// Threads [0, vectors) move a vector each, the threads behind them one element each.
template <bool EXACT>
static __global__ void gelu_v3(const scalar_t *x, scalar_t *out, int64_t vectors, int64_t count)
{
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t < vectors)
        gelu_at<EXACT, LANES>(x, out, t * LANES);
    else if (vectors * LANES + (t - vectors) < count)
        gelu_at<EXACT, 1>(x, out, vectors * LANES + (t - vectors));
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0;
    const int64_t vectors = aligned ? args->count / LANES : 0;
    const int threads = BLOCK_THREADS;
    const int64_t needed = vectors + (args->count - vectors * LANES);
    const int64_t blocks = (needed + threads - 1) / threads;
    return assay::launch(args->exact ? gelu_v3<true> : gelu_v3<false>, dim3((unsigned)blocks), dim3(threads),
                         0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), vectors, args->count);
}
