// A convolution without shared memory: a thread computes CHANNELS output channels at one position, with
// weights in an order in which these lie side by side. Neighbouring threads are neighbouring positions where
// channels come first, neighbouring channels where they come last. Used by step 3, and by step 4 where a
// group has too few channels for a tile.
#ifndef ASSAY_OPS_CONV2D_DIRECT_CUH
#define ASSAY_OPS_CONV2D_DIRECT_CUH

#include "conv_shape.cuh"

// packed[group][r][s][c][k], k padded to `padded_k` with zeros. One thread an element.
static __global__ void conv2d_pack_weights(const scalar_t *weight, scalar_t *packed, const conv_shape s,
                                           int padded_k, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int k = (int)(i % padded_k), taps = s.r * s.s;
    const int64_t line = i / padded_k; // (group, r, s, c)
    const int c = (int)(line % s.group_c), tap = (int)(line / s.group_c % taps);
    const int64_t group = line / s.group_c / taps;
    const scalar_t *filter = weight + (group * s.group_k + k) * s.group_c * taps;
    packed[i] = k < s.group_k ? filter[s.channels_last ? tap * s.group_c + c : c * taps + tap]
                              : assay::from_float<scalar_t>(0.0f);
}

static inline assay_status pack_weights(const conv2d_args &args, const conv_shape &shape, int padded_k,
                                        assay_stream stream)
{
    const int64_t count = (int64_t)shape.groups * shape.group_c * shape.r * shape.s * padded_k;
    if (args.workspace_bytes < count * (int64_t)sizeof(scalar_t))
        return ASSAY_ERR_INVALID;
    if (count == 0)
        return ASSAY_OK;
    return assay::launch(conv2d_pack_weights, dim3((unsigned)((count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args.weight), static_cast<scalar_t *>(args.workspace),
                         shape, padded_k, count);
}

constexpr int DIRECT_THREADS = 128;

// N neighbouring elements, by 16-byte loads where they are as many. `from` is aligned to them, as are `to`
// below.
template <int N>
static __device__ __forceinline__ void load_neighbours(float (&to)[N], const scalar_t *from)
{
    constexpr int WIDE = assay::vec16<scalar_t>::size, EACH = N < WIDE ? N : WIDE;
#pragma unroll
    for (int i = 0; i < N; i += EACH) {
        const assay::vec<scalar_t, EACH> v = assay::load_vec<EACH>(from + i);
#pragma unroll
        for (int lane = 0; lane < EACH; lane++)
            to[i + lane] = assay::to_float(v[lane]);
    }
}

template <int N>
static __device__ __forceinline__ void store_neighbours(scalar_t *to, const float (&from)[N])
{
    constexpr int WIDE = assay::vec16<scalar_t>::size, EACH = N < WIDE ? N : WIDE;
#pragma unroll
    for (int i = 0; i < N; i += EACH) {
        assay::vec<scalar_t, EACH> v;
#pragma unroll
        for (int lane = 0; lane < EACH; lane++)
            v[lane] = assay::from_float<scalar_t>(from[i + lane]);
        assay::store_vec(to + i, v);
    }
}

// Channels first: positions lie along x, channels of all groups along y, CHANNELS a block row.
template <int CHANNELS>
static __global__ void __launch_bounds__(DIRECT_THREADS)
    conv2d_direct_first(const scalar_t *x, const scalar_t *packed, const scalar_t *bias, scalar_t *out,
                        const conv_shape s, int padded_k)
{
    const int position = (int)blockIdx.x * DIRECT_THREADS + (int)threadIdx.x;
    if (position >= s.positions)
        return;
    const int per_group = padded_k / CHANNELS;
    const int group = (int)blockIdx.y / per_group, first_k = (int)blockIdx.y % per_group * CHANNELS;
    const int64_t plane = (int64_t)s.h * s.w;
    const conv_origin origin = origin_of(s, position);
    x += ((int64_t)origin.n * s.c + group * s.group_c) * plane;
    packed += (int64_t)group * s.r * s.s * s.group_c * padded_k + first_k;

    float sums[CHANNELS] = {};
    for (int r = 0; r < s.r; r++)
        for (int t = 0; t < s.s; t++) {
            const int h = origin.h + r * s.dilation, w = origin.w + t * s.dilation_w;
            const bool inside = is_inside(s, h, w);
            const scalar_t *from = x + (inside ? (int64_t)h * s.w + w : 0);
#pragma unroll 4
            for (int c = 0; c < s.group_c; c++) {
                const float element = inside ? assay::to_float(*from) : 0.0f;
                float weights[CHANNELS];
                load_neighbours(weights, packed);
#pragma unroll
                for (int k = 0; k < CHANNELS; k++)
                    sums[k] += element * weights[k];
                from += plane;
                packed += padded_k;
            }
        }
#pragma unroll
    for (int k = 0; k < CHANNELS; k++) {
        const int channel = group * s.group_k + first_k + k;
        if (first_k + k < s.group_k)
            out[output_offset(s, position, channel)] =
                assay::from_float<scalar_t>(sums[k] + assay::to_float(bias[channel]));
    }
}

// Channels last: a position's threads, CHANNELS of its output channels each, are neighbours, so that weights
// and out are coalesced along channels, and all of them read the same INPUTS channels of a pixel by one load.
// INPUTS divides group_c.
template <int CHANNELS, int INPUTS>
static __global__ void __launch_bounds__(DIRECT_THREADS, 8)
    conv2d_direct_last(const scalar_t *x, const scalar_t *packed, const scalar_t *bias, scalar_t *out,
                       const conv_shape s, int padded_k)
{
    const int per_group = padded_k / CHANNELS, per_place = s.groups * per_group;
    const int64_t i = (int64_t)blockIdx.x * DIRECT_THREADS + threadIdx.x;
    if (i / per_place >= s.positions)
        return;
    const int position = (int)(i / per_place), part = (int)(i % per_place);
    const int group = part / per_group, first_k = part % per_group * CHANNELS;
    const conv_origin origin = origin_of(s, position);
    packed += (int64_t)group * s.r * s.s * s.group_c * padded_k + first_k;

    float sums[CHANNELS] = {};
    for (int r = 0; r < s.r; r++)
        for (int t = 0; t < s.s; t++) {
            const int h = origin.h + r * s.dilation, w = origin.w + t * s.dilation_w;
            const bool inside = is_inside(s, h, w);
            const int64_t pixel = inside ? ((int64_t)origin.n * s.h + h) * s.w + w : 0;
            const scalar_t *from = x + pixel * s.c + group * s.group_c;
            for (int c = 0; c < s.group_c; c += INPUTS) {
                float elements[INPUTS] = {};
                if (inside)
                    load_neighbours(elements, from + c);
#pragma unroll
                for (int e = 0; e < INPUTS; e++, packed += padded_k) {
                    float weights[CHANNELS];
                    load_neighbours(weights, packed);
#pragma unroll
                    for (int k = 0; k < CHANNELS; k++)
                        sums[k] += elements[e] * weights[k];
                }
            }
        }
    const int first = group * s.group_k + first_k;
    out += (int64_t)position * s.k + first;
#pragma unroll
    for (int k = 0; k < CHANNELS; k++)
        if (first_k + k < s.group_k)
            sums[k] += assay::to_float(bias[first + k]);
    if (s.group_k % CHANNELS == 0)
        store_neighbours(out, sums);
    else
        for (int k = 0; k < CHANNELS && first_k + k < s.group_k; k++)
            out[k] = assay::from_float<scalar_t>(sums[k]);
}

// Pack the weights and convolve.
template <int CHANNELS>
static assay_status direct_run(const conv2d_args &args, const conv_shape &shape, assay_stream stream)
{
    constexpr int WIDE = assay::vec16<scalar_t>::size;
    const int padded_k = (shape.group_k + CHANNELS - 1) / CHANNELS * CHANNELS;
    const int64_t rows = (int64_t)shape.groups * (padded_k / CHANNELS);
    const int64_t threads = shape.channels_last ? rows * shape.positions : shape.positions;
    const int64_t blocks = (threads + DIRECT_THREADS - 1) / DIRECT_THREADS;
    if (rows > 65535 || blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    const assay_status status = pack_weights(args, shape, padded_k, stream);
    if (status != ASSAY_OK)
        return status;
    auto kernel = !shape.channels_last        ? conv2d_direct_first<CHANNELS>
                  : shape.group_c % WIDE == 0 ? conv2d_direct_last<CHANNELS, WIDE>
                                              : conv2d_direct_last<CHANNELS, 1>;
    return assay::launch(
        kernel, dim3((unsigned)blocks, shape.channels_last ? 1u : (unsigned)rows), dim3(DIRECT_THREADS), 0,
        stream, static_cast<const scalar_t *>(args.x), static_cast<const scalar_t *>(args.workspace),
        static_cast<const scalar_t *>(args.bias), static_cast<scalar_t *>(args.out), shape, padded_k);
}

#endif
