// add, step 4: one vector a thread, block size by problem size.
//
// Step 3 already keeps enough bytes in flight at large sizes: a multiprocessor holds 2048 threads with two
// 16-byte loads each, 64 KB, of which about 16 KB cover the latency. What remains is the latency before a
// thread's first load, which small sizes feel:
//   - the block size is a constant and vector indices have 32 bits;
//   - the elements behind the last vector have a warp of their own, so that none waits for a vector's loads;
//   - small problems take small blocks, so that more multiprocessors get one.
// Expected effect: the rate of a device copy at large sizes for all types; a microsecond above an empty
// kernel at 256 x 256.
// Tunables: BLOCK_THREADS, VECTOR_BYTES (16, or 8: twice the threads, half the bytes each).
#include <assay/kernel.h>
#include "add.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif
#ifndef VECTOR_BYTES
#define VECTOR_BYTES 16
#endif

constexpr int LANES = VECTOR_BYTES / sizeof(scalar_t); // elements of a vector

static __device__ __forceinline__ scalar_t add(scalar_t x, scalar_t y, float alpha)
{
    return assay::from_float<scalar_t>(assay::to_float(x) + alpha * assay::to_float(y));
}

constexpr int64_t FEW_VECTORS = 1 << 15; // 256 small blocks, about two for each of 132 multiprocessors
constexpr int FEW_THREADS = 128, WARP = 32;

// Number of the thread that moves the first element behind the last vector: the first one of a warp. In a
// warp with vectors it would wait until they are stored.
static __host__ __device__ __forceinline__ uint32_t first_single(uint32_t vectors)
{
    return (vectors + WARP - 1) / WARP * WARP;
}

// Thread t moves vector t; threads from first_single() on move an element each. The size of a block is no
// variable, and indices of vectors fit 32 bits: nothing but the block's number stands between a thread's
// start and its loads.
template <int THREADS>
static __global__ void __launch_bounds__(THREADS)
    add_v4(const scalar_t *__restrict__ x, const scalar_t *__restrict__ y, scalar_t *__restrict__ out,
           uint32_t vectors, int64_t count, float alpha)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < vectors) {
        const int64_t first = (int64_t)i * LANES;
        assay::vec<scalar_t, LANES> a = assay::load_vec<LANES>(x + first);
        const assay::vec<scalar_t, LANES> b = assay::load_vec<LANES>(y + first);
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            a[lane] = add(a[lane], b[lane], alpha);
        assay::store_vec(out + first, a);
        return;
    }
    const int64_t single = (int64_t)vectors * LANES + ((int64_t)i - first_single(vectors));
    if (i >= first_single(vectors) && single < count)
        out[single] = add(x[single], y[single], alpha);
}

// For pointers that vector accesses cannot use, and for more vectors than 32 bits count.
static __global__ void add_scalar(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < count)
        out[i] = add(x[i], y[i], alpha);
}

static dim3 blocks_for(int64_t threads, int each)
{
    return dim3((unsigned)((threads + each - 1) / each));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x), *y = static_cast<const scalar_t *>(args->y);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const int64_t count = args->count, vectors = count / LANES;
    const float alpha = static_cast<float>(args->alpha);
    if (((uintptr_t)x | (uintptr_t)y | (uintptr_t)out) % VECTOR_BYTES != 0 ||
        vectors > UINT32_MAX - BLOCK_THREADS - LANES - WARP)
        return assay::launch(add_scalar, blocks_for(count, BLOCK_THREADS), dim3(BLOCK_THREADS), 0, stream, x,
                             y, out, count, alpha);
    const int64_t threads = (int64_t)first_single((uint32_t)vectors) + count % LANES;
    if (vectors <= FEW_VECTORS)
        return assay::launch(add_v4<FEW_THREADS>, blocks_for(threads, FEW_THREADS), dim3(FEW_THREADS), 0,
                             stream, x, y, out, (uint32_t)vectors, count, alpha);
    return assay::launch(add_v4<BLOCK_THREADS>, blocks_for(threads, BLOCK_THREADS), dim3(BLOCK_THREADS), 0,
                         stream, x, y, out, (uint32_t)vectors, count, alpha);
}
