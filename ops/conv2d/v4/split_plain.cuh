// f32 convolution by ordinary arithmetic, from tensors as they lie, where split.cuh met a number that it
// cannot represent in parts: otherwise nothing is done. Tiles of 64 output channels by 64 positions, 4 x 4
// sums a thread.
#ifndef ASSAY_OPS_CONV2D_V4_SPLIT_PLAIN_CUH
#define ASSAY_OPS_CONV2D_V4_SPLIT_PLAIN_CUH

#include "../conv_shape.cuh"
#include <assay/hopper.h>

constexpr int PLAIN_THREADS = 256, PLAIN_TILE = 64, PLAIN_TERMS = 16, PLAIN_PITCH = PLAIN_TILE + 4;

// Element of x for a term of a filter, in the order in which the filter lies, at a position.
static __device__ __forceinline__ float plain_element(const float *x, const conv_shape &s,
                                                      const conv_origin &origin, int group, int term)
{
    const int taps = s.r * s.s, tap = s.channels_last ? term / s.group_c : term % taps,
              c = group * s.group_c + (s.channels_last ? term % s.group_c : term / taps);
    const int h = origin.h + tap / s.s * s.dilation, w = origin.w + tap % s.s * s.dilation;
    if (!is_inside(s, h, w))
        return 0.0f;
    return s.channels_last ? x[(((int64_t)origin.n * s.h + h) * s.w + w) * s.c + c]
                           : x[(((int64_t)origin.n * s.c + c) * s.h + h) * s.w + w];
}

// The sums of a tile: 4 channels and 4 positions from those of the thread on.
static __device__ __forceinline__ void plain_sums(float (&sums)[4][4],
                                                  float (&shared)[2][PLAIN_TERMS * PLAIN_PITCH],
                                                  const float *x, const float *weight, const conv_shape &s,
                                                  int group, int first_k, int first)
{
    const int t = (int)threadIdx.x, terms = s.r * s.s * s.group_c;
    const int column = t % 64, position = first + column, line = t / 64;
    const conv_origin origin = origin_of(s, position < s.positions ? position : 0);
    for (int begin = 0; begin < terms; begin += PLAIN_TERMS) {
        __syncthreads();
        for (int i = line; i < PLAIN_TERMS; i += PLAIN_THREADS / 64) {
            const bool exists = begin + i < terms, has_k = first_k + column < s.group_k;
            const int64_t filter = (int64_t)(group * s.group_k + first_k + column) * terms;
            shared[0][i * PLAIN_PITCH + column] = exists && has_k ? weight[filter + begin + i] : 0.0f;
            shared[1][i * PLAIN_PITCH + column] =
                exists && position < s.positions ? plain_element(x, s, origin, group, begin + i) : 0.0f;
        }
        __syncthreads();
        for (int i = 0; i < PLAIN_TERMS; i++) {
            const assay::vec<float, 4> w = assay::load_vec<4>(&shared[0][i * PLAIN_PITCH + t / 16 * 4]),
                                       v = assay::load_vec<4>(&shared[1][i * PLAIN_PITCH + t % 16 * 4]);
#pragma unroll
            for (int a = 0; a < 4; a++)
#pragma unroll
                for (int b = 0; b < 4; b++)
                    sums[a][b] += w[a] * v[b];
        }
    }
}

// `flags`: `count` of them, one of which is set where there is something to do.
static __global__ void __launch_bounds__(PLAIN_THREADS)
    conv2d_split_plain(const int *flags, int count, const float *x, const float *weight, const float *bias,
                       float *out, const conv_shape s, int tiles_m, int64_t tiles)
{
#if ASSAY_HOPPER_CODE
    __shared__ __align__(16) float shared[2][PLAIN_TERMS * PLAIN_PITCH];
    assay::wait_for_previous();
    const int t = (int)threadIdx.x;
    int bad = 0;
    for (int i = t; i < count; i += PLAIN_THREADS)
        bad |= flags[i];
    if (!__syncthreads_or(bad))
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
#endif
}

static assay_status split_plain_launch(const conv2d_args &args, const conv_shape &s, const int *flags,
                                       int count, assay_stream stream)
{
    const int tiles_m = (s.group_k + PLAIN_TILE - 1) / PLAIN_TILE;
    const int64_t tiles = (int64_t)tiles_m * ((s.positions + PLAIN_TILE - 1) / PLAIN_TILE) * s.groups;
    const int64_t room = 2LL * assay::multiprocessor_count();
    return assay::launch_early(
        conv2d_split_plain, dim3((unsigned)(tiles < room ? tiles : room)), dim3(PLAIN_THREADS), 0, stream,
        flags, count, static_cast<const float *>(args.x), static_cast<const float *>(args.weight),
        static_cast<const float *>(args.bias), static_cast<float *>(args.out), s, tiles_m, tiles);
}

#endif
