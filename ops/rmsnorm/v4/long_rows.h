// rmsnorm, step 4, for few long rows: the two kernels of ../../common/split_rows.h.
#ifndef ASSAY_OPS_RMSNORM_V4_LONG_ROWS_H
#define ASSAY_OPS_RMSNORM_V4_LONG_ROWS_H

#include "../../common/norm_rows.h"
#include "../../common/split_rows.h"
#include "squares.h"

// The sum of squares of a part of a row, of elements times `scale`.
struct part_squares {
    float scale, sum;
};

// states[block] becomes that of the block's part; only x is used of what both kernels are given.
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    rmsnorm_measure_part(const scalar_t *__restrict__ x, const scalar_t *__restrict__, scalar_t *__restrict__,
                         float, part_squares *__restrict__ states, int64_t length, row_split split)
{
    const row_part part(blockIdx.x, split, length);
    const part_share<> share(x + part.in_x, part.length);
    const row_source<MANY_BATCHES> from(x, part.in_x, share);
    const float edge_x = share.has_edge ? assay::to_float(from.x[share.edge]) : 0.0f;
    packed_batch<SPLIT_VECTORS> batch;
    float scale = 1.0f, squares;
    for (bool again = false;; again = true) {
        squares = edge_x * scale * (edge_x * scale);
        for (int64_t i = 0; i <= share.last; i++) {
            batch.load(from, share, i);
            squares += sum_squares(batch, scale);
        }
        if (sum_row<SPLIT_THREADS>(squares, scale, again))
            break;
    }
    if (threadIdx.x == 0)
        states[blockIdx.x] = {scale, squares};
}

// The whole row's from its parts'. A part that was scaled down overflows at scale 1, so that all are scaled.
static __device__ __forceinline__ part_squares squares_of_row(const part_squares *parts, unsigned count)
{
    float scale = 1.0f, squares;
    for (bool again = false;; again = true) {
        squares = 0.0f;
        for (unsigned k = threadIdx.x; k < count; k += SPLIT_THREADS) {
            const float to_scale = change_scale(parts[k].scale, scale);
            squares += parts[k].sum * to_scale * to_scale;
        }
        if (sum_row<SPLIT_THREADS>(squares, scale, again))
            break;
    }
    return {scale, squares};
}

// SHAPE: MANY_BATCHES or ACROSS.
template <row_shape SHAPE>
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    rmsnorm_write_part(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                       scalar_t *__restrict__ out, float eps, part_squares *__restrict__ states,
                       int64_t length, row_split split)
{
    const row_part part(gridDim.x - 1 - blockIdx.x, split, length);
    out += part.row * length + part.first;
    weight += part.first;
    const part_squares row = squares_of_row(states + part.row * split.parts, split.parts);
    const float scale = row.scale;
    const float factor = rsqrtf(__fdividef(row.sum, (float)length) + eps * scale * scale);

    const part_share<SHAPE> share(SHAPE == ACROSS ? out : x + part.in_x, part.length);
    const row_source<SHAPE> from(x, part.in_x, share);
    const row_parameter<SPLIT_VECTORS, SHAPE, false> w(weight, share.head, share.t, share.threads, 0,
                                                       share.vectors);
    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(assay::to_float(from.x[share.edge]) * scale * factor *
                                                      assay::to_float(weight[share.edge]));
    packed_batch<SPLIT_VECTORS> batch;
    batch.load(from, share, share.last);
    write_row(share, batch, from, out, [&](int k, int64_t i, float *result) {
        float e[WIDE], ws[WIDE];
        batch.get(k, e);
        w.get(k, i, ws);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            result[lane] = e[lane] * scale * factor * ws[lane];
    });
}

#endif
