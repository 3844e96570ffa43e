// softmax, step 4, for inner > 1: rows lie side by side and their elements `inner` apart.
//
// A *group* is LANES neighbouring rows, read by one vector access. A block of X * Y threads takes X groups,
// so a warp reads whole 128-byte lines; Y threads share the length of a group. Each keeps up to HELD vectors
// in registers with a running (max, sum) for each lane; the Y partial states are merged by a tree in shared
// memory. Longer rows are processed in batches, and results are written from the last batch backwards, as for
// inner == 1.
// With LANES == 1 the kernel takes any shape and any pointers, also inner == 1 (then not coalesced).
#ifndef ASSAY_OPS_SOFTMAX_V4_COLUMNS_H
#define ASSAY_OPS_SOFTMAX_V4_COLUMNS_H

#include <assay/kernel.h>
#include "../max_sum.h"
#include "../softmax.h"

constexpr int COLUMN_THREADS = 512;

template <class T, int LANES, int HELD>
static __global__ void __launch_bounds__(COLUMN_THREADS)
    softmax_columns(const T *x, T *out, int64_t groups, int64_t length, int64_t inner)
{
    ASSAY_DYNAMIC_SHARED(max_sum, state); // [LANES][Y][X]
    const int threads = blockDim.x * blockDim.y, thread = threadIdx.y * blockDim.x + threadIdx.x;
    const int64_t per_batch = (int64_t)blockDim.y * HELD, last = (length - 1) / per_batch;
    for (int64_t g0 = (int64_t)blockIdx.x * blockDim.x; g0 < groups; g0 += (int64_t)gridDim.x * blockDim.x) {
        const int64_t column = (g0 + threadIdx.x) * LANES;
        const int64_t first = column / inner * length * inner + column % inner;
        const int64_t end = g0 + threadIdx.x < groups ? length : 0;
        float e[HELD][LANES];
        const auto load = [&](int64_t b) {
            assay::vec<T, LANES> raw[HELD];
#pragma unroll
            for (int k = 0; k < HELD; k++) {
                const int64_t i = b * per_batch + k * (int)blockDim.y + threadIdx.y;
                if (i < end)
                    raw[k] = assay::load_vec<LANES>(x + first + i * inner);
                else
                    for (int lane = 0; lane < LANES; lane++)
                        raw[k][lane] = assay::from_float<T>(-INFINITY);
            }
#pragma unroll
            for (int k = 0; k < HELD; k++)
#pragma unroll
                for (int lane = 0; lane < LANES; lane++)
                    e[k][lane] = assay::to_float(raw[k][lane]);
        };

        max_sum mine[LANES];
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            mine[lane] = {-INFINITY, 0.0f};
        for (int64_t b = 0; b <= last; b++) {
            load(b);
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

#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            state[lane * threads + thread] = mine[lane];
        __syncthreads();
        for (int half = blockDim.y / 2; half > 0; half /= 2) {
            if ((int)threadIdx.y < half)
#pragma unroll
                for (int lane = 0; lane < LANES; lane++)
                    state[lane * threads + thread] =
                        merge(state[lane * threads + thread],
                              state[lane * threads + thread + half * (int)blockDim.x]);
            __syncthreads();
        }
        float factor[LANES];
#pragma unroll
        for (int lane = 0; lane < LANES; lane++) {
            const max_sum whole = state[lane * threads + threadIdx.x];
            factor[lane] = __fdividef(rescale(mine[lane].max, origin(whole.max)), whole.sum);
        }
        __syncthreads(); // `state` may now be used again

        for (int64_t b = last; b >= 0; b--) {
            if (b != last) {
                load(b);
#pragma unroll
                for (int lane = 0; lane < LANES; lane++)
#pragma unroll
                    for (int k = 0; k < HELD; k++)
                        e[k][lane] = __expf(e[k][lane] - origin(mine[lane].max));
            }
#pragma unroll
            for (int k = 0; k < HELD; k++) {
                const int64_t i = b * per_batch + k * (int)blockDim.y + threadIdx.y;
                assay::vec<T, LANES> v;
#pragma unroll
                for (int lane = 0; lane < LANES; lane++)
                    v[lane] = assay::from_float<T>(e[k][lane] * factor[lane]);
                if (i < end)
                    assay::store_vec(out + first + i * inner, v);
            }
        }
    }
}

template <class T>
static assay_status softmax_columns_run(const softmax_args *args, assay_stream stream)
{
    constexpr int WIDE_LANES = assay::vec16<T>::size;
    const bool wide = ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0 && args->inner % WIDE_LANES == 0;
    const int lanes = wide ? WIDE_LANES : 1, held = wide ? 32 / WIDE_LANES : 4;
    const int least_x = wide ? 8 : 32; // groups that fill a line of 128 bytes (64 for scalar 2-byte accesses)
    int y = 1;
    while (y * held < args->length && y < COLUMN_THREADS / least_x)
        y *= 2;
    const int64_t x = COLUMN_THREADS / y, groups = args->outer * args->inner / lanes,
                  blocks = (groups + x - 1) / x;
    return assay::launch(wide ? softmax_columns<T, WIDE_LANES, 32 / WIDE_LANES> : softmax_columns<T, 1, 4>,
                         dim3((unsigned)(blocks < 0x7fffffff ? blocks : 0x7fffffff)),
                         dim3((unsigned)x, (unsigned)y), sizeof(max_sum) * COLUMN_THREADS * (size_t)lanes,
                         stream, static_cast<const T *>(args->x), static_cast<T *>(args->out), groups,
                         args->length, args->inner);
}

#endif
