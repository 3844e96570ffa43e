// softmax, step 4, for many rows of up to 64 elements: through shared memory (../../common/short_rows.h), or,
// where they are up to half of NARROW whole vectors, by as few threads as vectors.
#ifndef ASSAY_OPS_SOFTMAX_V4_SHORT_ROWS_H
#define ASSAY_OPS_SOFTMAX_V4_SHORT_ROWS_H

#include "../../common/short_rows.h"
#include "max_sum_reduction.h"

// Elements are exponentiated relative to the row's maximum; a row that is masked altogether becomes NaN.
template <int EACH, int LANES>
static __global__ void __launch_bounds__(SHORT_THREADS)
    softmax_short(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int length,
                  int rows_of_block)
{
    __shared__ uint4 chunks[SHORT_CHUNKS];
    const row_span span(x, rows, length, rows_of_block, chunks);
    span.load(x, [](const uint4 *chunk) { return __ldg(chunk); });
    __syncthreads();
    const int lane = (int)threadIdx.x % LANES;
    for (int first = 0; first < span.rows; first += SHORT_THREADS / LANES) {
        const int row = first + (int)threadIdx.x / LANES, left = row < span.rows ? length - lane : 0;
        scalar_t *const mine = span.row(row) + lane;
        float e[EACH], max = -INFINITY, sum = 0.0f;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            e[k] = k * LANES < left ? assay::to_float(mine[k * LANES]) : -INFINITY;
            max = fmaxf(max, e[k]);
        }
        max = max_of_lanes<LANES>(max);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            sum += e[k] = __expf(e[k] - max);
        const float factor = __fdividef(1.0f, sum_of_lanes<LANES>(sum));
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (k * LANES < left)
                mine[k * LANES] = assay::from_float<scalar_t>(e[k] * factor);
    }
    __syncthreads();
    span.store(out);
}

struct softmax_short_kernels {
    template <int EACH, int LANES>
    static auto shorter()
    {
        return softmax_short<EACH, LANES>;
    }
};

// Launch Kernels::of<1, WIDTH, WHOLE_VECTORS>() for rows of up to NARROW / 2 whole vectors; `args` are the
// kernel's.
template <class Kernels, int WIDTH = 1, class... Args>
static assay_status launch_whole_short(int64_t rows, int64_t vectors, assay_stream stream, Args... args)
{
    if constexpr (2 * WIDTH < NARROW)
        if (vectors > WIDTH)
            return launch_whole_short<Kernels, 2 * WIDTH>(rows, vectors, stream, args...);
    constexpr int per_block = WARP_ROW_THREADS / WIDTH;
    return assay::launch(Kernels::template of<1, WIDTH, WHOLE_VECTORS>(),
                         dim3((unsigned)((rows + per_block - 1) / per_block)), dim3(WARP_ROW_THREADS), 0,
                         stream, args...);
}

#endif
