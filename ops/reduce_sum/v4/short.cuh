// Sums of many rows of up to 64 elements that are no whole vectors (inner == 1), for step 4: a thread or a
// few take a row from shared memory (../../common/short_rows.h).
#ifndef ASSAY_OPS_REDUCE_SUM_V4_SHORT_CUH
#define ASSAY_OPS_REDUCE_SUM_V4_SHORT_CUH

#include "../../common/short_rows.h"

template <int EACH, int LANES>
static __global__ void __launch_bounds__(SHORT_THREADS)
    sum_short(const scalar_t *__restrict__ x, scalar_t *__restrict__ out, int64_t rows, int length,
              int rows_of_block)
{
    __shared__ uint4 chunks[SHORT_CHUNKS];
    const row_span span(x, rows, length, rows_of_block, chunks);
    span.load(x, [](const uint4 *chunk) { return __ldcs(chunk); }); // once, as in load.cuh
    __syncthreads();
    const int lane = (int)threadIdx.x % LANES;
    for (int first = 0; first < span.rows; first += SHORT_THREADS / LANES) {
        const int row = first + (int)threadIdx.x / LANES, left = row < span.rows ? length - lane : 0;
        const scalar_t *const mine = span.row(row) + lane;
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < EACH; k++)
            sum += k * LANES < left ? assay::to_float(mine[k * LANES]) : 0.0f;
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (lane == 0 && row < span.rows)
            out[span.first + row] = assay::from_float<scalar_t>(sum);
    }
}

struct sum_short_kernels {
    template <int EACH, int LANES>
    static auto shorter()
    {
        return sum_short<EACH, LANES>;
    }
};

#endif
