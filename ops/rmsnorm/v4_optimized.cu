// rmsnorm, step 4: the row is read once and stays in registers.
//
// The threads of a row hold it in registers as it came from memory, loaded by independent 16-byte accesses
// that are all issued before the first use (../common/rows.h); elements are converted where they are used.
//   - The sums of squares are reduced by shuffles inside a warp and one exchange through shared memory
//     between warps, one barrier a row.
//   - Short rows: part of a warp or a warp a row, several rows a block. Long rows: a block a row. Few rows:
//     more threads a row with fewer vectors each, until the device is full.
//   - The weight is the same for all rows and comes from L1 or L2. It is loaded together with the row, so
//     that nothing is waited for after the reduction (../common/norm_rows.h).
//   - Kernels for rows of whole vectors have no code for edges and batches. Rows that start off a 16-byte
//     boundary (odd lengths) have kernels of their own: the few elements before the first and behind the last
//     whole vector go to one thread each, and the weight come by the two aligned chunks that a vector's
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
// which the weight is loaded together with the row), FEW_ELEMENTS (elements a thread in small problems),
// FEW_THREADS (threads up to which a problem is small), SPLIT_BLOCKS_PER_SM, SPLIT_ROW_BYTES (which rows are
// split), PARAMETERS_ACROSS (0: odd rows read parameters by elements).
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/few_rows.h"
#include "../common/norm_rows.h"
#include "rmsnorm.h"
#include "v4/long_rows.h"
#include "v4/squares.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 4
#endif
#ifndef MOST_AHEAD
#define MOST_AHEAD 4
#endif
using blocks = norm_blocks<VECTORS_PER_THREAD, 768>;

// The template parameters are those of ../common/rows.h.
template <int VECTORS, int WIDTH, row_shape SHAPE>
static __global__ void __launch_bounds__(blocks::bound<WIDTH>, blocks::resident<WIDTH>)
    rmsnorm_rows(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                 scalar_t *__restrict__ out, int64_t rows, int64_t length, float eps, int64_t stride)
{
    constexpr bool AHEAD = VECTORS <= MOST_AHEAD;
    const row_share<VECTORS, WIDTH, SHAPE> share(SHAPE == ACROSS ? out : x, rows, length);
    const row_source<SHAPE> from(x, share.row * stride, share);
    const int t = share.t, threads = share.threads;
    packed_batch<VECTORS> part;
    part.load(from, share, share.last);
    const float edge_x = share.has_edge ? assay::to_float(from.x[share.edge]) : 0.0f;
    const row_parameter<VECTORS, SHAPE, AHEAD> w(weight, share.head, t, threads, share.count(0),
                                                 share.vectors);

    float scale = 1.0f, squares;
    for (bool again = false;; again = true) {
        squares = edge_x * scale * (edge_x * scale);
        for (int64_t i = 0; i <= share.last; i++) {
            if (share.reloads())
                part.load(from, share, i);
            squares += sum_squares(part, scale);
        }
        part.keep_packed();
        if (sum_row<WIDTH>(squares, scale, again))
            break;
    }
    out = start_of_row(out, share, length);
    const float factor = rsqrtf(__fdividef(squares, (float)length) + eps * scale * scale);

    if (share.has_edge)
        out[share.edge] =
            assay::from_float<scalar_t>(edge_x * scale * factor * assay::to_float(weight[share.edge]));
    write_row(share, part, from, out, [&](int k, int64_t i, float *result) {
        float e[WIDE], ws[WIDE];
        part.get(k, e);
        w.get(k, i, ws);
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            result[lane] = e[lane] * scale * factor * ws[lane];
    });
}

// Few short rows (../common/few_rows.h).
template <int THREADS>
static __global__ void __launch_bounds__(THREADS)
    rmsnorm_few(const scalar_t *__restrict__ x, const scalar_t *__restrict__ weight,
                scalar_t *__restrict__ out, float eps)
{
    const uint32_t share = blockIdx.x * THREADS + threadIdx.x;
    float e[FEW_ELEMENTS], w[FEW_ELEMENTS];
    load_few(x, share, e);
    load_few(weight, threadIdx.x, w);
    float scale = 1.0f, squares;
    for (bool again = false;; again = true) {
        squares = 0.0f;
#pragma unroll
        for (int k = 0; k < FEW_ELEMENTS; k++)
            squares = fmaf(e[k] * scale, e[k] * scale, squares);
        if (sum_row<THREADS, true>(squares, scale, again))
            break;
    }
    constexpr float INVERSE = 1.0f / (THREADS * FEW_ELEMENTS);
    const float factor = rsqrtf(fmaf(squares, INVERSE, eps * scale * scale));
#pragma unroll
    for (int k = 0; k < FEW_ELEMENTS; k++)
        e[k] = e[k] * scale * factor *
               w[k]; // from left to right: factor times w may overflow where the result does not
    store_few(out, share, e);
}

struct rmsnorm_kernels : blocks {
    template <int VECTORS, int WIDTH, row_shape SHAPE>
    static auto of()
    {
        return rmsnorm_rows<VECTORS, WIDTH, SHAPE>;
    }
    template <int THREADS>
    static auto few()
    {
        return rmsnorm_few<THREADS>;
    }
};

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    if (args->rows > UINT32_MAX)
        return ASSAY_ERR_UNSUPPORTED; // start_of_row() counts them in 32 bits
    if (args->workspace_bytes < RMSNORM_WORKSPACE_BYTES)
        return ASSAY_ERR_INVALID;
    const scalar_t *x = static_cast<const scalar_t *>(args->x),
                   *weight = static_cast<const scalar_t *>(args->weight);
    scalar_t *out = static_cast<scalar_t *>(args->out);
    const float eps = static_cast<float>(args->eps);
    const int64_t padding = args->rows > 1 ? args->row_padding : 0, stride = args->length + padding;
    const bool alike = ((uintptr_t)x ^ (uintptr_t)out) % 16 == 0 &&
                       padding % WIDE == 0; // rows of x and out cross boundaries together
    const bool whole = alike && args->length % WIDE == 0 && is_aligned(x) && is_aligned(weight);
    if (padding == 0 && are_few_rows(args->rows, args->length, whole))
        return launch_few_rows<rmsnorm_kernels>(args->rows, args->length, stream, x, weight, out, eps);
    const row_split split =
        split_rows(args->rows, args->length, stride, RMSNORM_WORKSPACE_BYTES / sizeof(part_squares));
    if (split.parts > 1)
        return launch_split<part_squares>(
            rmsnorm_measure_part, alike ? rmsnorm_write_part<MANY_BATCHES> : rmsnorm_write_part<ACROSS>,
            args->workspace, args->rows, args->length, split, stream, x, weight, out, eps);
    if (!alike)
        return launch_across_rows<rmsnorm_kernels>(args->rows, args->length, stream, x, weight, out,
                                                   args->rows, args->length, eps, stride);
    return launch_rows<rmsnorm_kernels>(args->rows, args->length, whole, stream, x, weight, out, args->rows,
                                        args->length, eps, stride);
}
