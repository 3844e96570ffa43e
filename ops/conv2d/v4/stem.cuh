// f16 and bf16 convolution of three channels with stride 2 on Hopper (sm_90a): the first layer for images.
//
// A pixel of three channels is filled up to four, 8 bytes, on its way to shared memory. Positions two pixels
// apart then begin 16 bytes apart, which is how wgmma's second operand lies without a swizzle. A row of
// pixels is the operand as it lies, and 7 x 7 x 3 terms become 7 x 8 x 4.
// A block is persistent, keeps its 64 filters on chip and takes bands of rows of positions; its warpgroups
// multiply a row each, while the next band's pixels are fetched into registers. TMA writes finished rows.
// The taps and channels that fill up have weights of zero, but their pixels may be infinite, which would give
// NaN. A band that holds such pixels is computed by plain arithmetic.
#ifndef ASSAY_OPS_CONV2D_V4_STEM_CUH
#define ASSAY_OPS_CONV2D_V4_STEM_CUH

#include "stem_band.cuh"

#if ASSAY_HOPPER_CODE

// The filters as [k][r][taps of a row, filled up][4 channels], as wgmma's first operand without a swizzle: 8
// terms of 64 filters in 1024 bytes.
template <bool LAST>
static __device__ __forceinline__ void lay_out_filters(unsigned char *weights, const stem_plan &plan,
                                                       const conv_shape &s, int first_k)
{
    const int chunks = s.r * plan.steps * 2, shift = plan.left - s.padding;
    for (int i = static_cast<int>(threadIdx.x); i < 64 * chunks; i += STEM_THREADS) {
        const int k = first_k + i % 64, chunk = i / 64, r = chunk / (plan.steps * 2),
                  first_s = chunk % (plan.steps * 2) * 2 - shift;
        const int row = r * s.s, plane = s.r * s.s; // of taps
        const scalar_t *filter = plan.weight + static_cast<int64_t>(k) * plane * STEM_CHANNELS;
        assay::vec<scalar_t, 8> terms;
#pragma unroll
        for (int e = 0; e < 8; e++) {
            const int tap = first_s + e / 4, c = e % 4;
            const bool is = k < s.k && tap >= 0 && tap < s.s && c < STEM_CHANNELS;
            terms[e] = is ? filter[LAST ? (row + tap) * STEM_CHANNELS + c : c * plane + row + tap]
                          : assay::from_float<scalar_t>(0.0f);
        }
        assay::store_vec(reinterpret_cast<scalar_t *>(weights + chunk * 1024 + i % 64 * 16), terms);
    }
}

// A row of positions: `row` is its first in shared memory.
static __device__ __forceinline__ void multiply_row(float (&sums)[STEM_N / 2], const unsigned char *weights,
                                                    const unsigned char *row, const stem_plan &plan,
                                                    int taps_r)
{
    uint64_t filters = assay::wgmma_descriptor_cores(weights, 1024, 128);
    uint64_t pixels = assay::wgmma_descriptor_cores(row, 16, 128);
    for (int r = 0; r < taps_r; r++) {
        for (int step = 0; step < plan.steps; step++) {
            // A group of its own for each: across a loop the compiler would put fences of its own.
            assay::wgmma_fence_operands(sums);
            assay::wgmma_fence();
            assay::wgmma_m64k16<scalar_t, STEM_N, false>::run(
                sums, filters, pixels + static_cast<unsigned>(step * 2), r + step > 0);
            assay::wgmma_commit();
            assay::wgmma_wait<1>();
            filters += 2048 / 16;
        }
        pixels += static_cast<unsigned>(plan.row_bytes / 16);
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
}

// Add the bias, round, and lay the row out as TMA takes it: channels last with the 64 channels of a position
// side by side and swizzled, channels first with the positions of a channel side by side.
template <bool LAST>
static __device__ __forceinline__ void lay_out_row(unsigned char *staging, const float (&sums)[STEM_N / 2],
                                                   const float (&bias)[2])
{
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
    const int row = lane % 8, upper = lane / 8 % 2, second = lane / 16; // of 8 channels, of 8 positions
    unsigned char *to = LAST ? staging + (second * 8 + row) * 128 + ((warp * 2 + upper) ^ row) * 16
                             : staging + (warp * 16 + upper * 8 + row) * STEM_N * 2 + second * 16;
#pragma unroll
    for (int j = 0; j < STEM_N / 8; j += 2) {
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float *from = sums + (j + i / 2) * 4 + i % 2 * 2;
            const assay::vec<scalar_t, 2> pair = {{assay::from_float<scalar_t>(from[0] + bias[i % 2]),
                                                   assay::from_float<scalar_t>(from[1] + bias[i % 2])}};
            memcpy(&r[i], &pair, 4);
        }
        if (LAST)
            assay::stmatrix_x4_trans(to + j * 1024, r);
        else
            assay::stmatrix_x4(to + j * 16, r);
    }
}

// A band with infinite or NaN pixels, by all threads.
template <bool LAST>
static __device__ __forceinline__ void convolve_band_plainly(const stem_plan &plan, const conv_shape &s,
                                                             int number, int first_k)
{
    const stem_tile tile = find_stem(plan, number);
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < 64 * STEM_N * plan.high; i += STEM_THREADS) {
        value_barrier(i); // rare: nothing of it may occupy registers meanwhile
        const int k = first_k + i % 64, q = tile.q + i / 64 % STEM_N, p = tile.p + i / 64 / STEM_N;
        if (k >= s.k || q >= s.q || p >= s.p)
            continue;
        float sum = 0.0f;
#pragma unroll 1
        for (int tap = 0; tap < s.r * s.s; tap++) {
            const int h = p * 2 - s.padding + tap / s.s, w = q * 2 - s.padding + tap % s.s;
            const bool inside = is_inside(s, h, w);
            const int64_t row = static_cast<int64_t>(tile.image) * s.h * (LAST ? 1 : STEM_CHANNELS) + h;
            const scalar_t *pixel = plan.x + (inside ? (row * s.w + w) * (LAST ? STEM_CHANNELS : 1) : 0);
            const scalar_t *filter = plan.weight + static_cast<int64_t>(k) * s.r * s.s * STEM_CHANNELS +
                                     tap * (LAST ? STEM_CHANNELS : 1);
#pragma unroll 1
            for (int c = 0; c < STEM_CHANNELS; c++)
                sum +=
                    (inside ? assay::to_float(pixel[LAST ? c : static_cast<int64_t>(c) * s.h * s.w]) : 0.0f) *
                    assay::to_float(filter[LAST ? c : c * s.r * s.s]);
        }
        const int position = (tile.image * s.p + p) * s.q + q;
        plan.out[LAST ? static_cast<int64_t>(position) * s.k + k : output_offset(s, position, k)] =
            assay::from_float<scalar_t>(sum + assay::to_float(plan.bias[k]));
    }
}

// The rows of a band; warpgroups take alternate ones.
template <bool LAST>
static __device__ __forceinline__ void
convolve_band(const assay::tensor_map *map_out, unsigned char *staging, const unsigned char *weights,
              const unsigned char *window, const stem_plan &plan, const conv_shape &s, int number,
              const float (&bias)[2], int first_k)
{
    const stem_tile tile = find_stem(plan, number);
    const int warpgroup = static_cast<int>(threadIdx.x) / 128;
    const bool elected = threadIdx.x % 128 == 0;
    float sums[STEM_N / 2];
    for (int row = warpgroup; row < plan.high && tile.p + row < s.p; row += STEM_WARPGROUPS) {
        multiply_row(sums, weights, window + 2 * row * plan.row_bytes, plan, s.r);
        if (elected)
            assay::tma_store_wait_read<0>(); // the row before is on its way
        assay::named_barrier_sync(1 + warpgroup, 128);
        lay_out_row<LAST>(staging, sums, bias);
        assay::fence_async_shared();
        assay::named_barrier_sync(1 + warpgroup, 128);
        if (elected) {
            if (LAST)
                assay::tma_store_4d(map_out, staging, first_k, tile.q, tile.p + row, tile.image);
            else
                assay::tma_store_4d(map_out, staging, tile.q, tile.p + row, first_k, tile.image);
            assay::tma_store_commit();
        }
    }
}

#endif

template <bool LAST, int W>
static __global__ void __launch_bounds__(STEM_THREADS, W == 4 ? 2 : 1)
    conv2d_stem(const __grid_constant__ assay::tensor_map map_out, const stem_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    unsigned char *stagings = memory, *weights = stagings + STEM_WARPGROUPS * STEM_STAGING_BYTES,
                  *window = weights + plan.weight_bytes;
    const int t = static_cast<int>(threadIdx.x), first_k = static_cast<int>(blockIdx.y) * 64;
    const int k = first_k + t % 128 / 32 * 16 + t % 32 / 4;
    const float bias[2] = {k < s.k ? assay::to_float(plan.bias[k]) : 0.0f,
                           k + 8 < s.k ? assay::to_float(plan.bias[k + 8]) : 0.0f};
    stem_pieces pieces;
    int number = static_cast<int>(blockIdx.x);
    fetch_band<LAST, W>(pieces, plan, s, number);
    lay_out_filters<LAST>(weights, plan, s, first_k);
    for (; number < plan.tiles; number += static_cast<int>(gridDim.x)) {
        const bool strange = lay_out_band<LAST>(window, pieces, plan, s, number);
        assay::fence_async_shared();
        const bool plainly = __syncthreads_or(strange);
        if (plainly)
            convolve_band_plainly<LAST>(plan, s, number, first_k);
        if (number + static_cast<int>(gridDim.x) < plan.tiles)
            fetch_band<LAST, W>(pieces, plan, s, number + static_cast<int>(gridDim.x));
        if (!plainly)
            convolve_band<LAST>(&map_out, stagings + t / 128 * STEM_STAGING_BYTES, weights, window, plan, s,
                                number, bias, first_k);
        __syncthreads(); // nobody reads this band any more
    }
    if (t % 128 == 0)
        assay::tma_store_wait_read<0>();
#endif
}

// For bands of `high` rows; false where these do not fit.
static bool stem_plan_of(const conv2d_args &args, const conv_shape &s, int high, stem_plan *plan)
{
    *plan = {};
    plan->x = static_cast<const scalar_t *>(args.x);
    plan->weight = static_cast<const scalar_t *>(args.weight);
    plan->bias = static_cast<const scalar_t *>(args.bias);
    plan->out = static_cast<scalar_t *>(args.out);
    plan->high = high;
    plan->left = (s.padding + 1) / 2 * 2;
    plan->steps = (s.s + plan->left - s.padding + 3) / 4;
    plan->pixels = 2 * (STEM_N - 1) + 4 * plan->steps;
    plan->rows = 2 * (high - 1) + s.r;
    plan->pieces = (plan->pixels + 2 + 3) / 4; // they may begin two pixels earlier
    plan->row_bytes = plan->pixels * 8;
    plan->weight_bytes = s.r * plan->steps * 2 * 1024;
    plan->shared_bytes = STEM_WARPGROUPS * STEM_STAGING_BYTES + plan->weight_bytes +
                         (plan->rows * plan->row_bytes + 1023) / 1024 * 1024;
    plan->tiles_p = (s.p + high - 1) / high;
    plan->tiles_q = (s.q + STEM_N - 1) / STEM_N;
    const int64_t tiles = (int64_t)plan->tiles_p * plan->tiles_q * s.n;
    plan->tiles = (int)tiles;
    return tiles < INT32_MAX / 2 && plan->rows * plan->pieces <= STEM_ITEMS * STEM_THREADS &&
           plan->shared_bytes <= STEM_SHARED_LIMIT;
}

// The plan whose blocks have the fewest rows to compute and to begin; false if there is none, or if it is not
// for this kernel.
static bool stem_fits(const conv2d_args &args, const conv_shape &s, stem_plan *best)
{
    const uintptr_t addresses = (uintptr_t)args.x | (uintptr_t)args.out;
    const int aligned = s.channels_last ? s.k : s.q; // what TMA wants of rows
    if (s.c != STEM_CHANNELS || s.groups != 1 || s.stride != 2 || s.dilation != 1 || s.r > 16 || s.s > 16 ||
        s.padding > 64 || s.by_direction || aligned % 8 != 0 || addresses % 16 != 0 || s.k > 64 * 65535)
        return false;
    int64_t least = INT64_MAX;
    for (int high = 1; high <= 8; high++) {
        stem_plan plan;
        if (!stem_plan_of(args, s, high, &plan))
            continue;
        const int64_t room = 2 * assay::multiprocessor_count(),
                      blocks = (s.k + 63) / 64 * (int64_t)plan.tiles;
        const int64_t work = (blocks + room - 1) / room * (high + 1);
        if (work < least)
            *best = plan, least = work;
    }
    return least != INT64_MAX;
}

static assay_status stem_launch(const stem_plan &plan, const conv_shape &s, assay_stream stream)
{
    const int64_t k = s.k, positions = (int64_t)s.p * s.q;
    assay::tensor_map map_out = {};
    const assay_status status =
        s.channels_last
            ? assay::tensor_map_nd<scalar_t, 4>(&map_out, plan.out, {k, s.q, s.p, s.n},
                                                {k, k * s.q, k * positions}, {64, STEM_N, 1, 1}, true)
            : assay::tensor_map_nd<scalar_t, 4>(&map_out, plan.out, {s.q, s.p, k, s.n},
                                                {s.q, positions, k * positions}, {STEM_N, 1, 64, 1}, false);
    if (status != ASSAY_OK)
        return status;
    const int tiles_k = (s.k + 63) / 64, room = (2 * assay::multiprocessor_count() + tiles_k - 1) / tiles_k;
    const bool aligned = s.w % 4 == 0;
    const auto kernel = s.channels_last ? (aligned ? conv2d_stem<true, 4> : conv2d_stem<true, 1>)
                                        : (aligned ? conv2d_stem<false, 4> : conv2d_stem<false, 1>);
    return assay::launch(kernel, dim3((unsigned)(plan.tiles < room ? plan.tiles : room), (unsigned)tiles_k),
                         dim3(STEM_THREADS), (size_t)plan.shared_bytes, stream, map_out, plan, s);
}

#endif
