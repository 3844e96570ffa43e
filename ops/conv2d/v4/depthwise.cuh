// Depthwise convolution (a filter or two for each input channel) by square filters of 3, 5 and 7 taps: a tile
// of outputs in registers.
//
// An input element meets R * R products for each filter, so memory is the limit for R = 3, multiply-adds for
// R = 7 in 2-byte types. Step 3 loads every product's element anew. Here a thread has TP x TQ outputs. It
// loads each row of x that they see once and uses every element for all of them: (TP + R - 1) * (TQ + R - 1)
// loads in place of TP * TQ * R * R. What neighbouring tiles share comes from L1 and L2, so memory gives an
// element about once. Filters stay in registers.
//   channels first  a thread has one output channel, neighbouring threads neighbouring tiles of its plane
//   channels last   a thread has CHANNELS neighbouring output channels, and neighbouring threads neighbouring
//                   channels. They are 4 bytes, so that a warp's load is whole 128-byte lines, but one where
//                   two filters of 7 x 7 would not fit into registers. A block keeps its channels for many
//                   tiles, since its filters come through shared memory.
#ifndef ASSAY_OPS_CONV2D_V4_DEPTHWISE_CUH
#define ASSAY_OPS_CONV2D_V4_DEPTHWISE_CUH

#include <assay/hopper.h>
#include "../conv_shape.cuh"

// MULTIPLIER: output channels for each input channel, where a thread has several output channels.
template <int R_, int STRIDE_, bool LAST_, int MULTIPLIER_>
struct depthwise_config {
    static constexpr int R = R_, STRIDE = STRIDE_, MULTIPLIER = MULTIPLIER_, THREADS = 128;
    static constexpr bool LAST = LAST_;
    static constexpr int CHANNELS = LAST && R < 7 ? 4 / (int)sizeof(scalar_t) : 1;
    static constexpr int INPUTS = MULTIPLIER == 1 ? CHANNELS : 1; // channels of x that a thread reads
    static constexpr int TP = 4, TQ = LAST && (STRIDE == 2 || R == 7) ? 2 : 4;
    static constexpr int ROWS = (TP - 1) * STRIDE + R, COLUMNS = (TQ - 1) * STRIDE + R; // of x that they see
};

template <class C>
struct depthwise_tile {
    float sums[C::TP][C::TQ][C::CHANNELS];

    // `x`: pixel (0, 0) of the thread's first channel; `h`, `w`: where the tile's first window begins.
    __device__ __forceinline__ void multiply(const scalar_t *x,
                                             const float (&filter)[C::CHANNELS][C::R * C::R],
                                             const conv_shape &s, int h, int w)
    {
        const int64_t pixel = C::LAST ? s.c : 1;
        x += ((int64_t)h * s.w + w) * pixel;
#pragma unroll
        for (int i = 0; i < C::ROWS; i++, x += s.w * pixel) {
            float row[C::COLUMNS][C::INPUTS];
#pragma unroll
            for (int j = 0; j < C::COLUMNS; j++) {
                assay::vec<scalar_t, C::INPUTS> v = {};
                if (is_inside(s, h + i, w + j))
                    v = assay::load_vec<C::INPUTS>(x + j * pixel);
#pragma unroll
                for (int c = 0; c < C::INPUTS; c++)
                    row[j][c] = assay::to_float(v[c]);
            }
            add_row(i, row, filter);
        }
    }

  private:
    // Row i of x is row i - p * STRIDE of the filter for output row p.
    __device__ __forceinline__ void add_row(int i, const float (&row)[C::COLUMNS][C::INPUTS],
                                            const float (&filter)[C::CHANNELS][C::R * C::R])
    {
#pragma unroll
        for (int p = 0; p < C::TP; p++) {
            const int r = i - p * C::STRIDE;
            if (r < 0 || r >= C::R)
                continue;
#pragma unroll
            for (int t = 0; t < C::R; t++)
#pragma unroll
                for (int q = 0; q < C::TQ; q++)
#pragma unroll
                    for (int k = 0; k < C::CHANNELS; k++)
                        sums[p][q][k] +=
                            row[q * C::STRIDE + t][C::INPUTS == 1 ? 0 : k] * filter[k][r * C::R + t];
        }
    }
};

// Tile number `tile` of all images' planes, along q first: its image or plane, and its first output.
struct depthwise_place {
    int64_t plane;
    int p, q;
};
template <class C>
static __device__ __forceinline__ depthwise_place depthwise_place_of(const conv_shape &s, int64_t tile)
{
    const int across = (s.q + C::TQ - 1) / C::TQ, down = (s.p + C::TP - 1) / C::TP;
    const int64_t line = tile / across;
    return {line / down, (int)(line % down) * C::TP, (int)(tile % across) * C::TQ};
}

template <class C>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_depthwise_first(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
                           const conv_shape s, int64_t tiles)
{
    const int64_t tile = (int64_t)blockIdx.x * C::THREADS + threadIdx.x;
    if (tile >= tiles)
        return;
    const depthwise_place place = depthwise_place_of<C>(s, tile);
    const int64_t image = place.plane / s.k;
    const int k = (int)(place.plane % s.k);
    float filter[1][C::R * C::R];
#pragma unroll
    for (int i = 0; i < C::R * C::R; i++)
        filter[0][i] = assay::to_float(weight[(int64_t)k * C::R * C::R + i]);
    depthwise_tile<C> work = {};
    work.multiply(x + (image * s.c + k / s.group_k) * s.h * s.w, filter, s, place.p * C::STRIDE - s.padding,
                  place.q * C::STRIDE - s.padding);

    const float b = assay::to_float(bias[k]);
    out += (place.plane * s.p + place.p) * s.q + place.q;
#pragma unroll
    for (int p = 0; p < C::TP; p++, out += s.q) {
        if (place.p + p >= s.p)
            break;
        assay::vec<scalar_t, C::TQ> v;
#pragma unroll
        for (int q = 0; q < C::TQ; q++)
            v[q] = assay::from_float<scalar_t>(work.sums[p][q][0] + b);
        if (s.q % C::TQ == 0)
            assay::store_vec(out, v);
        else
#pragma unroll
            for (int q = 0; q < C::TQ; q++)
                if (place.q + q < s.q)
                    out[q] = v[q];
    }
}

// `lanes`: threads that share a tile, CHANNELS channels each; a block has THREADS / lanes tiles at a time.
template <class C>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_depthwise_last(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
                          const conv_shape s, int lanes, int64_t tiles)
{
    constexpr int TAPS = C::R * C::R;
    ASSAY_DYNAMIC_SHARED(float, filters); // as they lie: [channel][tap]
    const int lane = (int)threadIdx.x % lanes, part = (int)threadIdx.x / lanes, together = C::THREADS / lanes;
    const int first = (int)blockIdx.y * lanes * C::CHANNELS, k = first + lane * C::CHANNELS;
    const int channels = s.k - first < lanes * C::CHANNELS ? s.k - first : lanes * C::CHANNELS;
    for (int i = (int)threadIdx.x; i < channels * TAPS; i += C::THREADS)
        filters[i] = assay::to_float(weight[(int64_t)first * TAPS + i]);
    __syncthreads();
    if (k >= s.k || part >= together)
        return;
    float filter[C::CHANNELS][TAPS], b[C::CHANNELS];
#pragma unroll
    for (int c = 0; c < C::CHANNELS; c++) {
        b[c] = assay::to_float(bias[k + c]);
#pragma unroll
        for (int i = 0; i < TAPS; i++)
            filter[c][i] = filters[(lane * C::CHANNELS + c) * TAPS + i];
    }
    x += k / s.group_k;
    out += k;
    for (int64_t tile = (int64_t)blockIdx.x * together + part; tile < tiles;
         tile += (int64_t)gridDim.x * together) {
        const depthwise_place place = depthwise_place_of<C>(s, tile);
        depthwise_tile<C> work = {};
        work.multiply(x + place.plane * s.h * s.w * s.c, filter, s, place.p * C::STRIDE - s.padding,
                      place.q * C::STRIDE - s.padding);
#pragma unroll
        for (int p = 0; p < C::TP; p++)
#pragma unroll
            for (int q = 0; q < C::TQ; q++) {
                if (place.p + p >= s.p || place.q + q >= s.q)
                    continue;
                assay::vec<scalar_t, C::CHANNELS> v;
#pragma unroll
                for (int c = 0; c < C::CHANNELS; c++)
                    v[c] = assay::from_float<scalar_t>(work.sums[p][q][c] + b[c]);
                assay::store_vec(out + ((place.plane * s.p + place.p + p) * s.q + place.q + q) * s.k, v);
            }
    }
}

// Whether the tensors are depthwise, of sizes that there are kernels for, and vectors of channels aligned.
static bool depthwise_fits(const conv_shape &s)
{
    const bool filter = s.r == s.s && (s.r == 3 || s.r == 5 || s.r == 7);
    const int channels = s.channels_last ? 4 / (int)sizeof(scalar_t) : 1;
    return s.group_c == 1 && s.group_k <= 2 && filter && s.stride <= 2 && s.dilation == 1 &&
           !s.by_direction && s.k % channels == 0;
}

template <class C>
static assay_status depthwise_launch(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    const scalar_t *x = static_cast<const scalar_t *>(args.x),
                   *weight = static_cast<const scalar_t *>(args.weight),
                   *bias = static_cast<const scalar_t *>(args.bias);
    scalar_t *out = static_cast<scalar_t *>(args.out);
    const int64_t planes = C::LAST ? s.n : (int64_t)s.n * s.k;
    const int64_t tiles = planes * ((s.p + C::TP - 1) / C::TP) * ((s.q + C::TQ - 1) / C::TQ);
    if constexpr (!C::LAST) {
        const int64_t blocks = (tiles + C::THREADS - 1) / C::THREADS;
        return blocks > INT32_MAX
                   ? ASSAY_ERR_UNSUPPORTED
                   : assay::launch(conv2d_depthwise_first<C>, dim3((unsigned)blocks), dim3(C::THREADS), 0,
                                   stream, x, weight, bias, out, s, tiles);
    } else {
        // Channels are dealt out evenly to blocks of up to 64 threads a tile; four blocks a multiprocessor
        // take the tiles in turn.
        const int threads = s.k / C::CHANNELS, columns = (threads + 63) / 64,
                  lanes = (threads + columns - 1) / columns, together = C::THREADS / lanes;
        const int64_t wanted = (tiles + together - 1) / together,
                      room = (4LL * assay::multiprocessor_count() + columns - 1) / columns;
        if (columns > 65535)
            return ASSAY_ERR_UNSUPPORTED;
        return assay::launch(conv2d_depthwise_last<C>,
                             dim3((unsigned)(wanted < room ? wanted : room), (unsigned)columns),
                             dim3(C::THREADS), (size_t)lanes * C::CHANNELS * C::R * C::R * 4, stream, x,
                             weight, bias, out, s, lanes, tiles);
    }
}

template <int R, int STRIDE>
static assay_status depthwise_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    if (!s.channels_last)
        return depthwise_launch<depthwise_config<R, STRIDE, false, 1>>(args, s, stream);
    return s.group_k == 1 || sizeof(scalar_t) == 4 || R == 7 // with one channel a thread both are alike
               ? depthwise_launch<depthwise_config<R, STRIDE, true, 1>>(args, s, stream)
               : depthwise_launch<depthwise_config<R, STRIDE, true, 2>>(args, s, stream);
}

static assay_status depthwise_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    if (s.r == 3)
        return s.stride == 1 ? depthwise_run<3, 1>(args, s, stream) : depthwise_run<3, 2>(args, s, stream);
    if (s.r == 5)
        return s.stride == 1 ? depthwise_run<5, 1>(args, s, stream) : depthwise_run<5, 2>(args, s, stream);
    return s.stride == 1 ? depthwise_run<7, 1>(args, s, stream) : depthwise_run<7, 2>(args, s, stream);
}

#endif
