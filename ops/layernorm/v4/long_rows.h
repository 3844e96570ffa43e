// layernorm, step 4, for few long rows: the two kernels of ../../common/split_rows.h.
#ifndef ASSAY_OPS_LAYERNORM_V4_LONG_ROWS_H
#define ASSAY_OPS_LAYERNORM_V4_LONG_ROWS_H

#include "../../common/norm_rows.h"
#include "../../common/split_rows.h"
#include "measure.h"

// states[block] becomes the measure of the block's part, about a pivot of its own; only x is used of what
// both kernels are given.
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    layernorm_measure_part(const scalar_t *__restrict__ x, const scalar_t *__restrict__,
                           const scalar_t *__restrict__, scalar_t *__restrict__, float,
                           row_measure *__restrict__ states, int64_t length, row_split split)
{
    const row_part part(blockIdx.x, split, length);
    const part_share<> share(x + part.in_x, part.length);
    const row_source<MANY_BATCHES> from(x, part.in_x, share);
    const float edge_x = share.has_edge ? assay::to_float(from.x[share.edge]) : 0.0f;
    layernorm_batch<SPLIT_VECTORS> batch;
    const row_measure measure = measure_row<SPLIT_THREADS>(
        assay::to_float(from.x[0]), __fdividef(1.0f, (float)part.length), [&](float scale, float pivot) {
            const float edge_distance = share.has_edge ? fmaf(edge_x, scale, -pivot) : 0.0f;
            sums mine = {edge_distance, edge_distance * edge_distance};
            for (int64_t i = 0; i <= share.last; i++) {
                batch.load(from, share, i);
                batch.add_to(mine, share.t, share.threads, share.count(i), scale, pivot);
            }
            return reduce_row<SPLIT_THREADS, sums_reduction>(mine);
        });
    if (threadIdx.x == 0)
        states[blockIdx.x] = measure;
}

// The whole row's measure from its parts': n elements of a part add n d to the distances from a pivot and
// n (variance + d^2) to their squares, d being the distance of the part's mean from it. A part's mean is kept
// as pivot and distance, whose sum one float could not hold. A part that was scaled down overflows at scale
// 1, so that all are scaled.
static __device__ __forceinline__ row_measure measure_of_row(float first_x, const row_measure *parts,
                                                             int64_t length, row_split split)
{
    return measure_row<SPLIT_THREADS>(
        first_x, __fdividef(1.0f, (float)length), [&](float scale, float pivot) {
            sums mine = {0.0f, 0.0f};
            for (unsigned k = threadIdx.x; k < split.parts; k += SPLIT_THREADS) {
                const row_measure part = parts[k];
                const float n = (float)row_part::length_of(k, split, length);
                const float to_scale = change_scale(part.scale, scale);
                const float distance = fmaf(part.pivot, to_scale, -pivot) + part.mean * to_scale;
                const float variance = fmaxf(part.variance, 0.0f) * to_scale * to_scale;
                mine.distances = fmaf(n, distance, mine.distances);
                mine.squares = fmaf(n, fmaf(distance, distance, variance), mine.squares);
            }
            return reduce_row<SPLIT_THREADS, sums_reduction>(mine);
        });
}

// SHAPE: MANY_BATCHES or ACROSS.
template <row_shape SHAPE>
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    layernorm_write_part(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                         const scalar_t *__restrict__ bias, scalar_t *__restrict__ out, float eps,
                         row_measure *__restrict__ states, int64_t length, row_split split)
{
    const row_part part(gridDim.x - 1 - blockIdx.x, split, length);
    const row_measure row = measure_of_row(assay::to_float(x[part.in_x - part.first]),
                                           states + part.row * split.parts, length, split);
    const float factor = factor_of(row, eps);
    out += part.row * length + part.first;
    weight += part.first;
    bias += part.first;

    const part_share<SHAPE> share(SHAPE == ACROSS ? out : x + part.in_x, part.length);
    const row_source<SHAPE> from(x, part.in_x, share);
    const row_parameter<SPLIT_VECTORS, SHAPE, false> w(weight, share.head, share.t, share.threads, 0,
                                                       share.vectors),
        b(bias, share.head, share.t, share.threads, 0, share.vectors);
    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(normalise(assay::to_float(from.x[share.edge]), row,
                                                                factor, assay::to_float(weight[share.edge]),
                                                                assay::to_float(bias[share.edge])));
    layernorm_batch<SPLIT_VECTORS> batch;
    batch.load(from, share, share.last);
    write_row(share, batch, from, out, [&](int k, int64_t i, float *result) {
        float e[WIDE], ws[WIDE], bs[WIDE];
        batch.get(k, e);
        w.get(k, i, ws);
        b.get(k, i, bs);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            result[lane] = normalise(e[lane], row, factor, ws[lane], bs[lane]);
    });
}

#endif
