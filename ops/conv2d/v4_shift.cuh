// f16 and bf16 convolution by 3x3 filters that keep the image's size, on Hopper (sm_90a): implicit GEMM on x as it lies.
//
// wgmma takes its second operand also with places along rows, which is how NCHW lies, but then the taps of a filter cannot be had by
// addresses alone: 8 places are the least a descriptor moves by. Moving by whole rows of the image is that, moving by a column is not.
// So the three columns of the filter get sums of their own, all from the same operand,
//     Y_s[k, p, w] = sum over c, r of weight[k, c, r, s] * x[c, p + r - 1, w],
// and the finished tile adds them with a shift, out[k, p, q] = Y_0[q - 1] + Y_1[q] + Y_2[q + 1]: one exchange between neighbouring threads
// for each of 2 sums. Nothing is packed but the weights, every element of x is brought to shared memory once for all taps, and there
// are no places between rows unless a row is not a multiple of 8. The price is three times the registers for sums.
//
// What lies left and right of a row is padding, whose share of a sum the packing of the weights has found (v4_shift_plan.cuh). Rows
// above and below the image are zeros in the window. Tiles, rings and roles are those of v4_band.cuh; x is copied by three warps
// with cp.async in pieces as long as rows allow.
#ifndef ASSAY_OPS_CONV2D_V4_SHIFT_CUH
#define ASSAY_OPS_CONV2D_V4_SHIFT_CUH

#include "v4_band.cuh"
#include "v4_shift_plan.cuh"

#if ASSAY_HOPPER_CODE

constexpr int SHIFT_COPIERS = 96; // threads that copy x

template <int Bytes>
__device__ __forceinline__ void copy_piece(unsigned char *to, const scalar_t *from, int bytes)
{
    if (Bytes == 16)
        assay::cp_async_16(to, from, bytes);
    else if (Bytes == 8)
        assay::cp_async_8(to, from, bytes);
    else
        assay::cp_async_4(to, from, bytes);
}

// Start the copies of a window in pieces of Bytes, 8 channels of a piece at a time. `first`: its first channel's plane; `top`: its first row.
template <int Bytes>
__device__ __forceinline__ void copy_window(unsigned char *window, const scalar_t *first, int top,
                                            const band_plan &plan, const conv_shape &s)
{
    constexpr int E = Bytes / 2;
    int thread = static_cast<int>(threadIdx.x) - 32;
    keep_here(thread);
    const int across = s.w / E, pieces = across * plan.seen;
    const int64_t image = static_cast<int64_t>(s.h) * s.w;
    for (int i = thread; i < pieces * (SHIFT_CHANNELS / 8); i += SHIFT_COPIERS) {
        const int chunk = i / pieces, row = i % pieces / across, column = i % pieces % across * E,
                  h = top + row;
        const bool inside = static_cast<unsigned>(h) < static_cast<unsigned>(s.h);
        const scalar_t *from = first + chunk * 8 * image + (inside ? h * s.w + column : 0);
        unsigned char *to =
            window + (row * plan.pitch + column) / 8 * SHIFT_GROUP_BYTES + chunk * 128 + column % 8 * 2;
#pragma unroll 4
        for (int c = 0; c < 8; c++, from += image)
            copy_piece<Bytes>(to + c * 16, from, inside ? Bytes : 0);
    }
}

// The window at stage `at` has landed: say so to the consumers. By whole warps.
__device__ __forceinline__ void announce_window(const band_memory &shared, int stage)
{
    assay::fence_async_shared();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(&shared.full_x[stage]);
}

// By one thread.
template <class C>
__device__ __forceinline__ void bring_windows(const assay::tensor_map *map, const band_memory &shared,
                                              const band_plan &plan, const conv_shape &s)
{
    band_ring at;
    for (int number = static_cast<int>(blockIdx.x); number < plan.tiles;
         number += static_cast<int>(gridDim.x)) {
        const band_tile tile = find_shifted<C>(plan, s, number);
        for (int c = 0; c < plan.steps_c; c++, at.advance(plan.window_stages)) {
            assay::mbarrier_wait(&shared.empty_x[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&shared.full_x[at.stage], plan.seen * plan.row_bytes);
            assay::tma_load_4d(shared.windows + at.stage * plan.window_bytes, map, &shared.full_x[at.stage],
                               0, tile.group * s.group_c + c * SHIFT_CHANNELS, tile.p - 1, tile.image);
        }
    }
}

template <class C, int Bytes>
__device__ __forceinline__ void copy_windows(const scalar_t *x, const band_memory &shared,
                                             const band_plan &plan, const conv_shape &s)
{
    band_ring at;
    bool behind = false; // the window before this one is under way
    for (int number = static_cast<int>(blockIdx.x); number < plan.tiles;
         number += static_cast<int>(gridDim.x)) {
        for (int c = 0; c < plan.steps_c; c++, at.advance(plan.window_stages)) {
            assay::mbarrier_wait(&shared.empty_x[at.stage], at.parity ^ 1);
            // Found again for each window: these threads have few registers.
            const band_tile tile = find_shifted<C>(plan, s, number);
            const int channel = tile.group * s.group_c + c * SHIFT_CHANNELS;
            copy_window<Bytes>(shared.windows + at.stage * plan.window_bytes,
                               x + (static_cast<int64_t>(tile.image) * s.c + channel) * s.h * s.w, tile.p - 1,
                               plan, s);
            assay::cp_async_commit();
            if (plan.window_stages > 2) { // with two the consumers would wait for what waits for them
                assay::cp_async_wait<1>();
                if (behind)
                    announce_window(shared, at.last(plan.window_stages));
                behind = true;
            } else {
                assay::cp_async_wait<0>();
                announce_window(shared, at.stage);
            }
        }
    }
    if (behind) {
        assay::cp_async_wait<0>();
        announce_window(shared, at.last(plan.window_stages));
    }
}

template <class C>
__device__ __forceinline__ float *shared_pads(const band_memory &shared)
{
    return reinterpret_cast<float *>(reinterpret_cast<unsigned char *>(shared.full_x) + C::PADS_AT);
}

// The weights of all tiles, taken from where they lie to where TMA would bring them packed, by the consumers: each thread takes 8 channels
// of a filter, 72 values in 9 vectors, apart. `pads` as pack_filters.
template <class C>
__device__ __forceinline__ void lay_out_weights(const scalar_t *weight, const band_memory &shared,
                                                float *pads, const conv_shape &s)
{
    for (int i = static_cast<int>(threadIdx.x) - C::PRODUCERS; i < C::BM * 8;
         i += C::THREADS - C::PRODUCERS) {
        const int k = i / 8, chunk = i % 8;
        uint32_t words[36];
#pragma unroll
        for (int v = 0; v < 9; v++) {
            const assay::vec<uint32_t, 4> four =
                k < s.group_k
                    ? assay::load_vec<4>(reinterpret_cast<const uint32_t *>(
                          weight + (static_cast<int64_t>(k) * SHIFT_CHANNELS + chunk * 8) * 9 + v * 8))
                    : assay::vec<uint32_t, 4>{};
            words[v * 4] = four[0], words[v * 4 + 1] = four[1], words[v * 4 + 2] = four[2],
                      words[v * 4 + 3] = four[3];
        }
        float pad[3] = {}; // the middle one is not used
#pragma unroll
        for (int tap = 0; tap < 9; tap++) {
            assay::vec<uint32_t, 4> pairs;
#pragma unroll
            for (int c = 0; c < 4; c++) { // channels 2 * c and 2 * c + 1
                const uint32_t one = words[(c * 18 + tap) / 2], other = words[(c * 18 + 9 + tap) / 2];
                pairs[c] = tap % 2 == 0 ? (one & 0xffffu) | (other & 0xffff0000u) : one >> 16 | other << 16;
            }
            scalar_t values[8];
            memcpy(values, &pairs, 16);
#pragma unroll
            for (int c = 0; c < 8; c++)
                pad[tap % 3] += 0.0f * assay::to_float(values[c]);
            assay::store_vec(reinterpret_cast<uint32_t *>(shared.weights + tap * C::WEIGHT_BYTES + k * 128 +
                                                          (chunk ^ k % 8) * 16),
                             pairs);
        }
#pragma unroll
        for (int other = 1; other < 8; other *= 2) {
            pad[0] += __shfl_xor_sync(0xffffffffu, pad[0], other);
            pad[2] += __shfl_xor_sync(0xffffffffu, pad[2], other);
        }
        if (chunk == 0)
            pads[k * 2] = pad[0], pads[k * 2 + 1] = pad[2];
    }
    assay::fence_async_shared();
    assay::named_barrier_sync(3, C::THREADS - C::PRODUCERS);
}

// This block's part of the weights goes to all blocks of the cluster.
template <class C>
__device__ __forceinline__ void share_weights(const assay::tensor_map *map, const band_memory &shared,
                                              const band_plan &plan, const conv_shape &s)
{
    constexpr int ROWS = C::BM / C::CLUSTER;
    band_ring at;
    const int grid = static_cast<int>(gridDim.x), first = static_cast<int>(blockIdx.x),
              rank = first % C::CLUSTER;
    for (int number = first; number < plan.tiles && (number == first || !plan.resident); number += grid) {
        const band_tile tile = find_shifted<C>(plan, s, number);
        for (int c = 0; c < plan.steps_c; c++)
            for (int tap = 0; tap < plan.taps; tap++, at.advance(plan.weight_stages)) {
                assay::mbarrier_wait(&shared.empty_w[at.stage], at.parity ^ 1);
                assay::mbarrier_arrive_expect(&shared.full_w[at.stage], C::WEIGHT_BYTES);
                unsigned char *to = shared.weights + at.stage * C::WEIGHT_BYTES + rank * ROWS * 128;
                const int column = tap * s.group_c + c * SHIFT_CHANNELS,
                          row = tile.group * s.group_k + tile.first_k + rank * ROWS;
                if (C::CLUSTER > 1)
                    assay::tma_load_2d_multicast(to, map, &shared.full_w[at.stage], column, row,
                                                 (1u << C::CLUSTER) - 1);
                else
                    assay::tma_load_2d(to, map, &shared.full_w[at.stage], column, row);
            }
    }
}

// A consumer warp is done with weights, which all blocks of the cluster have to know.
template <class C>
__device__ __forceinline__ void release_weights(uint64_t *empty)
{
    if (C::CLUSTER == 1)
        band_release(empty);
    else if (threadIdx.x % 32 < C::CLUSTER)
        assay::mbarrier_arrive_cluster(empty, static_cast<int>(threadIdx.x) % 32);
}

// The three sums of a tile. The rings' places move on by what the tile takes. `half`: of the tile's rows.
template <class C>
__device__ __forceinline__ void multiply_shifted(float (&sums)[3][C::N / 2], const band_memory &shared,
                                                 const band_plan &plan, band_ring &at_x, band_ring &at_w,
                                                 int half)
{
    const unsigned row = static_cast<unsigned>(plan.row_bytes / 16),
                   deeper = C::BOXES ? static_cast<unsigned>(plan.pitch * 2) : 16; // by 16 channels
    for (int c = 0; c < plan.steps_c; c++, at_x.advance(plan.window_stages)) {
        assay::mbarrier_wait(&shared.full_x[at_x.stage], at_x.parity);
        const unsigned char *first =
            shared.windows + at_x.stage * plan.window_bytes + half * plan.rows * plan.row_bytes;
        uint64_t window =
            C::BOXES ? assay::wgmma_descriptor_rows(first, plan.pitch * 2, plan.row_bytes, plan.pitch * 16)
                     : assay::wgmma_descriptor_cores(first, 128, SHIFT_GROUP_BYTES);
#pragma unroll 1
        for (int r = 0; r < 3; r++, window += row)
#pragma unroll
            for (int tap = 0; tap < 3; tap++, at_w.advance(plan.weight_stages)) {
                assay::mbarrier_wait(&shared.full_w[at_w.stage], at_w.parity);
                const uint64_t weights =
                    assay::wgmma_descriptor(shared.weights + at_w.stage * C::WEIGHT_BYTES, 16, 1024);
                assay::wgmma_fence_operands(sums[tap]);
                assay::wgmma_fence();
#pragma unroll
                for (int k = 0; k < 4; k++)
                    assay::wgmma_m64k16<scalar_t, C::N>::run(sums[tap], weights + k * 2, window + k * deeper,
                                                             c > 0 || r > 0 || k > 0);
                assay::wgmma_commit();
                assay::wgmma_wait<1>(); // the products of the step before are done with what they read
                const bool first = r == 0 && tap == 0;
                if (!plan.resident && !(c == 0 && first))
                    release_weights<C>(&shared.empty_w[at_w.last(plan.weight_stages)]);
                if (c > 0 && first)
                    band_release(&shared.empty_x[at_x.last(plan.window_stages)]);
            }
    }
    assay::wgmma_wait<0>();
#pragma unroll
    for (int tap = 0; tap < 3; tap++)
        assay::wgmma_fence_operands(sums[tap]);
    band_release(&shared.empty_x[at_x.last(plan.window_stages)]);
    if (plan.resident)
        at_w = band_ring(); // the weights stay
    else
        release_weights<C>(&shared.empty_w[at_w.last(plan.weight_stages)]);
}

// Lay a row of finished places, added with their shifts, bias included, into the staging: of a channel, whose sums begin at `part` * 2.
template <class C>
__device__ __forceinline__ void stage_shifted(scalar_t *row, const float (&sums)[3][C::N / 2], int part,
                                              const band_plan &plan, float bias, const float (&pad)[2],
                                              int lane)
{
    const int to_left = (lane & ~3) | ((lane + 3) & 3), to_right = (lane & ~3) | ((lane + 1) & 3);
    // Rows are whole groups of 8 places, one behind the other: a pair's place in the staging is known at once.
    int column = 0;
    scalar_t *pair = row + lane % 4 * 2;
    float left_before = 0.0f, right = __shfl_sync(0xffffffffu, sums[2][part * 2], to_right);
#pragma unroll
    for (int j = 0; j < C::N / 8; j++) {
        const int at = j * 4 + part * 2;
        const float left_here = __shfl_sync(0xffffffffu, sums[0][at + 1], to_left),
                    right_next =
                        j + 1 < C::N / 8
                            ? __shfl_sync(0xffffffffu, sums[2][j + 1 < C::N / 8 ? at + 4 : at], to_right)
                            : 0.0f;
        const bool begins = column == 0, ends = column + 8 == plan.pitch;
        const float left = lane % 4 != 0 ? left_here
                           : begins      ? pad[0]
                                         : left_before,
                    after = lane % 4 != 3 ? right
                            : ends        ? pad[1]
                                          : right_next;
        const scalar_t x = assay::from_float<scalar_t>(left + sums[1][at] + sums[2][at + 1] + bias),
                       y = assay::from_float<scalar_t>(sums[0][at] + sums[1][at + 1] + after + bias);
        assay::store_vec(pair + j * 8, assay::vec<scalar_t, 2>{{x, y}});
        left_before = left_here, right = right_next;
        column = ends ? 0 : column + 8;
        keep_here(column); // else all pairs' exchanges stand in registers at once
    }
}

// Copy 8 channels' places from `first` to `end` from a warp's staging to out, E at a time; half a warp takes a channel.
template <class C, int E>
__device__ __forceinline__ void store_places(scalar_t *to, int64_t channel_stride,
                                             const unsigned char *staging, int first, int end, int channels,
                                             int lane)
{
#pragma unroll 1
    for (int i = 0; i < 8; i += 2) {
        const int channel = i + lane / 16;
        const scalar_t *from = reinterpret_cast<const scalar_t *>(staging + channel * C::STAGING_ROW);
        scalar_t *row = to + channel * channel_stride;
        if (channel < channels)
#pragma unroll 1
            for (int at = lane % 16 * E; at < end; at += 16 * E) {
                if (at >= first && at + E <= end)
                    assay::store_vec(row + at, assay::load_vec<E>(from + at));
                else
#pragma unroll 1
                    for (int e = at < first ? first : at; e < at + E && e < end; e++)
                        row[e] = from[e];
            }
    }
}

// As store_band, with the sums added and shifted.
template <class C>
__device__ __forceinline__ void store_shifted(const float (&sums)[3][C::N / 2], const band_memory &shared,
                                              const band_plan &plan, const float *pads, const conv_shape &s,
                                              int number)
{
#pragma unroll
    for (int part = 0; part < 2; part++) {
        const band_tile tile = find_shifted<C>(plan, s, number);
        int thread = static_cast<int>(threadIdx.x) - C::PRODUCERS;
        keep_here(thread);
        const int lane = thread % 32, warp = thread % 128 / 32,
                  p = tile.p + thread / 128 % C::HALVES * plan.rows;
        const int rows = s.p - p < plan.rows ? s.p - p : plan.rows, count = rows * s.q;
        const int64_t plane = static_cast<int64_t>(s.p) * s.q;
        unsigned char *staging = shared.staging + thread / 32 * 8 * C::STAGING_ROW;
        const int first_k = tile.first_k + warp * 16 + part * 8, left = rows > 0 ? s.group_k - first_k : 0,
                  channels = left < 8 ? left : 8;
        if (channels <= 0)
            break;
        const int first = tile.group * s.group_k + first_k, channel = first + lane / 4;
        const bool exists = lane / 4 < channels;
        const float *sides = plan.own_weights ? shared_pads<C>(shared) : pads;
        const float bias = exists ? assay::to_float(plan.bias[channel]) : 0.0f,
                    pad[2] = {exists ? sides[channel * 2] : 0.0f, exists ? sides[channel * 2 + 1] : 0.0f};
        // The staging is aligned as out is, whose rows of a tile may begin amid a vector.
        const int lead = p * s.q % plan.vector;
        stage_shifted<C>(reinterpret_cast<scalar_t *>(staging + lane / 4 * C::STAGING_ROW) + lead, sums, part,
                         plan, bias, pad, lane);
        __syncwarp();
        scalar_t *to = plan.out + (static_cast<int64_t>(tile.image) * s.k + first) * plane +
                       static_cast<int64_t>(p) * s.q - lead;
        if (plan.vector == 8)
            store_places<C, 8>(to, plane, staging, lead, lead + count, channels, lane);
        else if (plan.vector == 4)
            store_places<C, 4>(to, plane, staging, lead, lead + count, channels, lane);
        else
            store_places<C, 2>(to, plane, staging, lead, lead + count, channels, lane);
        __syncwarp();
    }
}

template <class C>
__device__ __forceinline__ void consume_shifted(const band_memory &shared, const band_plan &plan,
                                                const float *pads, const conv_shape &s)
{
    const int thread = static_cast<int>(threadIdx.x) - C::PRODUCERS, pair = thread / C::PAIR_THREADS,
              half = thread / 128 % C::HALVES;
    const int grid = static_cast<int>(gridDim.x);
    band_ring at_x, at_w;
    const auto skip_tile = [&] { // the other pair's
        at_x.skip(plan.tile_windows, plan.window_stages);
        if (!plan.resident)
            at_w.skip(plan.tile_weights, plan.weight_stages);
    };
    float sums[3][C::N / 2];
    if (C::PAIRS == 2 && pair == 1) {
        assay::named_barrier_arrive(1, 2 * C::PAIR_THREADS); // the first pair begins
        skip_tile();
    }
    for (int number = static_cast<int>(blockIdx.x) + pair * grid; number < plan.tiles;
         number += C::PAIRS * grid) {
        if (C::PAIRS == 2)
            assay::named_barrier_sync(1 + pair, 2 * C::PAIR_THREADS);
        multiply_shifted<C>(sums, shared, plan, at_x, at_w, half);
        if (C::PAIRS == 2) {
            if (number + grid < plan.tiles)
                assay::named_barrier_arrive(2 - pair, 2 * C::PAIR_THREADS);
            skip_tile();
        }
        store_shifted<C>(sums, shared, plan, pads, s, number);
    }
}

#endif

template <class C, int Bytes>
static __global__ void __launch_bounds__(C::THREADS, 1)
    conv2d_shift(const scalar_t *x, const scalar_t *weight, const __grid_constant__ assay::tensor_map map_x,
                 const __grid_constant__ assay::tensor_map map_w, const float *pads, const band_plan plan,
                 const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const band_memory shared = band_memory_of<C>(memory, plan);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_w);
        for (int i = 0; i < plan.window_stages; i++) {
            assay::mbarrier_init(&shared.full_x[i], C::BOXES ? 1 : SHIFT_COPIERS / 32);
            assay::mbarrier_init(&shared.empty_x[i], C::PAIR_THREADS / 32);
        }
        for (int i = 0; i < plan.weight_stages; i++) {
            assay::mbarrier_init(&shared.full_w[i], 1);
            assay::mbarrier_init(&shared.empty_w[i], C::CLUSTER * C::PAIR_THREADS / 32);
        }
        assay::mbarrier_fence_init();
    }
    if (C::CLUSTER > 1)
        assay::cluster_meet();
    else
        __syncthreads();
    if (threadIdx.x < C::PRODUCERS) {
        assay::registers_decrease<C::PRODUCER_REGISTERS>();
        if (threadIdx.x >= 32) { // while the weights are packed
            if (!C::BOXES)
                copy_windows<C, Bytes>(x, shared, plan, s);
            else if (threadIdx.x == 32)
                bring_windows<C>(&map_x, shared, plan, s);
        } else if (threadIdx.x == 0 && !plan.own_weights) {
            assay::wait_for_previous();
            share_weights<C>(&map_w, shared, plan, s);
        }
    } else {
        assay::registers_increase<C::REGISTERS>();
        if (plan.own_weights) {
            lay_out_weights<C>(weight, shared, shared_pads<C>(shared), s);
            if (threadIdx.x == C::PRODUCERS)
                for (int i = 0; i < plan.taps; i++)
                    assay::mbarrier_arrive(&shared.full_w[i]);
        } else {
            assay::wait_for_previous();
        }
        consume_shifted<C>(shared, plan, pads, s);
    }
    if (C::CLUSTER > 1) { // the others may still write here
        __syncwarp();
        assay::cluster_meet();
    }
#endif
}

// `packed`, `pads`: from pack_filters, unless the plan says that blocks lay out the weights themselves.
template <class C>
static assay_status shift_launch(const band_plan &plan, const conv2d_args &args, const scalar_t *packed,
                                 const float *pads, const conv_shape &s, assay_stream stream)
{
    assay::tensor_map map_x = {}, map_w = {};
    const int64_t filter = (int64_t)s.group_c * plan.taps, image = (int64_t)s.h * s.w;
    const scalar_t *x = static_cast<const scalar_t *>(args.x),
                   *weight = static_cast<const scalar_t *>(args.weight);
    assay_status status = plan.own_weights ? ASSAY_OK
                                           : assay::tensor_map_2d(&map_w, packed, s.k, filter, filter,
                                                                  C::BM / C::CLUSTER, SHIFT_CHANNELS);
    if (status == ASSAY_OK && C::BOXES)
        status = assay::tensor_map_nd<scalar_t, 4>(&map_x, x, {s.w, s.c, s.h, s.n}, {image, s.w, image * s.c},
                                                   {plan.pitch, SHIFT_CHANNELS, plan.seen, 1}, true);
    if (status != ASSAY_OK)
        return status;
    const int room = assay::multiprocessor_count() / C::CLUSTER * C::CLUSTER;
    const size_t shared = C::BARRIER_BYTES + plan.weight_stages * C::WEIGHT_BYTES + C::STAGING_BYTES +
                          plan.window_stages * plan.window_bytes;
    const dim3 grid((unsigned)(plan.tiles < room ? plan.tiles : room)), block(C::THREADS);
    const auto kernel = conv2d_shift<C, 16>;
    if (plan.own_weights)
        return assay::launch(kernel, grid, block, shared, stream, x, weight, map_x, map_w, pads, plan, s);
    return assay::launch_cluster_early(kernel, C::CLUSTER, grid, block, shared, stream, x, weight, map_x,
                                       map_w, pads, plan, s);
}

#endif
