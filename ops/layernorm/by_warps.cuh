// layernorm with a warp a row: step 3.
#ifndef ASSAY_OPS_LAYERNORM_BY_WARPS_CUH
#define ASSAY_OPS_LAYERNORM_BY_WARPS_CUH

#include <assay/kernel.h>
#include "../common/overflow.h"
#include "layernorm.h"
#include "moments.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

namespace by_warps
{ // step 4 has other things of some of these names

// How far the pivot may be from a row's mean, as the square of the distance over the variance: a distance
// from the pivot is rounded by 2^-24 of itself, so most of them by little more than a distance from the mean
// is.
constexpr float FAR = 16.0f;

constexpr int WARP = 32;
constexpr int LANES = assay::vec16<scalar_t>::size;

// Number, mean and M2 of N elements times `scale` relative to `pivot`.
template <int N>
static __device__ moments measure(const assay::vec<scalar_t, N> &v, float scale, float pivot)
{
    float sum = 0.0f, m2 = 0.0f;
#pragma unroll
    for (int lane = 0; lane < N; lane++)
        sum += assay::to_float(v[lane]) * scale - pivot;
    const float mean = sum * (1.0f / N);
#pragma unroll
    for (int lane = 0; lane < N; lane++) {
        const float distance = assay::to_float(v[lane]) * scale - pivot - mean;
        m2 += distance * distance;
    }
    return {(float)N, mean, m2};
}

// N elements an access, length a multiple of N.
template <int N>
static __global__ void normalise(const scalar_t *x, const scalar_t *weight, const scalar_t *bias,
                                 scalar_t *out, int64_t rows, int64_t length, int64_t stride, float eps)
{
    const int64_t row = (int64_t)blockIdx.x * (BLOCK_THREADS / WARP) + threadIdx.x / WARP;
    if (row >= rows)
        return; // the whole warp leaves
    const int start = threadIdx.x % WARP * N;
    x += row * stride;
    out += row * length;
    float scale = 1.0f, pivot = assay::to_float(x[0]);
    moments part;
    for (bool moved = false;;) {
        part = {0.0f, 0.0f, 0.0f};
        for (int64_t i = start; i < length; i += WARP * N)
            part = merge(part, measure(assay::load_vec<N>(x + i), scale, pivot));
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            part = merge(part, {__shfl_down_sync(0xffffffffu, part.n, offset),
                                __shfl_down_sync(0xffffffffu, part.mean, offset),
                                __shfl_down_sync(0xffffffffu, part.m2, offset)});
        part.mean = __shfl_sync(0xffffffffu, part.mean, 0);
        part.m2 = __shfl_sync(0xffffffffu, part.m2, 0);
        if (!is_finite(part.m2) && scale == 1.0f) {
            scale = SCALED_DOWN;
            pivot *= SCALED_DOWN;
        } else if (!moved && part.mean * part.mean > FAR * (part.m2 / (float)length)) {
            moved = true;
            pivot += part.mean;
        } else {
            break;
        }
    }
    const float factor = rsqrtf(part.m2 / (float)length + eps * scale * scale);
    for (int64_t i = start; i < length; i += WARP * N) {
        assay::vec<scalar_t, N> v = assay::load_vec<N>(x + i);
        const assay::vec<scalar_t, N> w = assay::load_vec<N>(weight + i), b = assay::load_vec<N>(bias + i);
#pragma unroll
        for (int lane = 0; lane < N; lane++)
            v[lane] = assay::from_float<scalar_t>(
                fmaf((assay::to_float(v[lane]) * scale - pivot - part.mean) * factor,
                     assay::to_float(w[lane]), assay::to_float(b[lane])));
        assay::store_vec(out + i, v);
    }
}

} // namespace by_warps

static inline assay_status layernorm_by_warps_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    const bool aligned =
        ((uintptr_t)args->x | (uintptr_t)args->weight | (uintptr_t)args->bias | (uintptr_t)args->out) % 16 ==
            0 &&
        args->length % by_warps::LANES == 0 && args->row_padding % by_warps::LANES == 0;
    const int64_t per_block = BLOCK_THREADS / by_warps::WARP;
    return assay::launch(
        aligned ? by_warps::normalise<by_warps::LANES> : by_warps::normalise<1>,
        dim3((unsigned)((args->rows + per_block - 1) / per_block)), dim3(BLOCK_THREADS), 0, stream,
        static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
        static_cast<const scalar_t *>(args->bias), static_cast<scalar_t *>(args->out), args->rows,
        args->length, args->length + args->row_padding, static_cast<float>(args->eps));
}

#endif
