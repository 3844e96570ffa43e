// softmax, step 4: the row is read once and stays in registers.
//
// The threads of a row, as many as its length asks for, hold it in registers as up to 32 floats each, loaded
// by independent 16-byte accesses that are all issued before the first use (../common/rows.h).
//   - Each thread exponentiates its elements once, relative to its own maximum, and sums them. The pairs
//     (max, sum) are reduced together: shuffles inside a warp, one exchange through shared memory between
//     warps, one barrier a row. Then one factor a thread remains, exp(own max - row max) / row sum.
//   - Short rows: part of a warp or a warp a row, several rows a block. Long rows: a block a row. Few rows:
//     more threads a row with fewer vectors each, until the device is full.
//   - Rows longer than a block can hold are processed in batches with a running (max, sum). Results are
//     written from the last batch, still in registers, back to the first; the others are loaded again, the
//     most recent ones from L2.
//   - Rows that start off a 16-byte boundary (odd lengths): the few elements before the first and behind the
//     last whole vector go to one thread each.
//   - inner > 1: vectors span neighbouring rows (v4/columns.h). Few long columns are split, too
//     (v4/long_columns.h).
//   - Small problems of one or two whole vectors a lane have kernels with the row length as a constant.
//   - Few long rows: several blocks a row, in two launches (../common/split_rows.h, v4/long_rows.h).
//   - Many short rows: a thread or a few take a row from shared memory (v4/short_rows.h). Rows of one element
//     have no need to (v4/single.h).
//   - Rows of a view are further apart. Where they lie otherwise from a 16-byte boundary than those of out, a
//     vector comes by the two chunks that it lies across (../common/across_rows.h).
// Expected effect: the rate of a device copy from 1024 columns on for all types; small sizes a little above
// an empty kernel.
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread where rows are many), FILL_THREADS (threads that
// count as a full device; below it rows are spread over more threads), SPLIT_BLOCKS_PER_SM, SPLIT_ROW_BYTES
// (which rows are split).
#include <assay/kernel.h>
#include "../common/across_rows.h"
#include "max_sum.h"
#include "softmax.h"
#include "v4/batch.h"
#include "v4/long_columns.h"
#include "v4/long_rows.h"
#include "v4/short_rows.h"
#include "v4/single.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 8 // 32 floats at most, so 4 for 2-byte types
#endif
#ifndef FILL_THREADS
#define FILL_THREADS 270336 // 132 multiprocessors of 2048
#endif

constexpr int ACROSS_BOUND = 640; // more than ACROSS_THREADS: leaves a thread 96 registers

constexpr int64_t FEW_ELEMENTS = 1 << 17; // of a problem in which the way to a thread's loads counts

// inner == 1. The template parameters are those of ../common/rows.h.
template <int VECTORS, int WIDTH, row_shape SHAPE>
static __global__ void __launch_bounds__(SHAPE == ACROSS ? ACROSS_BOUND : MAX_THREADS)
    softmax_rows(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length, int64_t stride)
{
    const row_share<VECTORS, WIDTH, SHAPE> share(SHAPE == ACROSS ? out : x, rows, length);
    const row_source<SHAPE> from(x, share.row * stride, share);
    const int t = share.t, threads = share.threads;
    out += share.row * length;
    const float edge_x = share.has_edge ? assay::to_float(from.x[share.edge]) : -INFINITY;
    softmax_batch<VECTORS> part;
    const max_sum mine = measure_share(from, share, edge_x, part);
    const max_sum whole = reduce_row<WIDTH, max_sum_reduction>(mine);
    const float factor =
        __fdividef(rescale(mine.max, origin(whole.max)), whole.sum); // all masked: 0 / 0 = NaN
    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(__expf(edge_x - origin(mine.max)) * factor);
    part.store(out + share.start(share.last), t, threads, share.count(share.last), factor);
    for (int64_t b = share.last - 1; share.MANY && b >= 0; b--) {
        part.load(from, share, b, MINUS_INFINITY);
        part.exponentiate(origin(mine.max));
        part.store(out + share.start(b), t, threads, share.count(b), factor);
    }
}

// Few rows of VECTORS whole vectors a lane, a warp a row. Elements are exponentiated relative to the row's
// maximum, which a thread's sum waits for in any case.
template <int VECTORS>
static __global__ void __launch_bounds__(WARP)
    softmax_few(const scalar_t *__restrict__ x, scalar_t *__restrict__ out)
{
    constexpr int ALL = INT32_MAX; // no vector is missing
    const uint32_t first = blockIdx.x * (WARP * VECTORS * WIDE);
    const int t = (int)threadIdx.x;
    softmax_batch<VECTORS> part;
    part.load_exact(x + first, t);
    const float max = max_of_lanes<WARP>(part.max());
    const float sum = sum_of_lanes<WARP>(part.exponentiate(max)); // all masked: NaN, as it has to become
    part.store(out + first, t, WARP, ALL, __fdividef(1.0f, sum));
}

struct softmax_kernels {
    static constexpr int USUAL_VECTORS = VECTORS_PER_THREAD, SMALL_BLOCK = 256;
    static constexpr int64_t FULL = FILL_THREADS;
    static constexpr int block_threads(int) { return MAX_THREADS; }
    template <int VECTORS, int WIDTH, row_shape SHAPE>
    static auto of()
    {
        return softmax_rows<VECTORS, WIDTH, SHAPE>;
    }
};

// Rows of `length` elements, `padding` of x behind each but the last.
struct softmax_problem {
    const scalar_t *x;
    scalar_t *out;
    int64_t rows, length, padding;
};

static assay_status softmax_contiguous(const softmax_problem &p, void *workspace, assay_stream stream)
{
    const int64_t stride = p.length + p.padding;
    const bool alike = ((uintptr_t)p.x ^ (uintptr_t)p.out) % 16 == 0 &&
                       p.padding % WIDE == 0; // rows of x and out cross boundaries together
    if (p.length == 1 && p.padding == 0 && is_aligned(p.x) && is_aligned(p.out))
        return launch_single(p.x, p.out, p.rows, stream);
    const bool whole = alike && p.length % WIDE == 0 && is_aligned(p.x);
    const int64_t lanes_full = p.length / (WARP * WIDE); // whole vectors a lane
    if (whole && p.padding == 0 && p.length == lanes_full * WARP * WIDE && lanes_full <= 2 &&
        p.rows * p.length <= FEW_ELEMENTS)
        return assay::launch(lanes_full == 1 ? softmax_few<1> : softmax_few<2>, dim3((unsigned)p.rows),
                             dim3(WARP), 0, stream, p.x, p.out);
    if (whole && p.rows > SHORT_ROWS && p.length / WIDE <= NARROW / 2)
        return launch_whole_short<softmax_kernels>(p.rows, p.length / WIDE, stream, p.x, p.out, p.rows,
                                                   p.length, stride);
    if (alike && p.padding == 0 && p.rows > SHORT_ROWS && p.length <= SHORT_LENGTH)
        return launch_short_rows<softmax_short_kernels>(p.rows, p.length, stream, p.x, p.out);
    const row_split split = split_rows(p.rows, p.length, stride, SOFTMAX_WORKSPACE_BYTES / sizeof(max_sum));
    if (split.parts > 1)
        return launch_split<max_sum>(softmax_measure_part,
                                     alike ? softmax_write_part<MANY_BATCHES> : softmax_write_part<ACROSS>,
                                     workspace, p.rows, p.length, split, stream, p.x, p.out);
    if (!alike)
        return launch_across_rows<softmax_kernels>(p.rows, p.length, stream, p.x, p.out, p.rows, p.length,
                                                   stride);
    return launch_rows<softmax_kernels>(p.rows, p.length, whole, stream, p.x, p.out, p.rows, p.length,
                                        stride);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    if (args->workspace_bytes < SOFTMAX_WORKSPACE_BYTES)
        return ASSAY_ERR_INVALID;
    if (args->inner > 1 && args->length > 1)
        return softmax_columns_run<scalar_t>(args, stream);
    return softmax_contiguous({static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                               rows, args->length, rows > 1 ? args->row_padding : 0},
                              args->workspace, stream);
}
