// f16 and bf16 convolution with stride 1, channels first, on Hopper (sm_90a): implicit GEMM that gathers by
// addresses alone, for rows that TMA cannot write.
//
// x has been packed with a plane for every chunk of 8 channels (pack.cuh), so that a pixel and 8 channels are
// 16 bytes. A tile is 64 channels by a band of whole rows of the output. The window of x that a band sees is
// copied to shared memory once for every 64 input channels by TMA, which also fills in the padding, row
// behind row. wgmma reads rows of 16 bytes from any 16-byte boundary, so every tap of the filter is the same
// operand from another address. Columns between two rows of positions are computed and dropped.
//
// Blocks are persistent:
//   producers  a thread copies windows, another the weights, 64 channels of one tap at a time, each into a
//              pipeline; weights that fit into theirs as a whole are copied once;
//   consumers  PAIRS groups of one or two warpgroups take alternate tiles, so that one stores its tile while
//              the other multiplies. Two warpgroups have half of the band's rows each.
// The finished tile goes through shared memory, because a channel's positions of a band lie side by side in
// out. The kernel is launched while the packing still runs, and waits for it behind its preparations.
#ifndef ASSAY_OPS_CONV2D_V4_BAND_CUH
#define ASSAY_OPS_CONV2D_V4_BAND_CUH

#include "band_plan.cuh"

#if ASSAY_HOPPER_CODE

// By one thread. `arrivals`: of those that bring a window.
template <class C>
__device__ __forceinline__ void begin_band_barriers(const band_memory &shared, const band_plan &plan,
                                                    int arrivals)
{
    for (int i = 0; i < plan.window_stages; i++) {
        assay::mbarrier_init(&shared.full_x[i], arrivals);
        assay::mbarrier_init(&shared.empty_x[i], C::PAIR_THREADS / 32);
    }
    for (int i = 0; i < plan.weight_stages; i++) {
        assay::mbarrier_init(&shared.full_w[i], 1);
        assay::mbarrier_init(&shared.empty_w[i], C::PAIR_THREADS / 32);
    }
    assay::mbarrier_fence_init();
}

template <class C>
__device__ __forceinline__ void produce_weights(const assay::tensor_map *map, const band_memory &shared,
                                                const band_plan &plan, const conv_shape &s)
{
    pipeline_cursor at;
    const int grid = static_cast<int>(gridDim.x), first = static_cast<int>(blockIdx.x);
    for (int number = first; number < plan.tiles && (number == first || !plan.resident); number += grid) {
        const band_tile tile = find_band<C>(plan, s, number);
        for (int c = 0; c < plan.steps_c; c++)
            for (int tap = 0; tap < plan.taps; tap++, at.advance(plan.weight_stages)) {
                assay::mbarrier_wait(&shared.empty_w[at.stage], at.parity ^ 1);
                assay::mbarrier_arrive_expect(&shared.full_w[at.stage], C::WEIGHT_BYTES);
                assay::tma_load_3d(shared.weights + at.stage * C::WEIGHT_BYTES, map, &shared.full_w[at.stage],
                                   c * 64, tap, tile.group * s.group_k + tile.first_k);
            }
    }
}

template <class C>
__device__ __forceinline__ void produce_windows(const assay::tensor_map *map, const band_memory &shared,
                                                const band_plan &plan, const conv_shape &s)
{
    pipeline_cursor at;
    for (int number = static_cast<int>(blockIdx.x); number < plan.tiles;
         number += static_cast<int>(gridDim.x)) {
        const band_tile tile = find_band<C>(plan, s, number);
        for (int c = 0; c < plan.steps_c; c++, at.advance(plan.window_stages)) {
            assay::mbarrier_wait(&shared.empty_x[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&shared.full_x[at.stage], plan.plane * 128);
            assay::tma_load_4d(shared.windows + at.stage * plan.window_bytes, map, &shared.full_x[at.stage],
                               -2 * s.padding_w, tile.p - s.padding, c * 8,
                               tile.image * s.groups + tile.group);
        }
    }
}

// A consumer warp is done with a stage.
__device__ __forceinline__ void band_release(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

// The products of a tile. The pipelines' positions move on by what the tile takes. `half`: of the band's
// rows.
template <class C>
__device__ __forceinline__ void multiply_band(float (&sums)[C::N / 2], const band_memory &shared,
                                              const band_plan &plan, const conv_shape &s,
                                              pipeline_cursor &at_x, pipeline_cursor &at_w, int half)
{
    for (int c = 0; c < plan.steps_c; c++, at_x.advance(plan.window_stages)) {
        assay::mbarrier_wait(&shared.full_x[at_x.stage], at_x.parity);
        uint64_t window = assay::wgmma_descriptor_cores(
            shared.windows + at_x.stage * plan.window_bytes + half * plan.rows * plan.pitch * 16,
            plan.plane * 16, 128); // moves on from tap to tap, by pixels: that is what a descriptor counts
        int right = 0;
        for (int tap = 0; tap < plan.taps; tap++, at_w.advance(plan.weight_stages)) {
            assay::mbarrier_wait(&shared.full_w[at_w.stage], at_w.parity);
            const uint64_t weights =
                assay::wgmma_descriptor(shared.weights + at_w.stage * C::WEIGHT_BYTES, 16, 1024);
            assay::wgmma_fence_operands(sums);
            assay::wgmma_fence();
#pragma unroll
            for (int k = 0; k < 4; k++)
                assay::wgmma_m64k16<scalar_t, C::N, false>::run(
                    sums, weights + k * 2, window + static_cast<unsigned>(k * 2 * plan.plane),
                    c > 0 || tap > 0 || k > 0);
            assay::wgmma_commit();
            assay::wgmma_wait<1>(); // the products of the step before are done with what they read
            if (!plan.resident && (c > 0 || tap > 0))
                band_release(&shared.empty_w[at_w.last(plan.weight_stages)]);
            if (c > 0 && tap == 0)
                band_release(&shared.empty_x[at_x.last(plan.window_stages)]);
            right++;
            window += static_cast<unsigned>(right == s.s ? s.dilation * plan.pitch - s.dilation_w * (s.s - 1)
                                                         : s.dilation_w);
            right = right == s.s ? 0 : right;
        }
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    band_release(&shared.empty_x[at_x.last(plan.window_stages)]);
    if (plan.resident)
        at_w = pipeline_cursor(); // the weights stay
    else
        band_release(&shared.empty_w[at_w.last(plan.weight_stages)]);
}

// Copy 8 channels' positions, `count` each, from a warp's staging to out, E at a time; half a warp takes a
// channel. `channels`: those that exist.
template <class C, int E>
__device__ __forceinline__ void store_staged(scalar_t *to, int64_t channel_stride,
                                             const unsigned char *staging, int count, int channels, int lane)
{
#pragma unroll 1
    for (int i = 0; i < 8; i += 2) {
        const int channel = i + lane / 16;
        const scalar_t *from = reinterpret_cast<const scalar_t *>(staging + channel * C::STAGING_ROW);
        if (channel < channels)
#pragma unroll 1
            for (int at = lane % 16 * E; at < count; at += 16 * E)
                assay::store_vec(to + channel * channel_stride + at, assay::load_vec<E>(from + at));
    }
}

// Add the bias, round, drop the positions between the rows, and store: through shared memory, 8 channels of a
// warp at a time, as a channel's positions lie side by side in out. EVEN: so are the rows and their distance.
template <class C, bool EVEN>
__device__ __forceinline__ void store_band(const float (&sums)[C::N / 2], const band_memory &shared,
                                           const band_plan &plan, const conv_shape &s, int number)
{
#pragma unroll
    for (int part = 0; part < 2; part++) {
        // Found again for each part: kept, all this would occupy registers that the sums need.
        const band_tile tile = find_band<C>(plan, s, number);
        int thread = static_cast<int>(threadIdx.x) - C::PRODUCERS;
        value_barrier(thread);
        const int lane = thread % 32, warp = thread % 128 / 32,
                  p = tile.p + thread / 128 % C::HALVES * plan.rows;
        const int rows = s.p - p < plan.rows ? s.p - p : plan.rows,
                  count = rows * s.q; // count: a channel's positions
        const int64_t plane = static_cast<int64_t>(s.p) * s.q;
        unsigned char *staging = shared.staging + thread / 32 * 8 * C::STAGING_ROW;
        const int first_k = tile.first_k + warp * 16 + part * 8, left = rows > 0 ? s.group_k - first_k : 0,
                  channels = left < 8 ? left : 8;
        if (channels <= 0)
            break;
        const int first = tile.group * s.group_k + first_k;
        const float bias = lane / 4 < channels ? assay::to_float(plan.bias[first + lane / 4]) : 0.0f;
        scalar_t *row = reinterpret_cast<scalar_t *>(staging + lane / 4 * C::STAGING_ROW);
        int row_start = 0,
            q = lane % 4 * 2; // the pair's: first of its row of positions in the staging, and its column
#pragma unroll
        for (int j = 0; j < C::N / 8; j++, q += 8) {
            if (q >= plan.pitch)
                q -= plan.pitch, row_start += s.q;
            const scalar_t x = assay::from_float<scalar_t>(sums[j * 4 + part * 2] + bias),
                           y = assay::from_float<scalar_t>(sums[j * 4 + part * 2 + 1] + bias);
            if (EVEN) {
                if (q < s.q && row_start < count)
                    assay::store_vec(row + row_start + q, assay::vec<scalar_t, 2>{{x, y}});
            } else {
                const bool wraps = q + 1 == plan.pitch;
                const int next_row_start = wraps ? row_start + s.q : row_start, next_q = wraps ? 0 : q + 1;
                if (q < s.q && row_start < count)
                    row[row_start + q] = x;
                if (next_q < s.q && next_row_start < count)
                    row[next_row_start + next_q] = y;
            }
        }
        __syncwarp();
        scalar_t *to = plan.out + (static_cast<int64_t>(tile.image) * s.k + first) * plane +
                       static_cast<int64_t>(p) * s.q;
        if (plan.vector == 8)
            store_staged<C, 8>(to, plane, staging, count, channels, lane);
        else if (plan.vector == 4)
            store_staged<C, 4>(to, plane, staging, count, channels, lane);
        else if (plan.vector == 2)
            store_staged<C, 2>(to, plane, staging, count, channels, lane);
        else
            store_staged<C, 1>(to, plane, staging, count, channels, lane);
        __syncwarp();
    }
}

template <class C, bool EVEN>
__device__ __forceinline__ void consume_bands(const band_memory &shared, const band_plan &plan,
                                              const conv_shape &s)
{
    const int thread = static_cast<int>(threadIdx.x) - C::PRODUCERS, pair = thread / C::PAIR_THREADS,
              half = thread / 128 % C::HALVES;
    const int grid = static_cast<int>(gridDim.x);
    pipeline_cursor at_x, at_w;
    const auto skip_tile = [&] { // the other pair's
        at_x.skip(plan.tile_windows, plan.window_stages);
        if (!plan.resident)
            at_w.skip(plan.tile_weights, plan.weight_stages);
    };
    float sums[C::N / 2];
    if (C::PAIRS == 2 && pair == 1) {
        assay::named_barrier_arrive(1, 2 * C::PAIR_THREADS); // the first pair begins
        skip_tile();
    }
    for (int number = static_cast<int>(blockIdx.x) + pair * grid; number < plan.tiles;
         number += C::PAIRS * grid) {
        if (C::PAIRS == 2)
            assay::named_barrier_sync(1 + pair, 2 * C::PAIR_THREADS);
        multiply_band<C>(sums, shared, plan, s, at_x, at_w, half);
        if (C::PAIRS == 2) {
            if (number + grid < plan.tiles)
                assay::named_barrier_arrive(2 - pair, 2 * C::PAIR_THREADS);
            skip_tile();
        }
        store_band<C, EVEN>(sums, shared, plan, s, number);
    }
}

#endif

template <class C, bool EVEN>
static __global__ void __launch_bounds__(C::THREADS, 1)
    conv2d_band(const __grid_constant__ assay::tensor_map map_x,
                const __grid_constant__ assay::tensor_map map_w, const band_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const band_memory shared = band_memory_of<C>(memory, plan);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_x);
        assay::tma_prefetch_map(&map_w);
        begin_band_barriers<C>(shared, plan, 1);
    }
    __syncthreads();
    if (threadIdx.x < C::PRODUCERS) {
        assay::registers_decrease<C::PRODUCER_REGISTERS>();
        assay::wait_for_previous(); // which packs x and the weights
        if (threadIdx.x == 0)
            produce_windows<C>(&map_x, shared, plan, s);
        else if (threadIdx.x == 32)
            produce_weights<C>(&map_w, shared, plan, s);
    } else {
        assay::registers_increase<C::REGISTERS>();
        consume_bands<C, EVEN>(shared, plan, s);
    }
#endif
}

// Of packed weights: 64 channels of one tap for BM output channels a box.
template <class C>
static assay_status band_weights_map(assay::tensor_map *map, const scalar_t *packed, const band_plan &plan,
                                     const conv_shape &s)
{
    const int64_t filter = conv2d_padded(s.group_c);
    return assay::tensor_map_nd<scalar_t, 3>(map, packed, {filter, plan.taps, s.k},
                                             {filter, filter * plan.taps}, {64, 1, C::BM}, true);
}

static int band_grid(const band_plan &plan)
{
    const int room = assay::multiprocessor_count();
    return plan.tiles < room ? plan.tiles : room;
}

template <class C>
static size_t band_shared_bytes(const band_plan &plan)
{
    return (size_t)(C::BARRIER_BYTES + plan.weight_stages * C::WEIGHT_BYTES + C::STAGING_BYTES +
                    plan.window_stages * plan.window_bytes);
}

// `x`, `weight`: packed.
template <class C>
static assay_status band_launch(const band_plan &plan, const scalar_t *x, const scalar_t *weight,
                                const conv_shape &s, assay_stream stream)
{
    // A pixel's 8 channels are two elements of 8 bytes: boxes may have 256 elements a dimension.
    const int64_t chunks = conv2d_padded(s.group_c) / 8, row = (int64_t)s.w * 2, plane = row * s.h;
    assay::tensor_map map_x = {}, map_w = {};
    assay_status status = assay::tensor_map_nd<double, 4>(
        &map_x, reinterpret_cast<const double *>(x), {row, s.h, chunks, (int64_t)s.n * s.groups},
        {row, plane, plane * chunks}, {plan.pitch * 2, plan.seen, 8, 1}, false);
    if (status == ASSAY_OK)
        status = band_weights_map<C>(&map_w, weight, plan, s);
    if (status != ASSAY_OK)
        return status;
    return assay::launch_early((s.q | plan.pitch) % 2 != 0 ? conv2d_band<C, false> : conv2d_band<C, true>,
                               dim3((unsigned)band_grid(plan)), dim3(C::THREADS), band_shared_bytes<C>(plan),
                               stream, map_x, map_w, plan, s);
}

#endif
