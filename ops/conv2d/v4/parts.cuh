// The terms of a sum shared out to blocks: each writes its sums to the workspace in f32, [block][output] with
// outputs as they lie in out, and this second launch adds them, in their order, and the bias. Without
// atomics, so that results repeat bit by bit.
#ifndef ASSAY_OPS_CONV2D_V4_PARTS_CUH
#define ASSAY_OPS_CONV2D_V4_PARTS_CUH

#include "../conv_shape.cuh"
#include <assay/hopper.h>

// Offset of an output, in out as in each block's sums.
static __device__ __forceinline__ int64_t part_offset(const conv_shape &s, int position, int channel)
{
    return s.channels_last ? (int64_t)position * s.k + channel : output_offset(s, position, channel);
}

static __global__ void __launch_bounds__(256)
    conv2d_add_parts(const float *parts, int count, const scalar_t *bias, scalar_t *out, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    assay::wait_for_previous();
#endif
    const int64_t outputs = (int64_t)s.positions * s.k, i = (int64_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= outputs)
        return;
    const int channel = (int)(s.channels_last ? i % s.k : i / ((int64_t)s.p * s.q) % s.k);
    float sum = 0.0f;
#pragma unroll 8
    for (int part = 0; part < count; part++)
        sum += parts[part * outputs + i];
    out[i] = assay::from_float<scalar_t>(sum + assay::to_float(bias[channel]));
}

static assay_status add_parts(const float *parts, int count, const conv2d_args &args, const conv_shape &s,
                              assay_stream stream)
{
    const scalar_t *bias = static_cast<const scalar_t *>(args.bias);
    scalar_t *out = static_cast<scalar_t *>(args.out);
    const int64_t outputs = (int64_t)s.positions * s.k;
    const dim3 grid((unsigned)((outputs + 255) / 256)), block(256);
    return assay::hopper_available()
               ? assay::launch_early(conv2d_add_parts, grid, block, 0, stream, parts, count, bias, out, s)
               : assay::launch(conv2d_add_parts, grid, block, 0, stream, parts, count, bias, out, s);
}

#endif
