// softmax, step 4, for few long rows: the two kernels of ../../common/split_rows.h.
#ifndef ASSAY_OPS_SOFTMAX_V4_LONG_ROWS_H
#define ASSAY_OPS_SOFTMAX_V4_LONG_ROWS_H

#include "../../common/split_rows.h"
#include "batch.h"
#include "max_sum_reduction.h"

// states[block] becomes the (max, sum) of the block's part. `out` is not touched.
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    softmax_measure_part(const scalar_t *x, scalar_t *, max_sum *states, int64_t length, row_split split)
{
    const row_part part(blockIdx.x, split, length);
    const part_share<> share(x + part.in_x, part.length);
    const row_source<MANY_BATCHES> from(x, part.in_x, share);
    const float edge_x = share.has_edge ? assay::to_float(from.x[share.edge]) : -INFINITY;
    softmax_batch<SPLIT_VECTORS> batch;
    const max_sum whole =
        reduce_row<SPLIT_THREADS, max_sum_reduction>(measure_share(from, share, edge_x, batch));
    if (threadIdx.x == 0)
        states[blockIdx.x] = whole;
}

// Elements are exponentiated relative to the row's maximum, which is known here. SHAPE: MANY_BATCHES or
// ACROSS.
template <row_shape SHAPE>
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    softmax_write_part(const scalar_t *x, scalar_t *out, max_sum *states, int64_t length, row_split split)
{
    const row_part part(gridDim.x - 1 - blockIdx.x, split, length);
    out += part.row * length + part.first;
    states += part.row * split.parts;
    max_sum mine = max_sum_reduction::nothing();
    for (unsigned k = threadIdx.x; k < split.parts; k += SPLIT_THREADS)
        mine = merge(mine, states[k]);
    const max_sum row = reduce_row<SPLIT_THREADS, max_sum_reduction>(mine);
    const float max = origin(row.max), factor = __fdividef(1.0f, row.sum); // all masked: 0 * (1 / 0) = NaN

    const part_share<SHAPE> share(SHAPE == ACROSS ? out : x + part.in_x, part.length);
    const row_source<SHAPE> from(x, part.in_x, share);
    if (share.has_edge)
        out[share.edge] =
            assay::from_float<scalar_t>(__expf(assay::to_float(from.x[share.edge]) - max) * factor);
    softmax_batch<SPLIT_VECTORS> batch;
    for (int64_t b = share.last; b >= 0; b--) {
        batch.load(from, share, b, MINUS_INFINITY);
        batch.exponentiate(max);
        batch.store(out + share.start(b), share.t, share.threads, share.count(b), factor);
    }
}

#endif
