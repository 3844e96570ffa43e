// Channels last whose number is no multiple of 8: rows of out do not start on 16-byte boundaries, so TMA cannot write
// them. It writes padded rows to the workspace, and this copy leaves the padding out: one more pass over out, most of
// it in L2, where the product itself would be several times slower without TMA.
#ifndef ASSAY_OPS_CONV2D_V4_CROP_CUH
#define ASSAY_OPS_CONV2D_V4_CROP_CUH

#include "../conv_shape.cuh"

// Rows of `k` elements out of rows of `padded`. A thread writes eight neighbours, which may lie in several rows.
static __global__ void __launch_bounds__(256)
    conv2d_crop(const scalar_t *__restrict__ from, scalar_t *__restrict__ to, int64_t rows, int k, int padded)
{
    const int64_t begin = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * 8, all = rows * k;
    if (begin >= all)
        return;
    int64_t row = begin / k;
    int channel = static_cast<int>(begin - row * k);
    assay::vec<scalar_t, 8> v = {};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        if (begin + i < all)
            v[i] = from[row * padded + channel];
        if (++channel == k)
            channel = 0, row++;
    }
    if (begin + 8 <= all) {
        assay::store_vec(to + begin, v);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        if (begin + i < all)
            to[begin + i] = v[i];
}

static assay_status crop_channels(const scalar_t *from, scalar_t *to, int64_t rows, int k, int padded,
                                  assay_stream stream)
{
    const int64_t blocks = (rows * k + 256 * 8 - 1) / (256 * 8);
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(conv2d_crop, dim3(static_cast<unsigned>(blocks)), dim3(256), 0, stream, from, to,
                         rows, k, padded);
}

#endif
