// add, step 4: one vector a thread, and blocks that suit the size.
//
// Step 3 already keeps enough bytes under way at large sizes: a multiprocessor holds 2048 threads with two 16-byte loads
// each, 64 KB, of which about 16 KB cover the latency. What is left to choose is the block. Large blocks cost fewer block
// launches and lose nothing here, as no thread waits for another. Below FEW vectors, blocks of 128 so that every
// multiprocessor gets one.
// What was tried and lost is in README.md: several vectors a thread, streaming hints, a tile a block.
// Expected effect: the rate of a device copy at large sizes for all types; a microsecond above an empty kernel at 256^2.
// Tunables: BLOCK_THREADS (for large sizes), VECTOR_BYTES (16, or 8: twice the threads, half the bytes each).
#include <assay/kernel.h>
#include "add.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 512
#endif
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16
#endif

constexpr int LANES = VECTOR_BYTES / sizeof(scalar_t);
constexpr int64_t FEW = 1 << 15; // vectors below which larger blocks would leave multiprocessors idle

static __device__ __forceinline__ scalar_t add(scalar_t x, scalar_t y, float alpha)
{
    return assay::from_float<scalar_t>(assay::to_float(x) + alpha * assay::to_float(y));
}

// Thread t moves vector t; the elements behind the last vector go to the first threads of the last block.
static __global__ void add_v4(const scalar_t *__restrict__ x, const scalar_t *__restrict__ y,
                              scalar_t *__restrict__ out, int64_t vectors, int64_t count, float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < vectors) {
        assay::vec<scalar_t, LANES> a = assay::load_vec<LANES>(x + i * LANES);
        const assay::vec<scalar_t, LANES> b = assay::load_vec<LANES>(y + i * LANES);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            a[lane] = add(a[lane], b[lane], alpha);
        assay::store_vec(out + i * LANES, a);
    }
    const int64_t tail = vectors * LANES + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && tail < count)
        out[tail] = add(x[tail], y[tail], alpha);
}

// For pointers that vector accesses cannot use.
static __global__ void add_scalar(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = add(x[i], y[i], alpha);
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x), *y = static_cast<const scalar_t *>(args->y);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const int64_t count = args->count, vectors = count / LANES;
    const float alpha = static_cast<float>(args->alpha);
    if (((uintptr_t)x | (uintptr_t)y | (uintptr_t)out) % VECTOR_BYTES != 0)
        return assay::launch(add_scalar, dim3((unsigned)((count + 255) / 256)), dim3(256), 0, stream, x, y,
                             out, count, alpha);
    const unsigned threads = vectors <= FEW ? 128 : BLOCK_THREADS;
    const int64_t blocks = vectors > threads ? (vectors + threads - 1) / threads : 1;
    return assay::launch(add_v4, dim3((unsigned)blocks), dim3(threads), 0, stream, x, y, out, vectors, count,
                         alpha);
}
