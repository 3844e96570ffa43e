// softmax, step 4: the row is read once and stays in registers.
//
// Everything together. THREADS_PER_ROW threads, chosen by the length, hold a row in registers as up to 32 floats each,
// loaded by independent 16-byte accesses that are all issued before the first use:
// - Each thread exponentiates its elements once, relative to its own maximum, and sums them. The pairs (max, sum) are
//   then reduced together, by shuffles inside a warp and by one exchange through shared memory between warps: one
//   barrier a row. The thread's exponentials then only need one common factor, exp(own max - row max) / row sum.
// - Short rows: 8 threads or a warp a row and several rows a block. Long ones: a block a row. Where rows are few, each is
//   given more threads with fewer vectors, until the machine is full.
// - Rows longer than a block can hold go batch by batch with a running (max, sum). Results are written from the last
//   batch, still in registers, back to the first; the others are read again, the most recent ones from L2.
// - Rows that start off a 16-byte boundary (odd lengths) are widened to whole vectors, of which only the first and the
//   last are accessed element by element.
// - inner > 1: vectors span neighbouring rows instead, and the threads that share a row reduce through shared memory.
// Expected effect: the rate of a device copy from 1024 columns on for all types; small sizes a little above an empty kernel.
// Tunables: VECTORS_PER_THREAD (16-byte vectors a thread holds where rows are plenty), FILL_THREADS (threads that count
// as a full machine; below it rows are spread over more threads).
#include <assay/kernel.h>
#include "max_sum.h"
#include "softmax.h"
#include "v4_columns.h"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 4
#endif
#ifndef FILL_THREADS
#define FILL_THREADS 270336 // 132 multiprocessors of 2048 threads
#endif

constexpr int WARP = 32, MAX_THREADS = 1024;
constexpr int WIDE = assay::vec16<scalar_t>::size; // elements of a 16-byte vector
constexpr int MOST = 32 / WIDE;                    // vectors a thread holds at most: 32 floats
constexpr int USUAL = VECTORS_PER_THREAD < MOST ? VECTORS_PER_THREAD : MOST;

// VECTORS vectors of a row in the registers of a thread. Vector k of thread t is number t + k * threads of the batch, which
// starts on a 16-byte boundary; of the batch's elements only [lo, hi) belong to the row.
template <int VECTORS>
struct batch {
    float e[VECTORS][WIDE];

    // Elements outside the row become -infinity, which adds nothing to it.
    __device__ __forceinline__ void load(const scalar_t *x, int t, int threads, int lo, int hi)
    {
        assay::vec16<scalar_t> raw[VECTORS];
        if ((lo | hi) % WIDE == 0) { // the same for all threads of a row: whole vectors only
#pragma unroll
            for (int k = 0; k < VECTORS; k++)
                raw[k] = (t + k * threads) * WIDE < hi ? assay::load_vec<WIDE>(x + (t + k * threads) * WIDE)
                                                       : nothing();
        } else {
#pragma unroll
            for (int k = 0; k < VECTORS; k++) {
                const int i = (t + k * threads) * WIDE;
                if (i >= lo && i + WIDE <= hi) {
                    raw[k] = assay::load_vec<WIDE>(x + i);
                } else {
                    raw[k] = nothing();
#pragma unroll
                    for (int lane = 0; lane < WIDE; lane++)
                        if (i + lane >= lo && i + lane < hi)
                            raw[k][lane] = x[i + lane];
                }
            }
        }
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                e[k][lane] = assay::to_float(raw[k][lane]);
    }

    static __device__ __forceinline__ assay::vec16<scalar_t> nothing()
    {
        assay::vec16<scalar_t> v;
#pragma unroll
        for (int lane = 0; lane < WIDE; lane++)
            v[lane] = assay::from_float<scalar_t>(-INFINITY);
        return v;
    }

    __device__ __forceinline__ float max() const
    {
        float max = -INFINITY;
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                max = fmaxf(max, e[k][lane]);
        return max;
    }

    // Replace the elements by their exponentials relative to `from`; returns the sum.
    __device__ __forceinline__ float exponentiate(float from)
    {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < VECTORS; k++)
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                sum += e[k][lane] = __expf(e[k][lane] - from);
        return sum;
    }

    __device__ __forceinline__ void store(scalar_t *out, int t, int threads, int lo, int hi,
                                          float factor) const
    {
        const bool whole = (lo | hi) % WIDE == 0;
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            const int i = (t + k * threads) * WIDE;
            assay::vec16<scalar_t> v;
#pragma unroll
            for (int lane = 0; lane < WIDE; lane++)
                v[lane] = assay::from_float<scalar_t>(e[k][lane] * factor);
            if (whole ? i < hi : i >= lo && i + WIDE <= hi) {
                assay::store_vec(out + i, v);
            } else if (!whole) {
#pragma unroll
                for (int lane = 0; lane < WIDE; lane++)
                    if (i + lane >= lo && i + lane < hi)
                        out[i + lane] = v[lane];
            }
        }
    }
};

// The state of `WIDTH` neighbouring lanes together: first their maximum, then the sums brought to it, so that a lane
// needs one exponential and not one a step.
template <int WIDTH>
static __device__ __forceinline__ max_sum reduce_lanes(max_sum part)
{
    float max = part.max;
#pragma unroll
    for (int offset = WIDTH / 2; offset > 0; offset /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, offset));
    float sum = part.sum * rescale(part.max, origin(max));
#pragma unroll
    for (int offset = WIDTH / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    return {max, sum};
}

// inner == 1. WIDTH <= 32: that many lanes a row, several rows a block, one batch. BLOCK_ROW: a block a row; MANY: several batches.
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
    // Widen the row to whole vectors: `skew` elements before it belong to its neighbour.
    const int skew = (int)((uintptr_t)(x + row * length) % 16 / sizeof(scalar_t));
    x += row * length - skew;
    out += row * length - skew;
    const int64_t end =
        row < rows ? skew + length : 0; // a lane past the last row takes part in the shuffles only
    const int per_batch = threads * VECTORS * WIDE;
    const int64_t last = MANY ? (end - 1) / per_batch : 0;
    const auto hi = [=](int64_t b) { return (int)(b < last ? per_batch : end - b * per_batch); };

    batch<VECTORS> part;
    max_sum mine = {-INFINITY, 0.0f};
    for (int64_t b = 0; b <= last; b++) {
        part.load(x + b * per_batch, t, threads, b == 0 ? skew : 0, hi(b));
        const float max = fmaxf(mine.max, part.max()), sum = part.exponentiate(origin(max));
        mine = {max, MANY ? mine.sum * rescale(mine.max, origin(max)) + sum : sum};
    }
    constexpr int LANES = WIDTH == BLOCK_ROW ? WARP : WIDTH;
    max_sum whole = reduce_lanes<LANES>(mine);
    if (WIDTH == BLOCK_ROW) {
        __shared__ max_sum of_warp[MAX_THREADS / WARP];
        of_warp[threadIdx.x / WARP] = whole;
        __syncthreads();
        const int lane = threadIdx.x % WARP;
        whole = lane < threads / WARP ? of_warp[lane] : max_sum{-INFINITY, 0.0f};
        whole = reduce_lanes<WARP>(whole);
    }
    const float factor =
        __fdividef(rescale(mine.max, origin(whole.max)), whole.sum); // masked row: 0 / 0 = NaN
    part.store(out + last * per_batch, t, threads, last == 0 ? skew : 0, hi(last), factor);
    for (int64_t b = last - 1; MANY && b >= 0; b--) {
        part.load(x + b * per_batch, t, threads, b == 0 ? skew : 0, hi(b));
        part.exponentiate(origin(mine.max));
        part.store(out + b * per_batch, t, threads, b == 0 ? skew : 0, hi(b), factor);
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
        const bool narrow = needed <= 8;
        const int width = narrow ? 8 : WARP;
        const int threads =
            rows * width < FILL_THREADS / 8 ? WARP : 4 * WARP; // small blocks reach more multiprocessors
        const int64_t per_block = threads / width;
        return assay::launch(narrow ? softmax_rows<VECTORS, 8, false> : softmax_rows<VECTORS, WARP, false>,
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

    const bool even = (uintptr_t)args->x % 16 == 0 && args->length % WIDE == 0;
    const int64_t vectors =
        (args->length + WIDE - 1) / WIDE + (even ? 0 : 1); // a row off the boundary may touch one more
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
