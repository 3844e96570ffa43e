// Packs the weights of a 3x3 convolution by shifted sums (v4_shift.cuh), and finds what padding adds to its results.
#ifndef ASSAY_OPS_CONV2D_V4_SHIFT_PACK_CUH
#define ASSAY_OPS_CONV2D_V4_SHIFT_PACK_CUH

#include <assay/hopper.h>
#include "conv_shape.cuh"

constexpr int FILTER_THREADS = 128;

// A block packs a filter: [tap][c], as v4_pack.cuh does. pads[k] is what the padding left and right of a row adds to a sum: 0, or NaN
// where a weight that meets it is infinite or NaN.
static __global__ void __launch_bounds__(FILTER_THREADS)
    conv2d_pack_filters(const scalar_t *weight, scalar_t *packed, float *pads, int group_c)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
    __shared__ float of_warp[FILTER_THREADS / 32][2];
    const int64_t k = blockIdx.x;
    const int chunks = group_c / 8, t = (int)threadIdx.x;
    float pad[2] = {};
    for (int i = t; i < chunks * 9; i += FILTER_THREADS) {
        const int tap = i % 9, first_c = i / 9 * 8;
        assay::vec<scalar_t, 8> chunk;
        float zero = 0.0f;
#pragma unroll
        for (int c = 0; c < 8; c++) {
            chunk[c] = weight[(k * group_c + first_c + c) * 9 + tap];
            zero += 0.0f * assay::to_float(chunk[c]);
        }
        assay::store_vec(packed + (k * 9 + tap) * group_c + first_c, chunk);
        if (tap % 3 == 0)
            pad[0] += zero;
        else if (tap % 3 == 2)
            pad[1] += zero;
    }
#pragma unroll
    for (int side = 0; side < 2; side++) {
#pragma unroll
        for (int other = 16; other > 0; other /= 2)
            pad[side] += __shfl_xor_sync(0xffffffffu, pad[side], other);
        if (t % 32 == 0)
            of_warp[t / 32][side] = pad[side];
    }
    __syncthreads();
    if (t < 2) {
        float sum = 0.0f;
        for (int warp = 0; warp < FILTER_THREADS / 32; warp++)
            sum += of_warp[warp][t];
        pads[k * 2 + t] = sum;
    }
#endif
}

static assay_status pack_filters(const conv2d_args &args, const conv_shape &s, const scalar_t **packed,
                                 const float **pads, assay_stream stream)
{
    if (args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return ASSAY_ERR_INVALID;
    scalar_t *to = static_cast<scalar_t *>(args.workspace);
    float *sides = reinterpret_cast<float *>(static_cast<char *>(args.workspace) +
                                             conv2d_packed_weight_bytes(&args, sizeof(scalar_t)));
    *packed = to;
    *pads = sides;
    return assay::launch(conv2d_pack_filters, dim3((unsigned)s.k), dim3(FILTER_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args.weight), to, sides, s.group_c);
}

#endif
