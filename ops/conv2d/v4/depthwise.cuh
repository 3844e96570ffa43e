// Depthwise convolution (a filter or two for each input channel) by square filters of 3, 5 and 7 taps: a tile
// of outputs in registers. With channels last by depthwise_last.cuh; here channels come first.
//
// An input element meets R * R products for each filter, so memory is the limit for R = 3, multiply-adds for
// R = 7 in 2-byte types. Step 3 loads every product's element anew. Here a thread has TP x TQ outputs of one
// channel. It loads each row of x that they see once and uses every element for all of them:
// (TP + R - 1) * (TQ + R - 1) loads in place of TP * TQ * R * R. What neighbouring tiles share comes from L1
// and L2, so memory gives an element about once. Filters stay in registers.
#ifndef ASSAY_OPS_CONV2D_V4_DEPTHWISE_CUH
#define ASSAY_OPS_CONV2D_V4_DEPTHWISE_CUH

#include "depthwise_last.cuh"

// The sums of a tile. `x`: the plane; `h`, `w`: where the tile's first window begins.
template <class C>
static __device__ __forceinline__ void depthwise_sums(float (&sums)[C::TP][C::TQ], const scalar_t *x,
                                                      const float (&filter)[C::TAPS], const conv_shape &s,
                                                      int h, int w)
{
    x += (int64_t)h * s.w + w;
#pragma unroll
    for (int i = 0; i < C::ROWS; i++, x += s.w) {
        float row[C::COLUMNS];
#pragma unroll
        for (int j = 0; j < C::COLUMNS; j++) {
            scalar_t element = assay::from_float<scalar_t>(0.0f);
            if (is_inside(s, h + i, w + j))
                element = x[j];
            row[j] = assay::to_float(element);
        }
        add_depthwise_row<C>(sums, i, row, filter);
    }
}

// `tiles`: of all planes; they are numbered along q first.
template <class C>
static __global__ void __launch_bounds__(128)
    conv2d_depthwise_first(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
                           const conv_shape s, int tiles)
{
    const int tile = (int)(blockIdx.x * 128 + threadIdx.x);
    if (tile >= tiles)
        return;
    const int across = (s.q + C::TQ - 1) / C::TQ, down = (s.p + C::TP - 1) / C::TP;
    const int line = tile / across, plane = line / down, k = plane % s.k, p0 = (line - plane * down) * C::TP,
              q0 = (tile - line * across) * C::TQ;
    float filter[C::TAPS];
#pragma unroll
    for (int i = 0; i < C::TAPS; i++)
        filter[i] = assay::to_float(weight[(int64_t)k * C::TAPS + i]);
    float sums[C::TP][C::TQ] = {};
    depthwise_sums<C>(sums, x + ((int64_t)(plane / s.k) * s.c + k / s.group_k) * s.h * s.w, filter, s,
                      p0 * C::STRIDE - s.padding, q0 * C::STRIDE - s.padding);
    const float b = assay::to_float(bias[k]);
    out += ((int64_t)plane * s.p + p0) * s.q + q0;
#pragma unroll
    for (int p = 0; p < C::TP; p++, out += s.q) {
        if (p0 + p >= s.p)
            break;
        assay::vec<scalar_t, C::TQ> v;
#pragma unroll
        for (int q = 0; q < C::TQ; q++)
            v[q] = assay::from_float<scalar_t>(sums[p][q] + b);
        if (s.q % C::TQ == 0)
            assay::store_vec(out, v);
        else
#pragma unroll
            for (int q = 0; q < C::TQ; q++)
                if (q0 + q < s.q)
                    out[q] = v[q];
    }
}

// Tiles of all planes.
template <class C>
static int64_t depthwise_tiles(const conv_shape &s)
{
    return (int64_t)s.n * s.k * ((s.p + C::TP - 1) / C::TP) * ((s.q + C::TQ - 1) / C::TQ);
}

// Whether the tensors are depthwise, and of sizes that there are kernels for.
static bool depthwise_fits(const conv_shape &s)
{
    const bool filter = s.r == s.s && (s.r == 3 || s.r == 5 || s.r == 7);
    return s.group_c == 1 && s.group_k <= 2 && filter && s.stride <= 2 && s.dilation == 1 &&
           !s.by_direction && depthwise_tiles<depthwise_config<3, 1>>(s) <= INT32_MAX / 2;
}

template <int R, int STRIDE>
static assay_status depthwise_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    if (s.channels_last)
        return depthwise_last_run<R, STRIDE>(args, s, stream);
    using C = depthwise_config<R, STRIDE>;
    const int tiles = (int)depthwise_tiles<C>(s);
    return assay::launch(conv2d_depthwise_first<C>, dim3((unsigned)((tiles + 127) / 128)), dim3(128), 0,
                         stream, static_cast<const scalar_t *>(args.x),
                         static_cast<const scalar_t *>(args.weight), static_cast<const scalar_t *>(args.bias),
                         static_cast<scalar_t *>(args.out), s, tiles);
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
