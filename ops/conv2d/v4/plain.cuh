// f32 convolution by ordinary arithmetic, from tensors as they lie, in one launch: tiles of 64 output channels by
// 64 positions, 4 x 4 sums a thread. For small problems, whose time is that of launches and of bringing code;
// and behind split.cuh, where it does nothing unless that met a number which it cannot represent in parts.
#ifndef ASSAY_OPS_CONV2D_V4_PLAIN_CUH
#define ASSAY_OPS_CONV2D_V4_PLAIN_CUH

#include "../conv_shape.cuh"
#include <assay/hopper.h>

constexpr int PLAIN_THREADS = 256, PLAIN_TILE = 64, PLAIN_TERMS = 16, PLAIN_PITCH = PLAIN_TILE + 4;

// Element of x for a term of a filter, in the order in which the filter lies, at a position.
static __device__ __forceinline__ float plain_element(const float *x, const conv_shape &s,
                                                      const conv_origin &origin, int group, int term)
{
    const int taps = s.r * s.s, tap = s.channels_last ? term / s.group_c : term % taps,
              c = group * s.group_c + (s.channels_last ? term % s.group_c : term / taps);
    const int h = origin.h + tap / s.s * s.dilation, w = origin.w + tap % s.s * s.dilation_w;
    if (!is_inside(s, h, w))
        return 0.0f;
    return s.channels_last ? x[(((int64_t)origin.n * s.h + h) * s.w + w) * s.c + c]
                           : x[(((int64_t)origin.n * s.c + c) * s.h + h) * s.w + w];
}

// What a thread brings of 16 terms: every fourth of one channel's filter, and what one position sees for them.
struct plain_terms {
    float weight[4], x[4];

    __device__ __forceinline__ void load(const float *from_x, const float *from_weight, const conv_shape &s,
                                         const conv_origin &origin, bool has_position, bool has_channel,
                                         int group, int term)
    {
        const int terms = s.r * s.s * s.group_c;
#pragma unroll
        for (int i = 0; i < 4; i++, term += 4) {
            weight[i] = has_channel && term < terms ? from_weight[term] : 0.0f;
            x[i] = has_position && term < terms ? plain_element(from_x, s, origin, group, term) : 0.0f;
        }
    }
};

// The sums of a tile: 4 channels and 4 positions from those of the thread on. The next terms are on their way
// while those in shared memory, which has two places for them, are multiplied.
static __device__ __forceinline__ void plain_sums(float (&sums)[4][4],
                                                  float (&shared)[2][2][PLAIN_TERMS * PLAIN_PITCH],
                                                  const float *x, const float *weight, const conv_shape &s,
                                                  int group, int first_k, int first)
{
    const int t = (int)threadIdx.x, terms = s.r * s.s * s.group_c, column = t % 64, line = t / 64;
    const bool has_position = first + column < s.positions, has_channel = first_k + column < s.group_k;
    const conv_origin origin = origin_of(s, has_position ? first + column : 0);
    weight += has_channel ? (int64_t)(group * s.group_k + first_k + column) * terms : 0;
    plain_terms next;
    next.load(x, weight, s, origin, has_position, has_channel, group, line);
    for (int begin = 0, place = 0; begin < terms; begin += PLAIN_TERMS, place ^= 1) {
        float(&now)[2][PLAIN_TERMS * PLAIN_PITCH] = shared[place];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            now[0][(line + i * 4) * PLAIN_PITCH + column] = next.weight[i];
            now[1][(line + i * 4) * PLAIN_PITCH + column] = next.x[i];
        }
        __syncthreads();
        if (begin + PLAIN_TERMS < terms)
            next.load(x, weight, s, origin, has_position, has_channel, group, begin + PLAIN_TERMS + line);
#pragma unroll 4
        for (int i = 0; i < PLAIN_TERMS; i++) {
            const assay::vec<float, 4> w = assay::load_vec<4>(&now[0][i * PLAIN_PITCH + t / 16 * 4]),
                                       v = assay::load_vec<4>(&now[1][i * PLAIN_PITCH + t % 16 * 4]);
#pragma unroll
            for (int a = 0; a < 4; a++)
#pragma unroll
                for (int b = 0; b < 4; b++)
                    sums[a][b] += w[a] * v[b];
        }
    }
    __syncthreads(); // the next tile begins with the first place
}

// `flags`: `count` of them, one of which is set where there is something to do; 0: there is.
static __global__ void __launch_bounds__(PLAIN_THREADS)
    conv2d_plain(const int *flags, int count, const float *x, const float *weight, const float *bias,
                 float *out, const conv_shape s, int tiles_m, int64_t tiles)
{
    __shared__ __align__(16) float shared[2][2][PLAIN_TERMS * PLAIN_PITCH];
#if ASSAY_HOPPER_CODE
    assay::wait_for_previous();
#endif
    const int t = (int)threadIdx.x;
    int bad = 0;
    for (int i = t; i < count; i += PLAIN_THREADS)
        bad |= flags[i];
    if (count > 0 && !__syncthreads_or(bad))
        return;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const int group = (int)(tile % s.groups), first_k = (int)(tile / s.groups % tiles_m) * PLAIN_TILE,
                  first = (int)(tile / s.groups / tiles_m) * PLAIN_TILE;
        float sums[4][4] = {};
        plain_sums(sums, shared, x, weight, s, group, first_k, first);
#pragma unroll
        for (int a = 0; a < 4; a++)
#pragma unroll
            for (int b = 0; b < 4; b++) {
                const int k = first_k + t / 16 * 4 + a, position = first + t % 16 * 4 + b,
                          channel = group * s.group_k + k;
                if (k < s.group_k && position < s.positions)
                    out[s.channels_last ? (int64_t)position * s.k + channel
                                        : output_offset(s, position, channel)] = sums[a][b] + bias[channel];
            }
    }
}

static int64_t plain_tiles(const conv_shape &s)
{
    return (int64_t)((s.group_k + PLAIN_TILE - 1) / PLAIN_TILE) *
           ((s.positions + PLAIN_TILE - 1) / PLAIN_TILE) * s.groups;
}

// Microseconds, fitted to an H200: 16 terms of a tile wait for their loads, and tiles for each other.
static double plain_us(const conv_shape &s)
{
    const int terms = s.r * s.s * s.group_c, room = assay::multiprocessor_count();
    const int64_t rounds = (plain_tiles(s) + room - 1) / room;
    return 8 + (terms + 15) / 16 * (0.55 + 1.17 * (double)rounds);
}

static assay_status plain_run(const conv2d_args &args, const conv_shape &s, const int *flags, int count,
                              assay_stream stream)
{
    const int64_t tiles = plain_tiles(s), room = (count > 0 ? 2LL : 4LL) * assay::multiprocessor_count();
    const dim3 grid((unsigned)(tiles < room ? tiles : room)), block(PLAIN_THREADS);
    const float *x = static_cast<const float *>(args.x), *weight = static_cast<const float *>(args.weight),
                *bias = static_cast<const float *>(args.bias);
    const int tiles_m = (s.group_k + PLAIN_TILE - 1) / PLAIN_TILE;
    float *out = static_cast<float *>(args.out);
    return count > 0 ? assay::launch_early(conv2d_plain, grid, block, 0, stream, flags, count, x, weight,
                                           bias, out, s, tiles_m, tiles)
                     : assay::launch(conv2d_plain, grid, block, 0, stream, flags, count, x, weight, bias, out,
                                     s, tiles_m, tiles);
}

#endif
