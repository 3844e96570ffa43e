// rmsnorm with a warp a row: step 3.
#ifndef ASSAY_OPS_RMSNORM_BY_WARPS_CUH
#define ASSAY_OPS_RMSNORM_BY_WARPS_CUH

#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/sum_in_parts.h"
#include "rmsnorm.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

namespace by_warps
{ // step 4 has other things of some of these names

constexpr int WARP = 32;
constexpr int LANES = assay::vec16<scalar_t>::size;

// N elements an access, length a multiple of N.
template <int N>
static __global__ void normalise(const scalar_t *x, const scalar_t *weight, scalar_t *out, int64_t rows,
                                 int64_t length, int64_t stride, float eps)
{
    const int64_t row = (int64_t)blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return; // the whole warp leaves
    const int start = threadIdx.x % WARP * N;
    x += row * stride;
    out += row * length;
    float scale = 1.0f, squares;
    for (;; scale = SCALED_DOWN) {
        squares = sum_in_parts(start, length, WARP * N, [&](int64_t i) {
            const assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
            float of_vector = 0.0f;
#pragma unroll
            for (int lane = 0; lane < N; lane++)
                of_vector += assay::to_float(v[lane]) * scale * (assay::to_float(v[lane]) * scale);
            return of_vector;
        });
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            squares += __shfl_xor_sync(0xffffffffu, squares, offset);
        if (is_finite(squares) || scale == SCALED_DOWN)
            break;
    }
    const float factor = rsqrtf(squares / (float)length + eps * scale * scale);
    for (int64_t i = start; i < length; i += WARP * N) {
        assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
        const assay::vec<scalar_t, N> w = assay::load_vec<N>(weight + i);
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            v[lane] = assay::from_float<scalar_t>(assay::to_float(v[lane]) * scale * factor *
                                                  assay::to_float(w[lane]));
        assay::store_vec(out + i, v);
    }
}

} // namespace by_warps

static inline assay_status rmsnorm_by_warps_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    const bool aligned = ((uintptr_t)args->x | (uintptr_t)args->weight | (uintptr_t)args->out) % 16 == 0 &&
                         args->length % by_warps::LANES == 0 && args->row_padding % by_warps::LANES == 0;
    const int64_t per_block = BLOCK_THREADS / by_warps::WARP;
    return assay::launch(aligned ? by_warps::normalise<by_warps::LANES> : by_warps::normalise<1>,
                         dim3((unsigned)((args->rows + per_block - 1) / per_block)), dim3(BLOCK_THREADS), 0,
                         stream, static_cast<const scalar_t *>(args->x),
                         static_cast<const scalar_t *>(args->weight), static_cast<scalar_t *>(args->out),
                         args->rows, args->length, args->length + args->row_padding,
                         static_cast<float>(args->eps));
}

#endif
