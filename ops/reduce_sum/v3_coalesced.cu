// reduce_sum, step 3: a warp a row, 16-byte coalesced loads, shuffles.
//
// Coalescing alone: the lanes of a warp read 512 contiguous bytes of a row with one instruction, and add up
// their partial sums by shuffles, without shared memory or a barrier. For inner > 1 a thread owns as many
// neighbouring rows as a vector has elements, so that a warp again reads 512 contiguous bytes. Rows that do
// not keep the 16-byte alignment (odd lengths) take the same path one element at a time.
// Expected effect: the best of the three for short rows and for 2-byte types, and along any dimension; near
// the bandwidth where rows are plenty. A warp has only one or two loads in flight and a row has only one
// warp, so few long rows are slower than in step 2.
// Tunables: BLOCK_THREADS.
#include <assay/kernel.h>
#include "../common/sum_in_parts.h"
#include "reduce_sum.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

constexpr int WARP = 32;
constexpr int LANES = assay::vec16<scalar_t>::size;

// Sums of N neighbouring rows, to which vectors of their elements are added.
template <int N>
struct vector_sum {
    float of[N];

    __device__ __forceinline__ void operator+=(const assay::vec<scalar_t, N> &v)
    {
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            of[lane] += assay::to_float(v[lane]);
    }
    __device__ __forceinline__ void operator+=(const vector_sum &other)
    {
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            of[lane] += other.of[lane];
    }
};

// inner == 1; N elements a load, length a multiple of N. Threads for which the machine has room, as they wait
// for loads.
template <int N>
static __global__ void __launch_bounds__(BLOCK_THREADS, 2048 / BLOCK_THREADS)
    reduce_sum_v3_rows(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length, int64_t stride)
{
    const int64_t row = (int64_t)blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return; // the whole warp leaves
    x += row * stride;
    float sum = sum_in_parts(threadIdx.x % WARP * N, length, WARP * N, [&](int64_t i) {
        const assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
        float of_vector = 0.0f;
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            of_vector += assay::to_float(v[lane]);
        return of_vector;
    });
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x % WARP == 0)
        out[row] = assay::from_float<scalar_t>(sum);
}

// inner > 1, a multiple of N; a thread owns N neighbouring rows.
template <int N>
static __global__ void reduce_sum_v3_columns(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                             int64_t inner)
{
    const int64_t row = ((int64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x) * N;
    if (row >= rows)
        return;
    x += row / inner * length * inner + row % inner;
    const auto sums =
        sum_in_parts<vector_sum<N>>(length, [&](int64_t i) { return assay::load_vec<N>(x + i * inner); });
    assay::vec<scalar_t, N> rounded;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        rounded[lane] = assay::from_float<scalar_t>(sums.of[lane]);
    assay::store_vec(out + row, rounded);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner, length = args->length, inner = args->inner;
    if (rows == 0)
        return ASSAY_OK;
    const scalar_t *x = static_cast<const scalar_t *>(args->x);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const bool aligned = ((uintptr_t)x | (uintptr_t)out) % 16 == 0;
    const bool wide = aligned && (inner > 1 ? inner : length) % LANES == 0 && args->row_padding % LANES == 0;
    const int64_t per_block = inner == 1 ? BLOCK_THREADS / WARP : BLOCK_THREADS * (wide ? LANES : 1);
    const dim3 grid((unsigned)((rows + per_block - 1) / per_block)); // 2^31 - 1 blocks: 2^34 rows
    if (inner > 1)
        return assay::launch(wide ? reduce_sum_v3_columns<LANES> : reduce_sum_v3_columns<1>, grid,
                             dim3(BLOCK_THREADS), 0, stream, x, out, rows, length, inner);
    return assay::launch(wide ? reduce_sum_v3_rows<LANES> : reduce_sum_v3_rows<1>, grid, dim3(BLOCK_THREADS),
                         0, stream, x, out, rows, length, length + args->row_padding);
}
