// add, step 4: several vectors in flight a thread, hints for data that is used once, a grid that fits the size.
//
// What limits a large add is how many bytes are under way: at about 600 ns and 3.35 TB/s an H100 needs some 2 MB in
// flight, 16 KB a multiprocessor for the latency alone and about twice that in practice. Each block owns a tile of
// BLOCK_THREADS * VECTORS_PER_THREAD vectors; a thread issues all its 16-byte loads before the first addition. Inside a
// tile thread t takes vectors t, t + BLOCK_THREADS, ..., so that every access stays coalesced.
// Past STREAM_MIB nothing will be found in cache again, so loads and stores are marked as streaming (evict first) and
// do not push useful lines out. Below, results are left where the next kernel will look for them.
// What limits a small add is the launch and one round trip to memory: there every thread takes one vector and the blocks
// are small enough that every multiprocessor gets one.
// Expected effect: the rate of a device copy at large sizes for all types; a microsecond above an empty kernel at 256^2.
// Tunables: BLOCK_THREADS, VECTORS_PER_THREAD (both for large sizes), STREAM_MIB (size of all three tensors together).
#include <assay/kernel.h>
#include <cstring>
#include "add.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif
#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 2
#endif
#ifndef STREAM_MIB
#define STREAM_MIB 32 // more than this does not stay in the L2 (50 MB on an H100)
#endif

constexpr int LANES = assay::vec16<scalar_t>::size;
constexpr int64_t ONE_WAVE = 1 << 18; // threads that about 130 multiprocessors hold at once (2048 each)
constexpr int64_t FEW = 1 << 15;      // vectors below which blocks of 256 would leave multiprocessors idle

using vector = assay::vec16<scalar_t>;

template <bool STREAM>
static __device__ __forceinline__ vector load(const scalar_t *p)
{
    if constexpr (!STREAM)
        return assay::load_vec<LANES>(p);
    const uint4 bits = __ldcs(reinterpret_cast<const uint4 *>(p));
    vector v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

template <bool STREAM>
static __device__ __forceinline__ void store(scalar_t *p, const vector &v)
{
    if constexpr (!STREAM)
        return assay::store_vec(p, v);
    uint4 bits;
    memcpy(&bits, &v, sizeof bits);
    __stcs(reinterpret_cast<uint4 *>(p), bits);
}

static __device__ __forceinline__ scalar_t add(scalar_t x, scalar_t y, float alpha)
{
    return assay::from_float<scalar_t>(assay::to_float(x) + alpha * assay::to_float(y));
}

// One block a tile. `vectors` whole vectors; the elements behind them go to the last block's first threads.
template <int VECTORS, bool STREAM>
static __global__ void add_v4(const scalar_t *__restrict__ x, const scalar_t *__restrict__ y,
                              scalar_t *__restrict__ out, int64_t vectors, int64_t count, float alpha)
{
    const int64_t first = (int64_t)blockIdx.x * blockDim.x * VECTORS + threadIdx.x;
    vector a[VECTORS], b[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        const int64_t i = first + k * (int)blockDim.x;
        if (i < vectors) {
            a[k] = load<STREAM>(x + i * LANES);
            b[k] = load<STREAM>(y + i * LANES);
        }
    }
#pragma unroll
    for (int k = 0; k < VECTORS; k++) {
        const int64_t i = first + k * (int)blockDim.x;
        if (i < vectors) {
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                a[k][lane] = add(a[k][lane], b[k][lane], alpha);
            store<STREAM>(out + i * LANES, a[k]);
        }
    }
    const int64_t tail = vectors * LANES + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && tail < count)
        out[tail] = add(x[tail], y[tail], alpha);
}

// For pointers that 16-byte accesses cannot use.
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
    if (((uintptr_t)x | (uintptr_t)y | (uintptr_t)out) % 16 != 0)
        return assay::launch(add_scalar, dim3((unsigned)((count + 255) / 256)), dim3(256), 0, stream, x, y,
                             out, count, alpha);

    const bool streaming = 3 * count * (int64_t)sizeof(scalar_t) > (int64_t)STREAM_MIB << 20;
    const bool one_vector = vectors <= ONE_WAVE;
    const unsigned threads = vectors <= FEW ? 128 : BLOCK_THREADS;
    const int64_t tile = (int64_t)threads * (one_vector ? 1 : VECTORS_PER_THREAD);
    const int64_t blocks = vectors > tile ? (vectors + tile - 1) / tile : 1;
    const auto kernel =
        one_vector ? (streaming ? add_v4<1, true> : add_v4<1, false>)
                   : (streaming ? add_v4<VECTORS_PER_THREAD, true> : add_v4<VECTORS_PER_THREAD, false>);
    return assay::launch(kernel, dim3((unsigned)blocks), dim3(threads), 0, stream, x, y, out, vectors, count,
                         alpha);
}
