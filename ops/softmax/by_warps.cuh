// softmax of rows (inner == 1) with a warp a row: step 3.
#ifndef ASSAY_OPS_SOFTMAX_BY_WARPS_CUH
#define ASSAY_OPS_SOFTMAX_BY_WARPS_CUH

#include <assay/kernel.h>
#include "max_sum.h"
#include "softmax.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

namespace by_warps
{ // step 4 has other things of some of these names

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
static __global__ void rows_of(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length, int64_t stride)
{
    const int64_t row = (int64_t)blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return; // the whole warp leaves
    const int first = threadIdx.x % WARP * N;
    x += row * stride;
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
} // namespace by_warps

// There are rows, and they are not empty.
static inline assay_status softmax_by_warps_run(const softmax_args *args, assay_stream stream)
{
    const scalar_t *x = static_cast<const scalar_t *>(args->x);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const int64_t per_block = BLOCK_THREADS / by_warps::WARP;
    const bool aligned = ((uintptr_t)x | (uintptr_t)out) % 16 == 0 && args->length % by_warps::LANES == 0 &&
                         args->row_padding % by_warps::LANES == 0;
    return assay::launch(
        aligned ? by_warps::rows_of<by_warps::LANES> : by_warps::rows_of<1>,
        dim3((unsigned)((args->outer + per_block - 1) / per_block)), // 2^31 - 1 blocks: 2^34 rows
        dim3(BLOCK_THREADS), 0, stream, x, out, args->outer, args->length, args->length + args->row_padding);
}

#endif
