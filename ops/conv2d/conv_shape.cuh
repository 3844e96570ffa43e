// A convolution's sizes as kernels use them, and where an output element lies in the image.
#ifndef ASSAY_OPS_CONV2D_CONV_SHAPE_CUH
#define ASSAY_OPS_CONV2D_CONV_SHAPE_CUH

#include <assay/kernel.h>
#include "conv2d.h"

struct conv_shape {
    int n, c, h, w, k, r, s, p, q;
    int stride, padding, dilation, groups; // along h
    int group_c, group_k;                  // input and output channels of a group
    int positions;                         // n * p * q: output positions; each has k channels
    int channels_last;                     // the layout of x, weight and out, see conv2d.h
    int stride_w, padding_w, dilation_w;   // along w
    bool by_direction;                     // one of them differs from its value along h
};

// ASSAY_ERR_UNSUPPORTED where an index that kernels keep in 32 bits would not fit. Offsets into tensors are
// 64-bit.
static inline assay_status conv_shape_of(const conv2d_args &a, conv_shape *shape)
{
    const int64_t limit = INT32_MAX - 65536; // room to count past an edge by a tile
    const int64_t sizes[] = {a.n * a.p * a.q,
                             (a.c + CONV2D_PAD) * a.r * a.s, // with its channels filled up
                             a.k,
                             (a.h + 2 * a.padding) * (a.w + 2 * a.padding_w),
                             a.r * a.dilation,
                             a.s * a.dilation_w,
                             a.p * a.stride,
                             a.q * a.stride_w};
    for (const int64_t size : sizes)
        if (size > limit)
            return ASSAY_ERR_UNSUPPORTED;
    *shape = {(int)a.n,
              (int)a.c,
              (int)a.h,
              (int)a.w,
              (int)a.k,
              (int)a.r,
              (int)a.s,
              (int)a.p,
              (int)a.q,
              (int)a.stride,
              (int)a.padding,
              (int)a.dilation,
              (int)a.groups,
              (int)(a.c / a.groups),
              (int)(a.k / a.groups),
              (int)(a.n * a.p * a.q),
              (int)a.channels_last,
              (int)a.stride_w,
              (int)a.padding_w,
              (int)a.dilation_w,
              a.by_direction != 0};
    return ASSAY_OK;
}

// What an output position sees first: its image, and row and column of the first tap, which may lie in the
// padding.
struct conv_origin {
    int n, h, w;
};

static __device__ __forceinline__ conv_origin origin_of(const conv_shape &s, int position)
{
    const int q = position % s.q, p = position / s.q % s.p;
    return {position / s.q / s.p, p * s.stride - s.padding, q * s.stride_w - s.padding_w};
}

static __device__ __forceinline__ bool is_inside(const conv_shape &s, int h, int w)
{
    return (unsigned)h < (unsigned)s.h && (unsigned)w < (unsigned)s.w;
}

// Offset in out of channel k at `position`, channels first. With channels last it is position * s.k + k.
static __device__ __forceinline__ int64_t output_offset(const conv_shape &s, int position, int k)
{
    const int plane = s.p * s.q;
    return ((int64_t)(position / plane) * s.k + k) * plane + position % plane;
}

#endif
