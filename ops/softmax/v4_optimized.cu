// softmax, step 4: the row is read once and stays in registers.
//
// Everything together. The threads of a row, as many as its length asks for, hold it in registers as up to 32 floats each,
// loaded by independent 16-byte accesses that are all issued before the first use:
// - Each thread exponentiates its elements once, relative to its own maximum, and sums them. The pairs (max, sum) are
//   then reduced together, by shuffles inside a warp and by one exchange through shared memory between warps: one
//   barrier a row. The thread's exponentials then only need one common factor, exp(own max - row max) / row sum.
// - Short rows: part of a warp or a warp a row and several rows a block. Long ones: a block a row. Where rows are few,
//   each is given more threads with fewer vectors, until the machine is full.
// - Rows longer than a block can hold go batch by batch with a running (max, sum). Results are written from the last
//   batch, still in registers, back to the first; the others are read again, the most recent ones from L2.
// - Rows that start off a 16-byte boundary (odd lengths): the few elements before the first and behind the last whole
//   vector go to one thread each, beside its vectors.
// - inner > 1: vectors span neighbouring rows instead (v4_columns.h).
// Expected effect: the rate of a device copy from 1024 columns on for all types; small sizes a little above an empty kernel.
// How a row is cut up and how many threads it gets is in ../common/rows.h.
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread holds where rows are plenty), FILL_THREADS (threads that count
// as a full machine; below it rows are spread over more threads).
#include <assay/kernel.h>
#include "max_sum.h"
#include "softmax.h"
#include "v4_batch.h"
#include "v4_columns.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 8 // 32 floats at most, so 4 for 2-byte types
#endif
#ifndef FILL_THREADS
#define FILL_THREADS 270336 // 132 multiprocessors of 2048
#endif

struct max_sum_reduction {
    using state = max_sum;
    static __device__ __forceinline__ max_sum nothing() { return {-INFINITY, 0.0f}; }

    // First the maximum of the lanes, then the sums brought to it, so that a lane needs one exponential and not one a step.
    template <int LANES>
    static __device__ __forceinline__ max_sum lanes(max_sum part)
    {
        float max = part.max;
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, offset));
        float sum = part.sum * rescale(part.max, origin(max));
#pragma unroll
        for (int offset = LANES / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        return {max, sum};
    }
};

// inner == 1. The template parameters are those of ../common/rows.h.
template <int VECTORS, int WIDTH, row_shape SHAPE>
static __global__ void __launch_bounds__(MAX_THREADS)
    softmax_rows(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length)
{
    constexpr bool MANY = SHAPE == MANY_BATCHES;
    const row_share<VECTORS, WIDTH, SHAPE> share(x, rows, length);
    const int t = share.t, threads = share.threads;
    x += share.row * length;
    out += share.row * length;
    const float edge_x = share.has_edge ? assay::to_float(x[share.edge]) : -INFINITY;
    max_sum mine = {edge_x, share.has_edge ? 1.0f : 0.0f};
    softmax_batch<VECTORS> part;
    for (int64_t b = 0; b <= share.last; b++) {
        part.load(x + share.start(b), t, threads, share.count(b), MINUS_INFINITY); // adds nothing to a row
        const float max = fmaxf(mine.max, part.max()), before = mine.sum * rescale(mine.max, origin(max));
        mine = {max, before + part.exponentiate(origin(max))};
    }
    const max_sum whole = reduce_row<WIDTH, max_sum_reduction>(mine);
    const float factor =
        __fdividef(rescale(mine.max, origin(whole.max)), whole.sum); // all masked: 0 / 0 = NaN
    if (share.has_edge)
        out[share.edge] = assay::from_float<scalar_t>(__expf(edge_x - origin(mine.max)) * factor);
    part.store(out + share.start(share.last), t, threads, share.count(share.last), factor);
    for (int64_t b = share.last - 1; MANY && b >= 0; b--) {
        part.load(x + share.start(b), t, threads, share.count(b), MINUS_INFINITY);
        part.exponentiate(origin(mine.max));
        part.store(out + share.start(b), t, threads, share.count(b), factor);
    }
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

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    const bool alike =
        ((uintptr_t)args->x ^ (uintptr_t)args->out) % 16 == 0; // x and out cross boundaries together
    if (args->inner > 1 || !alike)
        return softmax_columns_run<scalar_t>(args, stream);

    const bool whole = args->length % WIDE == 0 && is_aligned(args->x);
    return launch_rows<softmax_kernels>(args->outer, args->length, whole, stream,
                                        static_cast<const scalar_t *>(args->x),
                                        static_cast<scalar_t *>(args->out), args->outer, args->length);
}
