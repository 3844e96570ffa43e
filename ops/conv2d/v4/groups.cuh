// Convolution in groups of 4, 8 or 16 input channels: a window of x for all taps and several groups.
//
// With few channels a group an element of x meets few products, and memory is the limit. A tile of a matrix
// product over one group would be mostly empty and would bring x once for each tap. Here a block brings the
// window that up to 128 positions see, of as many groups as have 128 bytes a pixel, once into shared memory,
// and every tap reads it from another pixel. A warp has a group and 8 of its output channels.
//   2-byte types  mma.sync m16n8k16: rows are positions, columns output channels, terms run through the taps
//                 and then the channels of a group. So nothing is multiplied by zeros but the rest of the last
//                 16 terms. Each lane of ldmatrix addresses the pixel of one position for one tap. With 4
//                 channels a tap has 8 bytes, which lanes load themselves.
//   f32           FFMA: a lane has 4 positions and 8 output channels.
// The filters stay in shared memory in the order in which they are read. The finished tile is laid out in
// shared memory as out needs it.
#ifndef ASSAY_OPS_CONV2D_V4_GROUPS_CUH
#define ASSAY_OPS_CONV2D_V4_GROUPS_CUH

#include "group_plan.cuh"
#include <cstring>

struct group_memory {
    unsigned char *base;
    __device__ __forceinline__ int *position(const group_plan &plan) const // of a position's first tap: bytes
    {
        return reinterpret_cast<int *>(base + plan.offsets);
    }
    __device__ __forceinline__ int *step(const group_plan &plan) const // from there on; below 0: no term
    {
        return position(plan) + GROUP_POSITIONS;
    }
    __device__ __forceinline__ scalar_t *weights(const group_plan &plan) const
    {
        return reinterpret_cast<scalar_t *>(base + plan.weights);
    }
};

struct group_tile {
    int image, p, q;
};

static __device__ __forceinline__ group_tile group_tile_of(const group_plan &plan, int64_t number)
{
    const int64_t line = number / plan.tiles_q;
    return {(int)(line / plan.tiles_p), (int)(line % plan.tiles_p) * plan.high,
            (int)(number % plan.tiles_q) * plan.wide};
}

// Fill the tables of offsets in the window, once a block. Of 2-byte types there is one for each 8 channels of
// a tap, or for each tap of 4; of f32 for each tap.
template <int CHANNELS>
static __device__ __forceinline__ void find_group_offsets(const group_memory &shared, const group_plan &plan,
                                                          const conv_shape &s)
{
    constexpr int CHUNKS = sizeof(scalar_t) == 4 || CHANNELS < 8 ? 1 : CHANNELS / 8;
    if (threadIdx.x < 4)
        reinterpret_cast<int *>(shared.base)[threadIdx.x] = 0;
    for (int i = (int)threadIdx.x; i < GROUP_POSITIONS; i += GROUP_THREADS) {
        const int m = i < plan.high * plan.wide ? i : 0; // others are computed and dropped
        shared.position(plan)[i] =
            (m / plan.wide * s.stride * plan.columns + m % plan.wide * s.stride_w) * GROUP_PIXEL;
    }
    for (int i = (int)threadIdx.x; i < plan.steps * 4; i += GROUP_THREADS) {
        const int tap = i / CHUNKS;
        shared.step(plan)[i] =
            tap < s.r * s.s
                ? (tap / s.s * s.dilation * plan.columns + tap % s.s * s.dilation_w) * GROUP_PIXEL +
                      i % CHUNKS * 16
                : -1;
    }
}

static __device__ __forceinline__ scalar_t group_weight(const group_plan &plan, const conv_shape &s,
                                                        int group, int k, int tap, int c)
{
    if (group >= s.groups || k >= s.group_k || tap >= s.r * s.s)
        return assay::from_float<scalar_t>(0.0f);
    const int64_t filter = group * s.group_k + k;
    return plan.weight[s.channels_last ? (filter * s.r * s.s + tap) * s.group_c + c
                                       : (filter * s.group_c + c) * s.r * s.s + tap];
}

// The filters of a block's groups, once a block: as mma.sync's second operand, 8 bytes a lane for each step,
// or for f32 [tap][channel][8 output channels].
template <int CHANNELS>
static __device__ __forceinline__ void bring_group_weights(const group_memory &shared, const group_plan &plan,
                                                           const conv_shape &s, int first_group)
{
    const int each = sizeof(scalar_t) == 4 ? plan.steps * CHANNELS * GROUP_OUTPUTS : plan.steps * 128;
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < plan.together * plan.pieces * each; i += GROUP_THREADS) {
        const int piece = i / each % plan.pieces, group = first_group + i / each / plan.pieces, at = i % each;
        int term, k;
        if (sizeof(scalar_t) == 4) {
            term = at / GROUP_OUTPUTS, k = at % GROUP_OUTPUTS;
        } else {
            const int lane = at / 4 % 32;
            term = at / 128 * 16 + at / 2 % 2 * 8 + lane % 4 * 2 + at % 2, k = lane / 4;
        }
        shared.weights(plan)[i] =
            group_weight(plan, s, group, piece * GROUP_OUTPUTS + k, term / CHANNELS, term % CHANNELS);
    }
}

// Start bringing the window of a tile: 16 bytes of channels of a pixel at a time. Outside of the image there
// are zeros.
static __device__ __forceinline__ void bring_group_window(const group_memory &shared, const group_plan &plan,
                                                          const conv_shape &s, const group_tile &tile,
                                                          int first_group)
{
    const int pixels = plan.rows * plan.columns, left = s.c - first_group * s.group_c,
              channels = left < plan.together * s.group_c ? left : plan.together * s.group_c,
              chunks = (channels + GROUP_CHUNK - 1) / GROUP_CHUNK;
    const int top = tile.p * s.stride - s.padding, first_w = tile.q * s.stride_w - s.padding_w;
    const int64_t plane = (int64_t)s.h * s.w;
    const scalar_t *x =
        plan.x + (s.channels_last ? tile.image * plane * s.c + first_group * s.group_c
                                  : ((int64_t)tile.image * s.c + first_group * s.group_c) * plane);
#pragma unroll 2
    for (int i = (int)threadIdx.x; i < pixels * chunks; i += GROUP_THREADS) {
        const int pixel = s.channels_last ? i / chunks : i % pixels,
                  chunk = s.channels_last ? i % chunks : i / pixels;
        const int h = top + pixel / plan.columns, w = first_w + pixel % plan.columns;
        const bool inside = is_inside(s, h, w);
        scalar_t *to =
            reinterpret_cast<scalar_t *>(shared.base + plan.window + pixel * GROUP_PIXEL + chunk * 16);
        if (s.channels_last) {
            const scalar_t *from = x + ((int64_t)h * s.w + w) * s.c + chunk * GROUP_CHUNK;
            assay::cp_async_16(to, inside ? from : plan.x, inside ? 16 : 0);
            continue;
        }
        const scalar_t *from = x + chunk * GROUP_CHUNK * plane + (int64_t)h * s.w + w;
        assay::vec<scalar_t, GROUP_CHUNK> v;
#pragma unroll
        for (int c = 0; c < GROUP_CHUNK; c++)
            v[c] = inside && chunk * GROUP_CHUNK + c < channels ? from[c * plane]
                                                                : assay::from_float<scalar_t>(0.0f);
        assay::store_vec(to, v);
    }
    assay::cp_async_commit();
}

// A finished element: the bias is added. `k`: of the block's output channels.
static __device__ __forceinline__ void finish_group(const group_memory &shared, const group_plan &plan,
                                                    const conv_shape &s, int position, int k, float sum)
{
    const int row = s.channels_last ? position : k, column = s.channels_last ? k : position;
    *reinterpret_cast<scalar_t *>(shared.base + plan.finished + row * plan.finished_row +
                                  column * (int)sizeof(scalar_t)) = assay::from_float<scalar_t>(sum);
}

static __device__ __forceinline__ float group_bias(const group_plan &plan, const conv_shape &s, int group,
                                                   int k)
{
    return group < s.groups && k < s.group_k ? assay::to_float(plan.bias[group * s.group_k + k]) : 0.0f;
}

#if ASSAY_DTYPE_F32

// 128 positions of a group's piece: positions lane, lane + 32 and so on, and 8 output channels a lane.
template <int CHANNELS>
static __device__ __forceinline__ void multiply_group(const group_memory &shared, const group_plan &plan,
                                                      const conv_shape &s, int first_group, int local,
                                                      int piece)
{
    const int lane = (int)threadIdx.x % 32;
    const float *filter =
        shared.weights(plan) + (local * plan.pieces + piece) * plan.steps * CHANNELS * GROUP_OUTPUTS;
    const unsigned char *window = shared.base + plan.window + local * CHANNELS * 4;
    int at[4];
    float sums[4][GROUP_OUTPUTS] = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
        at[i] = shared.position(plan)[lane + i * 32];
    for (int tap = 0; tap < plan.steps; tap++) {
        const unsigned char *seen = window + shared.step(plan)[tap];
#pragma unroll 2
        for (int c = 0; c < CHANNELS; c += 4, filter += 4 * GROUP_OUTPUTS) {
            assay::vec<float, 4> x[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                x[i] = assay::load_vec<4>(reinterpret_cast<const float *>(seen + at[i] + c * 4));
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const assay::vec<float, 4> low = assay::load_vec<4>(filter + e * GROUP_OUTPUTS),
                                           high = assay::load_vec<4>(filter + e * GROUP_OUTPUTS + 4);
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int k = 0; k < 4; k++) {
                        sums[i][k] += x[i][e] * low[k];
                        sums[i][4 + k] += x[i][e] * high[k];
                    }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < GROUP_OUTPUTS; k++) {
        const int channel = piece * GROUP_OUTPUTS + k;
        const float bias = group_bias(plan, s, first_group + local, channel);
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (channel < s.group_k)
                finish_group(shared, plan, s, lane + i * 32, local * s.group_k + channel, sums[i][k] + bias);
    }
}

constexpr int GROUP_PARTS = 1; // of a tile's positions, of a warp each

template <int CHANNELS>
static __device__ __forceinline__ void multiply_group_part(const group_memory &shared, const group_plan &plan,
                                                           const conv_shape &s, int first_group, int local,
                                                           int piece, int)
{
    multiply_group<CHANNELS>(shared, plan, s, first_group, local, piece);
}

#else

// The first operand of a step for 16 positions, of which this lane addresses one. With 4 channels lanes load
// their elements themselves: `at` has the rows lane / 4 and 8 below then.
template <int CHANNELS>
static __device__ __forceinline__ void read_group(uint32_t (&a)[4], const group_memory &shared,
                                                  const unsigned char *window, const int (&at)[2],
                                                  const int *steps)
{
    const int lane = (int)threadIdx.x % 32;
    if constexpr (CHANNELS >= 8) {
        const int step = steps[lane / 16];
        assay::ldmatrix_x4(a, step < 0 ? shared.base : window + at[0] + step);
    } else {
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int step = steps[half * 2 + lane % 4 / 2];
#pragma unroll
            for (int row = 0; row < 2; row++) {
                a[half * 2 + row] = 0;
                if (step >= 0)
                    memcpy(&a[half * 2 + row], window + at[row] + step + lane % 2 * 4, 4);
            }
        }
    }
}

constexpr int GROUP_PARTS = 2, GROUP_TILES_M = GROUP_POSITIONS / GROUP_PARTS / 16;

// 64 positions of a group's piece.
template <int CHANNELS>
static __device__ __forceinline__ void multiply_group_part(const group_memory &shared, const group_plan &plan,
                                                           const conv_shape &s, int first_group, int local,
                                                           int piece, int part)
{
    const int lane = (int)threadIdx.x % 32, first = part * 16 * GROUP_TILES_M;
    const scalar_t *filter =
        shared.weights(plan) + (local * plan.pieces + piece) * plan.steps * 128 + lane * 4;
    const unsigned char *window = shared.base + plan.window + local * CHANNELS * 2;
    const int *steps = shared.step(plan);
    constexpr int AHEAD = CHANNELS >= 8 ? 2 : 4; // entries of a step in the table
    int at[GROUP_TILES_M][2];
    float sums[GROUP_TILES_M][4] = {};
#pragma unroll
    for (int m = 0; m < GROUP_TILES_M; m++) {
        at[m][0] = shared.position(plan)[first + m * 16 + (CHANNELS >= 8 ? lane % 16 : lane / 4)];
        at[m][1] = shared.position(plan)[first + m * 16 + 8 + lane / 4];
    }
    for (int step = 0; step < plan.steps; step++, filter += 128, steps += AHEAD) {
        const assay::vec<scalar_t, 4> w = assay::load_vec<4>(filter);
        uint32_t b[2];
        memcpy(b, &w, 8);
#pragma unroll
        for (int m = 0; m < GROUP_TILES_M; m++) {
            uint32_t a[4];
            read_group<CHANNELS>(a, shared, window, at[m], steps);
            assay::mma_m16n8k16<scalar_t>(sums[m], a, b, sums[m]);
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int channel = piece * GROUP_OUTPUTS + lane % 4 * 2 + i;
        const float bias = group_bias(plan, s, first_group + local, channel);
#pragma unroll
        for (int m = 0; m < GROUP_TILES_M; m++)
#pragma unroll
            for (int half = 0; half < 2; half++)
                if (channel < s.group_k)
                    finish_group(shared, plan, s, first + m * 16 + half * 8 + lane / 4,
                                 local * s.group_k + channel, sums[m][half * 2 + i] + bias);
    }
}

#endif

// Write the finished tile, V elements at a time.
template <int V>
static __device__ __forceinline__ void store_group(const group_memory &shared, const group_plan &plan,
                                                   const conv_shape &s, const group_tile &tile,
                                                   int first_group)
{
    const int positions = plan.high * plan.wide, left = s.groups - first_group,
              outputs = (left < plan.together ? left : plan.together) * s.group_k;
    const int each = (s.channels_last ? outputs : plan.wide) / V,
              lines = s.channels_last ? positions : outputs * plan.high;
    const int64_t plane = (int64_t)s.p * s.q;
    for (int i = (int)threadIdx.x; i < lines * each; i += GROUP_THREADS) {
        const int line = i / each, column = i % each * V;
        const int position = s.channels_last ? line : line % plan.high * plan.wide + column,
                  k = s.channels_last ? column : line / plan.high;
        const int p = tile.p + position / plan.wide, q = tile.q + position % plan.wide;
        if (p >= s.p || q >= s.q)
            continue;
        const int channel = first_group * s.group_k + k, row = s.channels_last ? position : k,
                  from = s.channels_last ? k : position;
        const int64_t to = s.channels_last
                               ? (tile.image * plane + (int64_t)p * s.q + q) * s.k + channel
                               : ((int64_t)tile.image * s.k + channel) * plane + (int64_t)p * s.q + q;
        assay::store_vec(plan.out + to, assay::load_vec<V>(reinterpret_cast<const scalar_t *>(
                                            shared.base + plan.finished + row * plan.finished_row +
                                            from * (int)sizeof(scalar_t))));
    }
}

template <int CHANNELS>
static __global__ void __launch_bounds__(GROUP_THREADS)
    conv2d_groups(const group_plan plan, const conv_shape s)
{
    ASSAY_DYNAMIC_SHARED(unsigned char, base);
    const group_memory shared = {base};
    const int first_group = (int)blockIdx.y * plan.together, warp = (int)threadIdx.x / 32;
    const int left = s.groups - first_group, groups = left < plan.together ? left : plan.together;
    find_group_offsets<CHANNELS>(shared, plan, s);
    bring_group_weights<CHANNELS>(shared, plan, s, first_group);
    for (int64_t number = blockIdx.x; number < plan.tiles; number += gridDim.x) {
        const group_tile tile = group_tile_of(plan, number);
        bring_group_window(shared, plan, s, tile, first_group); // the tile before has been multiplied
        assay::cp_async_wait<0>();
        __syncthreads();
        for (int item = warp; item < groups * plan.pieces * GROUP_PARTS; item += GROUP_THREADS / 32)
            if (item % GROUP_PARTS * (GROUP_POSITIONS / GROUP_PARTS) < plan.high * plan.wide)
                multiply_group_part<CHANNELS>(shared, plan, s, first_group, item / GROUP_PARTS / plan.pieces,
                                              item / GROUP_PARTS % plan.pieces, item % GROUP_PARTS);
        __syncthreads();
        if (plan.vector == GROUP_CHUNK)
            store_group<GROUP_CHUNK>(shared, plan, s, tile, first_group);
        else if (plan.vector > 1)
            store_group<2>(shared, plan, s, tile, first_group);
        else
            store_group<1>(shared, plan, s, tile, first_group);
    }
}

template <int CHANNELS>
static assay_status group_launch(const group_plan &plan, const conv_shape &s, assay_stream stream)
{
    const int64_t room = (8LL * assay::multiprocessor_count() + plan.slices - 1) / plan.slices;
    return assay::launch(conv2d_groups<CHANNELS>,
                         dim3((unsigned)(plan.tiles < room ? plan.tiles : room), (unsigned)plan.slices),
                         dim3(GROUP_THREADS), (size_t)plan.shared_bytes, stream, plan, s);
}

static assay_status group_run(const group_plan &plan, const conv_shape &s, assay_stream stream)
{
    return s.group_c == 4   ? group_launch<4>(plan, s, stream)
           : s.group_c == 8 ? group_launch<8>(plan, s, stream)
                            : group_launch<16>(plan, s, stream);
}

#endif
