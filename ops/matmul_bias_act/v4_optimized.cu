// matmul_bias_act, step 4: matmul's step 4 with the bias and the activation applied to the sums in its registers.
//
// The product is that of ../matmul/v4_optimized.cu: on Hopper warpgroup instructions fed by the copy engine, elsewhere mma.sync
// or, for f32, FFMA, with the kernel and its tile chosen by the shape. What is added here happens once for each element of
// out, between the last addition and the rounding, so the output is written once and read never:
//   - the bias of two neighbouring columns by one load, which meets the L1 cache for all but a column's first rows;
//   - none, relu and leaky_relu are one piece of code with two constants: x < 0 ? max(slope x, floor) : x, where a floor of NaN is
//     none. That halves the kernels to compile and costs one multiplication and one maximum;
//   - gelu by a Phi without branches (../common/normal_cdf.h) instead of erff, which takes both sides of a branch in most warps.
// Expected effect: the product's time, and the arithmetic of the activation where it cannot hide: a block's warps all end their
// tile at about the same time, so its tensor cores wait for some 20 instructions an element with gelu and 6 without, which is 6%
// and 2% of a tile's time at K = 4096. A pass of its own would cost 12% there.
// Tunables: RASTER_ROWS, tile rows that consecutive blocks go down before they move right, as in matmul.
#include "../matmul/v4_choose.cuh"
#include "../common/normal_cdf.h"
#include "matmul_bias_act.h"
#include <cstring>
#include <type_traits>

struct bias_vector {
    const scalar_t *elements;
    int count;
    using bits = std::conditional_t<sizeof(scalar_t) == 4, uint2, uint32_t>; // of two elements

    // Add to the sums of columns `column`, which is even, and column + 1.
    __device__ __forceinline__ void add(float &x, float &y, int column) const
    {
        if (count % 2 == 0) {
            if (column < count) {
                const bits raw = __ldg(reinterpret_cast<const bits *>(elements + column));
                assay::vec<scalar_t, 2> pair;
                memcpy(&pair, &raw, sizeof pair);
                x += assay::to_float(pair[0]);
                y += assay::to_float(pair[1]);
            }
        } else {
            if (column < count)
                x += assay::to_float(elements[column]);
            if (column + 1 < count)
                y += assay::to_float(elements[column + 1]);
        }
    }
};

// none: slope 1, no floor. relu: slope 1, floor 0. leaky_relu: its slope, no floor. NaN fails the comparison and stays.
struct linear_below_zero {
    bias_vector bias;
    float slope, floor;
    __device__ __forceinline__ float activate(float x) const
    {
        return x < 0.0f ? fmaxf(slope * x, floor) : x;
    }
    __device__ __forceinline__ void operator()(float &x, float &y, int column) const
    {
        bias.add(x, y, column);
        x = activate(x);
        y = activate(y);
    }
};

struct gelu_of_biased {
    bias_vector bias;
    __device__ __forceinline__ void operator()(float &x, float &y, int column) const
    {
        bias.add(x, y, column);
        x = gelu<true>(x);
        y = gelu<true>(y);
    }
};

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    const matmul_args product = {args->a, args->b, args->out,       args->m,
                                 args->n, args->k, args->workspace, args->workspace_bytes};
    if (args->n > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    const bias_vector bias = {static_cast<const scalar_t *>(args->bias), static_cast<int>(args->n)};
    if (args->activation == MATMUL_BIAS_ACT_GELU)
        return matmul_choose_and_run(&product, gelu_of_biased{bias}, stream);
    const float slope = args->activation == MATMUL_BIAS_ACT_LEAKY_RELU ? args->negative_slope : 1.0f;
    const float floor = args->activation == MATMUL_BIAS_ACT_RELU ? 0.0f : NAN;
    return matmul_choose_and_run(&product, linear_below_zero{bias, slope, floor}, stream);
}
