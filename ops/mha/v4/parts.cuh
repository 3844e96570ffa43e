// Few queries with many keys (decoding): the keys of a tile of queries are split over blocks, and a second
// launch combines their results in a fixed order.
//
// Such a call reads every key once and computes little, so memory is the limit, and blocks have to be as many
// as the card needs to read at its full rate. A head is a block otherwise: 32 heads leave three quarters of
// an H100 idle. Block (i, part) runs the kernel of flash.cuh or fma.cuh over the keys of its part and leaves,
// for each row, the maximum, the sum and the output that is not yet divided by it.
// The number of parts is the one with the least expected time in units of a tile of keys: rounds of blocks,
// times the tiles of a part and one more for the start of a block, and two for the second launch. A block's
// tile has 32 KB or more and two blocks lie on a multiprocessor; when all of them share 3.3 TB/s, such a tile
// takes 2.6 us, a start about 2 and a launch about 4. Not timed as a whole.
// On Hopper the second launch may begin while the first runs, and waits on the card for its end (PARTS_EARLY).
#ifndef ASSAY_OPS_MHA_V4_PARTS_CUH
#define ASSAY_OPS_MHA_V4_PARTS_CUH

#include <assay/hopper.h>
#include "exact_rows.cuh"

struct mha_parts {
    int count = 1, tiles = 0; // parts; tiles of keys of each
    float *out = nullptr;     // [row][part][dim], rows of all heads
    float *stats = nullptr;   // [row][part][max, sum]

    __device__ __forceinline__ int64_t at(int64_t row) const { return row * count + blockIdx.y; }
};

// Tiles of keys [first, end) of this block.
struct tile_range {
    int first, end;
};
__device__ __forceinline__ tile_range part_tiles(const mha_parts &parts, int tiles)
{
    const int first = static_cast<int>(blockIdx.y) * parts.tiles, end = first + parts.tiles;
    return {first, end < tiles ? end : tiles};
}

// At the start of a block of the first launch, and before the second one reads what that wrote.
__device__ __forceinline__ void announce_parts()
{
#if ASSAY_HOPPER_CODE && PARTS_EARLY
    assay::let_next_begin();
#endif
}
__device__ __forceinline__ void await_parts()
{
#if ASSAY_HOPPER_CODE && PARTS_EARLY
    assay::wait_for_previous();
#endif
}

static constexpr int kMostParts = 256;

// `slots`: blocks that run at the same time. `blocks`: those of one part. Less than a tenth of the time is not
// worth a workspace and a second launch.
static constexpr int choose_parts(int64_t blocks, int64_t tiles, int64_t slots)
{
    int best = 1;
    int64_t least = (blocks + slots - 1) / slots * (tiles + 1) * 9 / 10;
    for (int parts = 2; parts <= kMostParts && parts <= tiles; parts++) {
        const int64_t each = (tiles + parts - 1) / parts, rounds = (blocks * parts + slots - 1) / slots;
        const int64_t time = rounds * (each + 1) + 2;
        if (time < least)
            best = parts, least = time;
    }
    return best;
}
static_assert(choose_parts(32, 512, 264) == 8, "32 heads of 32768 keys: 256 blocks in one round");
static_assert(choose_parts(32, 1, 264) == 1 && choose_parts(1000, 512, 264) == 1, "nothing to gain");

// Plans the parts of a call for tiles of C, no more than the workspace holds; false where one part is best.
// `forced`: so many parts, or 0.
template <class C>
static bool plan_parts(const mha_args *args, const mha_shape &s, int forced, mha_parts *parts)
{
    const int64_t tiles = (s.keys + C::KEYS - 1) / C::KEYS, rows = static_cast<int64_t>(s.heads) * s.queries;
    int count = forced != 0
                    ? forced
                    : choose_parts(static_cast<int64_t>(s.heads) * s.query_tiles, tiles,
                                   static_cast<int64_t>(C::MIN_BLOCKS) * assay::multiprocessor_count());
    const int64_t part_bytes = rows * (s.dim + 2) * 4,
                  room = args->workspace != nullptr ? args->workspace_bytes / part_bytes : 0;
    count = static_cast<int>(count > room ? room : count);
    if (count > tiles)
        count = static_cast<int>(tiles);
    if (count < 2)
        return false;
    parts->tiles = static_cast<int>((tiles + count - 1) / count);
    parts->count = static_cast<int>((tiles + parts->tiles - 1) / parts->tiles); // none is empty
    parts->stats = static_cast<float *>(args->workspace);
    parts->out = parts->stats + rows * parts->count * 2;
    return true;
}

static constexpr int kCombineWarps = 8;

// A row a block. A warp sums every kCombineWarps-th part; warps are added in order. Rows with huge scores of
// 2-byte types are computed again, as in flash.cuh.
template <int DP>
static __global__ void __launch_bounds__(32 * kCombineWarps) mha_combine(mha_shape s, mha_parts parts)
{
    constexpr int COLUMNS = DP / 32;
    __shared__ float sums[kCombineWarps][DP], totals[kCombineWarps];
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int64_t row = blockIdx.x, first = row * parts.count;
    float max = kNoKeys.max;
    await_parts();
    for (int part = lane; part < parts.count; part += 32)
        max = fmaxf(max, parts.stats[(first + part) * 2]);
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, step));

    float out[COLUMNS] = {}, total = 0.0f;
    for (int part = warp; part < parts.count; part += kCombineWarps) {
        const float *stats = parts.stats + (first + part) * 2,
                    *from = parts.out + (first + part) * s.dim + lane;
        const float factor = exp2_fast(stats[0] - max);
        total += stats[1] * factor;
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            if (c * 32 + lane < s.dim)
                out[c] += from[c * 32] * factor;
    }
#pragma unroll
    for (int c = 0; c < COLUMNS; c++)
        sums[warp][c * 32 + lane] = out[c];
    if (lane == 0)
        totals[warp] = total;
    __syncthreads();
    for (int column = static_cast<int>(threadIdx.x); column < s.dim; column += 32 * kCombineWarps) {
        float sum = 0.0f, all = 0.0f;
#pragma unroll
        for (int w = 0; w < kCombineWarps; w++)
            sum += sums[w][column], all += totals[w];
        s.out[row * s.dim + column] =
            assay::from_float<scalar_t>(sum * inverse_of(s, static_cast<int>(row % s.queries), all));
    }
    if (ASSAY_DTYPE_F32 || !needs_exact({max, total}))
        return;
    __syncthreads(); // these rows have been written by other warps
    if (warp == 0)
        exact_rows<DP, true>(s, static_cast<int>(row / s.queries), static_cast<int>(row % s.queries), 1);
}

template <int DP>
static assay_status launch_combine(const mha_shape &s, const mha_parts &parts, assay_stream stream)
{
    const dim3 rows(static_cast<unsigned>(s.heads) * static_cast<unsigned>(s.queries)),
        threads(32 * kCombineWarps);
    if (PARTS_EARLY && assay::hopper_available())
        return assay::launch_early(mha_combine<DP>, rows, threads, 0, stream, s, parts);
    return assay::launch(mha_combine<DP>, rows, threads, 0, stream, s, parts);
}

// A kernel over whole keys: a block a head and tile of queries.
template <class C, class Kernel>
static assay_status launch_whole(Kernel kernel, const mha_args *args, assay_stream stream)
{
    const mha_shape s = shape_of(args, C::BM);
    return assay::launch(kernel, dim3(static_cast<unsigned>(s.heads) * static_cast<unsigned>(s.query_tiles)),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, s, mha_parts());
}

// The same with the keys split. False if they are better not split; otherwise *status is what the launches returned.
template <class C, class Kernel>
static bool launch_parts(Kernel kernel, const mha_args *args, int forced, assay_stream stream,
                         assay_status *status)
{
    const mha_shape s = shape_of(args, C::BM);
    mha_parts parts;
    if (!plan_parts<C>(args, s, forced, &parts))
        return false;
    *status = assay::launch(kernel,
                            dim3(static_cast<unsigned>(s.heads) * static_cast<unsigned>(s.query_tiles),
                                 static_cast<unsigned>(parts.count)),
                            dim3(C::THREADS), C::SHARED_BYTES, stream, s, parts);
    if (*status == ASSAY_OK)
        *status = launch_combine<C::DP>(s, parts, stream);
    return true;
}

#endif
