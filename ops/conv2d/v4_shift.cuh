// f16 and bf16 convolution by 3x3 filters that keep the image's size, on Hopper (sm_90a): implicit GEMM on x as it lies.
//
// wgmma takes its second operand also with places along rows, which is how NCHW lies, but then the taps of a filter cannot be had by
// addresses alone: 8 places are the least a descriptor moves by. Moving by whole rows of the image is that, moving by a column is not.
// So the three columns of the filter get sums of their own, all from the same operand,
//     Y_s[k, p, w] = sum over c, r of weight[k, c, r, s] * x[c, p + r - 1, w],
// and the finished tile adds them with a shift, out[k, p, q] = Y_0[q - 1] + Y_1[q] + Y_2[q + 1]: one exchange between neighbouring threads
// for each of 2 sums. Nothing is packed but the weights, every element of x is brought to shared memory once for all taps, and there
// are no places between rows, which must fill a tile. The price is three times the registers for sums.
//
// What lies left and right of a row is padding, whose share of a sum the packing of the weights has found (v4_shift_pack.cuh). Rows
// above and below the image are zeros in the window. Plan, rings and the way of the weights are those of v4_band.cuh; x is copied by
// three warps with cp.async, and a block's two warpgroups have half of a tile's rows each.
#ifndef ASSAY_OPS_CONV2D_V4_SHIFT_CUH
#define ASSAY_OPS_CONV2D_V4_SHIFT_CUH

#include "v4_band.cuh"
#include "v4_shift_pack.cuh"
#include "v4_shift_plan.cuh"

#if ASSAY_HOPPER_CODE

constexpr int SHIFT_COPIERS = 96; // threads that copy x

// Start the copies of a window, 8 channels of 8 places at a time. `x`: the first channel's plane of `image` elements; `top`: its first row.
__device__ __forceinline__ void copy_window(unsigned char *window, const scalar_t *x, int image, int top,
                                            const band_plan &plan, const conv_shape &s)
{
    int thread = static_cast<int>(threadIdx.x) - 32;
    keep_here(thread);
    const int across = s.w / 8, groups = across * plan.seen;
    for (int i = thread; i < groups * (SHIFT_CHANNELS / 8); i += SHIFT_COPIERS) {
        const int chunk = i / groups, group = i % groups, h = top + group / across;
        const bool inside = static_cast<unsigned>(h) < static_cast<unsigned>(s.h);
        const scalar_t *from =
            x + static_cast<int64_t>(chunk * 8) * image + (inside ? h * s.w + group % across * 8 : 0);
        unsigned char *to = window + group * SHIFT_GROUP_BYTES + chunk * 128;
#pragma unroll 4
        for (int c = 0; c < 8; c++, from += image)
            assay::cp_async_16(to + c * 16, from, inside ? 16 : 0);
    }
}

// The window at `stage` has landed: say so to the consumers. By whole warps.
__device__ __forceinline__ void announce_window(const band_memory &shared, int stage)
{
    assay::fence_async_shared();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(&shared.full_x[stage]);
}

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
            const band_tile tile = find_band<shift_tile>(plan, s, number);
            const int channel = tile.group * s.group_c + c * SHIFT_CHANNELS;
            int image = s.h * s.w;
            keep_here(image);
            copy_window(shared.windows + at.stage * plan.window_bytes,
                        x + (static_cast<int64_t>(tile.image) * s.c + channel) * image, image, tile.p - 1,
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

// The three sums of a tile. The rings' places move on by what the tile takes. `half`: of the tile's rows.
__device__ __forceinline__ void multiply_shifted(float (&sums)[3][shift_tile::N / 2],
                                                 const band_memory &shared, const band_plan &plan,
                                                 band_ring &at_x, band_ring &at_w, int half)
{
    using C = shift_tile;
    const int row_bytes = plan.pitch / 8 * SHIFT_GROUP_BYTES;
    for (int c = 0; c < plan.steps_c; c++, at_x.advance(plan.window_stages)) {
        assay::mbarrier_wait(&shared.full_x[at_x.stage], at_x.parity);
        uint64_t window = assay::wgmma_descriptor_cores(
            shared.windows + at_x.stage * plan.window_bytes + half * plan.rows * row_bytes, 128,
            SHIFT_GROUP_BYTES); // moves on by rows of the filter, and by 16 channels, 256 bytes
#pragma unroll 1
        for (int r = 0; r < 3; r++, window += static_cast<unsigned>(row_bytes / 16))
#pragma unroll
            for (int tap = 0; tap < 3; tap++, at_w.advance(plan.weight_stages)) {
                assay::mbarrier_wait(&shared.full_w[at_w.stage], at_w.parity);
                const uint64_t weights =
                    assay::wgmma_descriptor(shared.weights + at_w.stage * C::WEIGHT_BYTES, 16, 1024);
                assay::wgmma_fence_operands(sums[tap]);
                assay::wgmma_fence();
#pragma unroll
                for (int k = 0; k < 4; k++)
                    assay::wgmma_m64k16<scalar_t, C::N>::run(sums[tap], weights + k * 2, window + k * 16,
                                                             c > 0 || r > 0 || k > 0);
                assay::wgmma_commit();
                assay::wgmma_wait<1>(); // the products of the step before are done with what they read
                const bool first = r == 0 && tap == 0;
                if (c > 0 || !first)
                    band_release(&shared.empty_w[at_w.last(plan.weight_stages)]);
                if (c > 0 && first)
                    band_release(&shared.empty_x[at_x.last(plan.window_stages)]);
            }
    }
    assay::wgmma_wait<0>();
#pragma unroll
    for (int tap = 0; tap < 3; tap++)
        assay::wgmma_fence_operands(sums[tap]);
    band_release(&shared.empty_x[at_x.last(plan.window_stages)]);
    band_release(&shared.empty_w[at_w.last(plan.weight_stages)]);
}

// Lay a row of finished places, added with their shifts, bias included, into the staging: of a channel, whose sums begin at `part` * 2.
__device__ __forceinline__ void stage_shifted(scalar_t *row, const float (&sums)[3][shift_tile::N / 2],
                                              int part, const band_plan &plan, float bias,
                                              const float (&pad)[2], int lane)
{
    using C = shift_tile;
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

// As store_band, with the sums added and shifted.
__device__ __forceinline__ void store_shifted(const float (&sums)[3][shift_tile::N / 2],
                                              const band_memory &shared, const band_plan &plan,
                                              const float *pads, const conv_shape &s, int number)
{
    using C = shift_tile;
#pragma unroll
    for (int part = 0; part < 2; part++) {
        const band_tile tile = find_band<C>(plan, s, number);
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
        const float bias = exists ? assay::to_float(plan.bias[channel]) : 0.0f,
                    pad[2] = {exists ? pads[channel * 2] : 0.0f, exists ? pads[channel * 2 + 1] : 0.0f};
        stage_shifted(reinterpret_cast<scalar_t *>(staging + lane / 4 * C::STAGING_ROW), sums, part, plan,
                      bias, pad, lane);
        __syncwarp();
        scalar_t *to = plan.out + (static_cast<int64_t>(tile.image) * s.k + first) * plane +
                       static_cast<int64_t>(p) * s.q;
        store_staged<C, 8>(to, plane, staging, count, channels, lane);
        __syncwarp();
    }
}

__device__ __forceinline__ void consume_shifted(const band_memory &shared, const band_plan &plan,
                                                const float *pads, const conv_shape &s)
{
    const int half = (static_cast<int>(threadIdx.x) - shift_tile::PRODUCERS) / 128;
    band_ring at_x, at_w;
    float sums[3][shift_tile::N / 2];
    for (int number = static_cast<int>(blockIdx.x); number < plan.tiles;
         number += static_cast<int>(gridDim.x)) {
        multiply_shifted(sums, shared, plan, at_x, at_w, half);
        store_shifted(sums, shared, plan, pads, s, number);
    }
}

#endif

static __global__ void __launch_bounds__(shift_tile::THREADS, 1)
    conv2d_shift(const scalar_t *x, const __grid_constant__ assay::tensor_map map_w, const float *pads,
                 const band_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    using C = shift_tile;
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const band_memory shared = band_memory_of<C>(memory, plan);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_w);
        begin_band_barriers<C>(shared, plan, SHIFT_COPIERS / 32);
    }
    __syncthreads();
    if (threadIdx.x < C::PRODUCERS) {
        assay::registers_decrease<C::PRODUCER_REGISTERS>();
        if (threadIdx.x >= 32) {
            copy_windows(x, shared, plan, s); // while the weights are packed
        } else if (threadIdx.x == 0) {
            assay::wait_for_previous();
            produce_weights<C>(&map_w, shared, plan, s);
        }
    } else {
        assay::registers_increase<C::REGISTERS>();
        assay::wait_for_previous(); // pads
        consume_shifted(shared, plan, pads, s);
    }
#endif
}

static assay_status shift_run(const band_plan &plan, const conv2d_args &args, const conv_shape &s,
                              assay_stream stream)
{
    using C = shift_tile;
    const scalar_t *packed;
    const float *pads;
    assay::tensor_map map_w = {};
    assay_status status = pack_filters(args, s, &packed, &pads, stream);
    if (status == ASSAY_OK)
        status = band_weights_map<C>(&map_w, packed, plan, s);
    if (status != ASSAY_OK)
        return status;
    return assay::launch_early(conv2d_shift, dim3((unsigned)band_grid(plan)), dim3(C::THREADS),
                               band_shared_bytes<C>(plan), stream, static_cast<const scalar_t *>(args.x),
                               map_w, pads, plan, s);
}

#endif
