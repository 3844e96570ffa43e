// softmax, step 3: a warp a row, 16-byte coalesced accesses, maximum and sum in one pass.
//
// Coalescing alone: the lanes of a warp read 512 contiguous bytes of a row with one instruction. Maximum and
// sum are found in the same pass (online softmax, Milakov and Gimelshein 2018: a sum is rescaled when its
// maximum grows) and combined by shuffles, so there is no barrier at all. Nothing is kept: a second pass
// reads the row again and writes. Rows that start off a 16-byte boundary (odd lengths) take the same path one
// element at a time. For inner > 1 the rows themselves lie side by side, so a thread takes one row and a warp
// reads 32 neighbouring ones.
// Expected effect: two reads instead of one, but the second mostly hits L2; clearly faster than step 2 for
// short rows, where no block idles and no barrier is paid, and for the 2-byte types. A warp has one load in
// flight at a time, so rows that are few and long leave the bandwidth unused.
// Tunables: BLOCK_THREADS.
#include <assay/kernel.h>
#include "max_sum.h"
#include "softmax.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

constexpr int WARP = 32;
constexpr int LANES = assay::vec16<scalar_t>::size;

template <int N>
static __device__ void absorb(max_sum &part, const assay::vec<scalar_t, N> &v)
{
    float max = part.max;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        max = fmaxf(max, assay::to_float(v[lane]));
    part.sum *= rescale(part.max, origin(max));
    part.max = max;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        part.sum += __expf(assay::to_float(v[lane]) - origin(max));
}

template <int N>
static __device__ assay::vec<scalar_t, N> finish(const assay::vec<scalar_t, N> &v, max_sum row)
{
    const float factor = __fdividef(1.0f, row.sum); // 1 / 0 for a masked row: 0 * inf = NaN
    assay::vec<scalar_t, N> result;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        result[lane] =
            assay::from_float<scalar_t>(__expf(assay::to_float(v[lane]) - origin(row.max)) * factor);
    return result;
}

// inner == 1; N elements an access, length a multiple of N.
template <int N>
static __global__ void softmax_v3_rows(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length)
{
    const int64_t row = (int64_t)blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return; // the whole warp leaves
    const int first = threadIdx.x % WARP * N;
    x += row * length;
    out += row * length;
    max_sum part = {-INFINITY, 0.0f};
    for (int64_t i = first; i < length; i += WARP * N)
        absorb(part, assay::load_vec<N>(x + i));
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        part = merge(part, {__shfl_xor_sync(0xffffffffu, part.max, offset),
                            __shfl_xor_sync(0xffffffffu, part.sum, offset)});
    for (int64_t i = first; i < length; i += WARP * N)
        assay::store_vec(out + i, finish(assay::load_vec<N>(x + i), part));
}

// inner > 1; a thread a row.
static __global__ void softmax_v3_columns(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                          int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    max_sum part = {-INFINITY, 0.0f};
    for (int64_t i = 0; i < length; i++)
        absorb(part, assay::load_vec<1>(x + first + i * inner));
    for (int64_t i = 0; i < length; i++)
        assay::store_vec(out + first + i * inner, finish(assay::load_vec<1>(x + first + i * inner), part));
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner, length = args->length;
    if (rows == 0 || length == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const int64_t per_block = args->inner > 1 ? BLOCK_THREADS : BLOCK_THREADS / WARP;
    const dim3 grid((unsigned)((rows + per_block - 1) / per_block)); // 2^31 - 1 blocks: 2^34 rows
    if (args->inner > 1)
        return assay::launch(softmax_v3_columns, grid, dim3(BLOCK_THREADS), 0, stream, x, out, rows, length,
                             args->inner);
    const bool aligned = ((uintptr_t)x | (uintptr_t)out) % 16 == 0 && length % LANES == 0;
    return assay::launch(aligned ? softmax_v3_rows<LANES> : softmax_v3_rows<1>, grid, dim3(BLOCK_THREADS), 0,
                         stream, x, out, rows, length);
}
