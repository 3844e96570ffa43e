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
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread holds where rows are plenty), FILL_THREADS (threads that count
// as a full machine; below it rows are spread over more threads).
#include <assay/kernel.h>
#include "max_sum.h"
#include "softmax.h"
#include "v4_batch.h"
#include "v4_columns.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 4
#endif
#ifndef FILL_THREADS
#define FILL_THREADS 270336 // 132 multiprocessors of 2048 threads
#endif

constexpr int WARP = 32, MAX_THREADS = 1024;
constexpr int NARROW = 2 * WIDE; // fewest threads a row: one for each element off the boundary
constexpr int MOST = 32 / WIDE;  // vectors a thread holds at most: 32 floats
constexpr int USUAL = VECTORS_PER_THREAD < MOST ? VECTORS_PER_THREAD : MOST;

// The state of LANES neighbouring lanes together: first their maximum, then the sums brought to it, so that a lane needs
// one exponential and not one a step.
template <int LANES>
static __device__ __forceinline__ max_sum reduce_lanes(max_sum part)
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

// inner == 1. WIDTH threads a row and several rows a block, or BLOCK_ROW: a block a row. MANY: more than one batch.
constexpr int BLOCK_ROW = 0;
template <int VECTORS, int WIDTH, bool MANY>
static __global__ void __launch_bounds__(MAX_THREADS)
    softmax_rows(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length)
{
    const int threads = WIDTH == BLOCK_ROW ? blockDim.x : WIDTH;
    const int t = WIDTH == BLOCK_ROW ? threadIdx.x : threadIdx.x % threads;
    const int64_t row = WIDTH == BLOCK_ROW
                            ? blockIdx.x
                            : (int64_t)blockIdx.x * (blockDim.x / threads) + threadIdx.x / threads;
    x += row * length;
    out += row * length;
    // `head` elements, whole vectors, and the rest; threads past the last row only take part in the shuffles.
    const int64_t present = row < rows ? length : 0;
    const int off = (int)((uintptr_t)x % 16 / sizeof(scalar_t)), before = off == 0 ? 0 : WIDE - off;
    const int head = before < present ? before : (int)present;
    const int64_t vectors = (present - head) / WIDE;
    const int64_t edge = t < head ? t : t + vectors * WIDE; // this thread's element off the boundary
    const bool has_edge = edge < present && t < NARROW;
    const int per_batch = threads * VECTORS;
    const int64_t last = MANY ? (vectors - 1) / per_batch : 0;
    const auto count = [=](int64_t b) { return b < last ? per_batch : (int)(vectors - b * per_batch); };

    const float edge_x = has_edge ? assay::to_float(x[edge]) : -INFINITY;
    max_sum mine = {edge_x, has_edge ? 1.0f : 0.0f};
    batch<VECTORS> part;
    for (int64_t b = 0; b <= last; b++) {
        part.load(x + head + b * per_batch * WIDE, t, threads, count(b));
        const float max = fmaxf(mine.max, part.max()), before = mine.sum * rescale(mine.max, origin(max));
        mine = {max, before + part.exponentiate(origin(max))};
    }
    constexpr int LANES = WIDTH == BLOCK_ROW ? WARP : WIDTH;
    max_sum whole = reduce_lanes<LANES>(mine);
    if (WIDTH == BLOCK_ROW) {
        __shared__ max_sum of_warp[MAX_THREADS / WARP];
        of_warp[threadIdx.x / WARP] = whole;
        __syncthreads();
        const int lane = threadIdx.x % WARP;
        whole = reduce_lanes<WARP>(lane < threads / WARP ? of_warp[lane] : max_sum{-INFINITY, 0.0f});
    }
    const float factor =
        __fdividef(rescale(mine.max, origin(whole.max)), whole.sum); // all masked: 0 / 0 = NaN
    if (has_edge)
        out[edge] = assay::from_float<scalar_t>(__expf(edge_x - origin(mine.max)) * factor);
    part.store(out + head + last * per_batch * WIDE, t, threads, count(last), factor);
    for (int64_t b = last - 1; MANY && b >= 0; b--) {
        part.load(x + head + b * per_batch * WIDE, t, threads, count(b));
        part.exponentiate(origin(mine.max));
        part.store(out + head + b * per_batch * WIDE, t, threads, count(b), factor);
    }
}

// Launch with VECTORS a thread: a part of a warp, a warp or a block a row.
template <int VECTORS>
static assay_status launch_rows(const softmax_args &args, int64_t vectors, assay_stream stream)
{
    const scalar_t *x = static_cast<const scalar_t *>(args.x);
    scalar_t *out = static_cast<scalar_t *>(args.out);
    const int64_t rows = args.outer;
    const int64_t needed = (vectors + VECTORS - 1) / VECTORS; // threads a row
    if (needed <= WARP) {
        const bool narrow = needed <= NARROW;
        const int width = narrow ? NARROW : WARP;
        const int threads =
            rows * width < FILL_THREADS / 8 ? WARP : 4 * WARP; // small blocks reach more multiprocessors
        const int64_t per_block = threads / width;
        return assay::launch(narrow ? softmax_rows<VECTORS, NARROW, false>
                                    : softmax_rows<VECTORS, WARP, false>,
                             dim3((unsigned)((rows + per_block - 1) / per_block)), dim3(threads), 0, stream,
                             x, out, rows, args.length);
    }
    const int threads = needed < MAX_THREADS ? (int)((needed + WARP - 1) / WARP * WARP) : MAX_THREADS;
    const bool many = needed > MAX_THREADS;
    return assay::launch(many ? softmax_rows<VECTORS, BLOCK_ROW, VECTORS == 4>
                              : softmax_rows<VECTORS, BLOCK_ROW, false>,
                         dim3((unsigned)rows), dim3(threads), 0, stream, x, out, rows, args.length);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    const bool alike =
        ((uintptr_t)args->x ^ (uintptr_t)args->out) % 16 == 0; // x and out cross boundaries together
    if (args->inner > 1 || !alike)
        return softmax_columns_run<scalar_t>(args, stream);

    const int64_t vectors = args->length / WIDE; // of a row on the boundary; none has more
    // The fewest vectors a thread that do not ask for more threads than the machine holds, or than a block may have.
    const auto fits = [=](int each) {
        const int64_t needed = (vectors + each - 1) / each;
        return needed <= MAX_THREADS && (each >= USUAL || rows * needed <= FILL_THREADS);
    };
    if (fits(1))
        return launch_rows<1>(*args, vectors, stream);
    if (fits(2))
        return launch_rows<2>(*args, vectors, stream);
    if (MOST > 4 && !fits(4) && fits(MOST))
        return launch_rows<MOST>(*args, vectors, stream);
    return launch_rows<4>(*args, vectors, stream); // several batches if need be
}
