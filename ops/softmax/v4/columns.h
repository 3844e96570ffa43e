// softmax, step 4, for inner > 1: rows lie side by side and their elements `inner` apart.
//
// A *group* is LANES neighbouring rows, read by one vector access. A block of X * Y threads takes X groups,
// so a warp reads whole 128-byte lines; Y threads share the length of a group. Each keeps up to HELD vectors
// in registers with a running (max, sum) for each lane; the Y partial states are merged by a tree in shared
// memory. Longer rows are processed in batches, and results are written from the last batch backwards, as for
// inner == 1. Where that leaves few blocks, the length is split among several (long_columns.h).
// With LANES == 1 the kernels take any inner and any pointers.
#ifndef ASSAY_OPS_SOFTMAX_V4_COLUMNS_H
#define ASSAY_OPS_SOFTMAX_V4_COLUMNS_H

#include <assay/kernel.h>
#include "../max_sum.h"
#include "../softmax.h"

constexpr int COLUMN_THREADS = 512;

// The elements i, i + step, ... of a group's rows that a thread holds, as far as they are before `end`.
template <class T, int LANES, int HELD>
struct column_batch {
    float e[HELD][LANES];

    // x is at element 0 of the group. What is missing adds nothing to a row.
    __device__ __forceinline__ void load(const T *x, int64_t i, int step, int64_t end, int64_t inner)
    {
        assay::vec<T, LANES> raw[HELD];
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            if (i + k * step < end)
                raw[k] = assay::load_vec<LANES>(x + (i + k * step) * inner);
            else
                for (int lane = 0; lane < LANES; lane++)
                    raw[k][lane] = assay::from_float<T>(-INFINITY);
        }
#pragma unroll
        for (int k = 0; k < HELD; k++)
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                e[k][lane] = assay::to_float(raw[k][lane]);
    }

    // Add the elements to the running states, whose maxima they are relative to afterwards.
    __device__ __forceinline__ void exponentiate_into(max_sum (&mine)[LANES])
    {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            float max = mine[lane].max, sum = 0.0f;
#pragma unroll
            for (int k = 0; k < HELD; k++)
                max = fmaxf(max, e[k][lane]);
#pragma unroll
            for (int k = 0; k < HELD; k++)
                sum += e[k][lane] = __expf(e[k][lane] - origin(max));
            mine[lane] = {max, mine[lane].sum * rescale(mine[lane].max, origin(max)) + sum};
        }
    }

    __device__ __forceinline__ void exponentiate(const max_sum (&from)[LANES])
    {
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
#pragma unroll
            for (int k = 0; k < HELD; k++)
                e[k][lane] = __expf(e[k][lane] - origin(from[lane].max));
    }

    __device__ __forceinline__ void store(T *out, int64_t i, int step, int64_t end, int64_t inner,
                                          const float (&factor)[LANES]) const
    {
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            assay::vec<T, LANES> v;
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                v[lane] = assay::from_float<T>(e[k][lane] * factor[lane]);
            if (i + k * step < end)
                assay::store_vec(out + (i + k * step) * inner, v);
        }
    }
};

// Position of element 0 of the group `column` belongs to.
static __device__ __forceinline__ int64_t start_of_group(int64_t column, int64_t length, int64_t inner)
{
    return column / inner * length * inner + column % inner;
}

// The states of the Y threads of a group become one, in shared memory from state[lane * threads + x] on.
// Barriers before and after.
template <int LANES>
static __device__ __forceinline__ void merge_threads(const max_sum (&mine)[LANES], max_sum *state)
{
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        state[lane * threads + thread] = mine[lane];
    __syncthreads();
    for (int half = blockDim.y / 2; half > 0; half /= 2) {
        if ((int)threadIdx.y < half)
#pragma unroll
            for (int lane = 0; lane < LANES; lane++)
                state[lane * threads + thread] = merge(
                    state[lane * threads + thread], state[lane * threads + thread + half * (int)blockDim.x]);
        __syncthreads();
    }
}

template <class T, int LANES, int HELD>
static __global__ void __launch_bounds__(COLUMN_THREADS)
    softmax_columns(const T *x, T *out, int64_t groups, int64_t length, int64_t inner)
{
    ASSAY_DYNAMIC_SHARED(max_sum, state); // [LANES][Y][X]
    const int step = blockDim.y;
    const int64_t per_batch = (int64_t)step * HELD, last = (length - 1) / per_batch;
    for (int64_t g0 = (int64_t)blockIdx.x * blockDim.x; g0 < groups; g0 += (int64_t)gridDim.x * blockDim.x) {
        const int64_t first = start_of_group((g0 + threadIdx.x) * LANES, length, inner);
        const int64_t end = g0 + threadIdx.x < groups ? length : 0;
        column_batch<T, LANES, HELD> part;
        max_sum mine[LANES];
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            mine[lane] = {-INFINITY, 0.0f};
        for (int64_t b = 0; b <= last; b++) {
            part.load(x + first, b * per_batch + threadIdx.y, step, end, inner);
            part.exponentiate_into(mine);
        }
        merge_threads(mine, state);
        float factor[LANES];
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            const max_sum whole = state[lane * (int)(blockDim.x * blockDim.y) + threadIdx.x];
            factor[lane] = __fdividef(rescale(mine[lane].max, origin(whole.max)), whole.sum);
        }
        __syncthreads(); // `state` may now be used again
        for (int64_t b = last; b >= 0; b--) {
            if (b != last) {
                part.load(x + first, b * per_batch + threadIdx.y, step, end, inner);
                part.exponentiate(mine);
            }
            part.store(out + first, b * per_batch + threadIdx.y, step, end, inner, factor);
        }
    }
}

#endif
