// layernorm, step 4: the row is read once and stays in registers.
//
// The threads of a row hold it in registers as it came from memory, loaded by independent 16-byte accesses
// that are all issued before the first use (../common/rows.h); elements are converted where they are used.
//   - One pass, one reduction, one barrier a row: sums of the distances from a pivot, the row's first
//     element, and of their squares. Mean and variance follow from both. While the pivot is within four
//     standard deviations of the mean, cancellation costs little; otherwise the row is measured again with
//     the mean just found as its pivot.
//   - Short rows: part of a warp or a warp a row, several rows a block. Long rows: a block a row. Few rows:
//     more threads a row with fewer vectors each, until the device is full.
//   - Weight and bias are the same for all rows and come from L1 or L2. They are loaded together with the
//     row, so that nothing is waited for after the reduction (../common/norm_rows.h).
//   - Kernels for rows of whole vectors have no code for edges and batches. Rows that start off a 16-byte
//     boundary (odd lengths) have kernels of their own: the few elements before the first and behind the last
//     whole vector go to one thread each, and weight and bias come by the two aligned chunks that a vector's
//     columns lie across.
//   - Rows longer than a block can hold are processed in batches, and loaded again for writing from the last
//     batch, still in registers, back to the first.
//   - Small problems of short rows of whole vectors: a block a row, two elements a thread
//     (../common/few_rows.h).
//   - Few long rows: several blocks a row, in two launches (../common/split_rows.h, v4/long_rows.h).
//   - Rows of a view are further apart. Where they lie otherwise from a 16-byte boundary than those of out, a
//     vector comes by the two chunks that it lies across (../common/across_rows.h).
// Expected effect: the rate of a device copy from 1024 columns on for all types; small sizes a little above
// an empty kernel.
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread where rows are many), FILL_THREADS (threads that
// count as a full device; below it rows are spread over more threads), MOST_AHEAD (vectors a thread up to
// which weight and bias are loaded together with the row), FEW_ELEMENTS (elements a thread in small
// problems), FEW_THREADS (threads up to which a problem is small), SPLIT_BLOCKS_PER_SM, SPLIT_ROW_BYTES
// (which rows are split), PARAMETERS_ACROSS (0: odd rows read parameters by elements).
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/few_rows.h"
#include "../common/norm_rows.h"
#include "layernorm.h"
#include "v4/long_rows.h"
#include "v4/measure.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 4
#endif
#ifndef MOST_AHEAD
#define MOST_AHEAD 4
#endif

// Two parameters ahead and 32 elements, as 2-byte types have, take 96 registers; 16 elements take 80.
using blocks = norm_blocks<VECTORS_PER_THREAD, WIDE == 4 ? 768 : 640>;

// The template parameters are those of ../common/rows.h.
template <int VECTORS, int WIDTH, row_shape SHAPE>
static __global__ void __launch_bounds__(blocks::bound<WIDTH>, blocks::resident<WIDTH>)
    layernorm_rows(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                   const scalar_t *__restrict__ bias, scalar_t *__restrict__ out, int64_t rows,
                   int64_t length, float eps, int64_t stride)
{
    constexpr bool AHEAD = VECTORS <= (WIDTH > blocks::SMALL_BLOCK ? 8 / WIDE : MOST_AHEAD);
    const row_share<VECTORS, WIDTH, SHAPE> share(SHAPE == ACROSS ? out : x, rows, length);
    const row_source<SHAPE> from(x, share.row * stride, share);
    const int t = share.t, threads = share.threads;
    layernorm_batch<VECTORS> part;
    part.load(from, share, share.last);
    const float edge_x = share.has_edge ? assay::to_float(from.x[share.edge]) : 0.0f;
    const float first_x = share.row < rows ? assay::to_float(from.x[0]) : 0.0f;
    const row_parameter<VECTORS, SHAPE, AHEAD> w(weight, share.head, t, threads, share.count(0),
                                                 share.vectors),
        b(bias, share.head, t, threads, share.count(0), share.vectors);

    const row_measure row =
        measure_row<WIDTH>(first_x, __fdividef(1.0f, (float)length), [&](float scale, float pivot) {
            const float edge_distance = share.has_edge ? fmaf(edge_x, scale, -pivot) : 0.0f;
            sums mine = {edge_distance, edge_distance * edge_distance};
            for (int64_t i = 0; i <= share.last; i++) {
                if (share.reloads())
                    part.load(from, share, i);
                part.add_to(mine, t, threads, share.count(i), scale, pivot);
            }
            part.keep_packed();
            return reduce_row<WIDTH, sums_reduction>(mine);
        });
    out = start_of_row(out, share, length);
    const float factor = factor_of(row, eps);

    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(normalise(
            edge_x, row, factor, assay::to_float(weight[share.edge]), assay::to_float(bias[share.edge])));
    write_row(share, part, from, out, [&](int k, int64_t i, float *result) {
        float e[WIDE], ws[WIDE], bs[WIDE];
        part.get(k, e);
        w.get(k, i, ws);
        b.get(k, i, bs);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            result[lane] = normalise(e[lane], row, factor, ws[lane], bs[lane]);
    });
}

// Few short rows (../common/few_rows.h).
template <int THREADS>
static __global__ void __launch_bounds__(THREADS)
    layernorm_few(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                  const scalar_t *__restrict__ bias, scalar_t *__restrict__ out, float eps)
{
    constexpr float INVERSE = 1.0f / (THREADS * FEW_ELEMENTS);
    const uint32_t first = blockIdx.x * THREADS, share = first + threadIdx.x;
    float e[FEW_ELEMENTS], w[FEW_ELEMENTS], b[FEW_ELEMENTS];
    load_few(x, share, e);
    const float first_x = assay::to_float(x[first * FEW_ELEMENTS]);
    load_few(weight, threadIdx.x, w);
    load_few(bias, threadIdx.x, b);
    const row_measure row = measure_row<THREADS>(first_x, INVERSE, [&](float scale, float pivot) {
        sums mine = {0.0f, 0.0f};
#pragma unroll
        for (int k = 0; k < FEW_ELEMENTS; k++) {
            const float distance = fmaf(e[k], scale, -pivot);
            mine.distances += distance;
            mine.squares = fmaf(distance, distance, mine.squares);
        }
        return reduce_row<THREADS, sums_reduction, true>(mine);
    });
    const float factor = factor_of(row, eps);
#pragma unroll
    for (int k = 0; k < FEW_ELEMENTS; k++)
        e[k] = normalise(e[k], row, factor, w[k], b[k]);
    store_few(out, share, e);
}

struct layernorm_kernels : blocks {
    template <int VECTORS, int WIDTH, row_shape SHAPE>
    static auto of()
    {
        return layernorm_rows<VECTORS, WIDTH, SHAPE>;
    }
    template <int THREADS>
    static auto few()
    {
        return layernorm_few<THREADS>;
    }
};

extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    if (args->rows > UINT32_MAX)
        return ASSAY_ERR_UNSUPPORTED; // start_of_row() counts them in 32 bits
    if (args->workspace_bytes < LAYERNORM_WORKSPACE_BYTES)
        return ASSAY_ERR_INVALID;
    const scalar_t *x = static_cast<const scalar_t *>(args->x),
                   *weight = static_cast<const scalar_t *>(args->weight),
                   *bias = static_cast<const scalar_t *>(args->bias);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const float eps = static_cast<float>(args->eps);
    const int64_t padding = args->rows > 1 ? args->row_padding : 0, stride = args->length + padding;
    const bool alike = ((uintptr_t)x ^ (uintptr_t)out) % 16 == 0 &&
                       padding % WIDE == 0; // rows of x and out cross boundaries together
    const bool whole =
        alike && args->length % WIDE == 0 && is_aligned(x) && is_aligned(weight) && is_aligned(bias);
    if (padding == 0 && are_few_rows(args->rows, args->length, whole))
        return launch_few_rows<layernorm_kernels>(args->rows, args->length, stream, x, weight, bias, out,
                                                  eps);
    const row_split split =
        split_rows(args->rows, args->length, stride, LAYERNORM_WORKSPACE_BYTES / sizeof(row_measure));
    if (split.parts > 1)
        return launch_split<row_measure>(
            layernorm_measure_part, alike ? layernorm_write_part<MANY_BATCHES> : layernorm_write_part<ACROSS>,
            args->workspace, args->rows, args->length, split, stream, x, weight, bias, out, eps);
    if (!alike)
        return launch_across_rows<layernorm_kernels>(args->rows, args->length, stream, x, weight, bias, out,
                                                     args->rows, args->length, eps, stride);
    return launch_rows<layernorm_kernels>(args->rows, args->length, whole, stream, x, weight, bias, out,
                                          args->rows, args->length, eps, stride);
}
