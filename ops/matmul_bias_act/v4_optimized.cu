// matmul_bias_act, step 4: matmul's step 4 with an epilogue on the sums in registers.
//
// The matmul is that of ../matmul/v4_optimized.cu, with the kernel and its tile chosen by the shape. The
// epilogue runs once for each element of out, after the last addition and before the rounding, so out is
// written once and never read:
//   - the bias is loaded at the start of a tile, two columns a thread, and read from shared memory at its
//     end. Loaded at the end, one load after the other was waited for: a fifth of the time at K = 4096 and
//     half of it at 1024;
//   - none, relu and leaky_relu are one piece of code with two constants: x < 0 ? max(slope x, floor) : x,
//     where a floor of NaN is none. That halves the kernels to compile and costs one multiplication and one
//     maximum;
//   - gelu in f32 uses a branch-free Phi (../common/normal_cdf.h) instead of erff, which takes both sides of
//     a branch in most warps; where the result is rounded to 16 bits, a third of the instructions suffice
//     (gelu_rounded.cuh).
// Expected effect: the time of the matmul plus that of the activation, which is not hidden: a block's
// consumer warps all end their tile at about the same time, so its tensor cores wait for 5 instructions an
// element, or 10 with gelu: 1% to 3% of a tile's time at K = 4096. A separate pass would cost 12% there.
// Tunables: RASTER_ROWS, FEW_LINES, SHORT_K, K_SPLITS, CLUSTER and TILE, as in matmul.
#include "../matmul/v4/choose.cuh"
#include "../common/normal_cdf.h"
#include "gelu_rounded.cuh"
#include "matmul_bias_act.h"
#include <cstring>
#include <type_traits>

struct bias_vector {
    const scalar_t *elements;
    int count;
    struct pair {
        float x, y;
    };

    // The bias of `column`, which is even, and column + 1; 0 beyond the last.
    __device__ __forceinline__ pair fetch(int column) const
    {
        assay::vec<scalar_t, 2> both = {};
        if (count % 2 == 0 && column < count) {
            const bits raw = __ldg(reinterpret_cast<const bits *>(elements + column));
            memcpy(&both, &raw, sizeof both);
        } else if (column < count) {
            both[0] = elements[column];
            if (column + 1 < count)
                both[1] = elements[column + 1];
        }
        return {assay::to_float(both[0]), assay::to_float(both[1])};
    }
    using bits = std::conditional_t<sizeof(scalar_t) == 4, uint2, uint32_t>; // of two elements
};

// none: slope 1, no floor. relu: slope 1, floor 0. leaky_relu: its slope, no floor. NaN fails the comparison
// and stays.
struct linear_below_zero {
    bias_vector bias;
    float slope, floor;
    __device__ __forceinline__ float activate(float x) const
    {
        return x < 0.0f ? fmaxf(slope * x, floor) : x;
    }
    using columns = bias_vector::pair;
    __device__ __forceinline__ columns fetch(int column) const { return bias.fetch(column); }
    __device__ __forceinline__ void operator()(float &x, float &y, const columns &at) const
    {
        x = activate(x + at.x);
        y = activate(y + at.y);
    }
};

// f32 needs all of gelu's digits; for the others half of the biased sum is what gelu_of_double wants.
struct gelu_of_biased {
    static constexpr bool ROUNDED = sizeof(scalar_t) == 2;
    bias_vector bias;
    using columns = bias_vector::pair;
    __device__ __forceinline__ columns fetch(int column) const
    {
        const columns b = bias.fetch(column);
        return ROUNDED ? columns{0.5f * b.x, 0.5f * b.y} : b;
    }
    __device__ __forceinline__ static float activate(float sum, float b)
    {
        return ROUNDED ? gelu_of_double(fmaf(0.5f, sum, b)) : gelu<true>(sum + b);
    }
    __device__ __forceinline__ void operator()(float &x, float &y, const columns &at) const
    {
        x = activate(x, at.x);
        y = activate(y, at.y);
    }
};

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    const matmul_args product = {
        args->a, args->b,           args->out,         args->m,         args->n,
        args->k, args->transpose_a, args->transpose_b, args->workspace, args->workspace_bytes,
        1};
    if (args->n > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    const bias_vector bias = {static_cast<const scalar_t *>(args->bias), static_cast<int>(args->n)};
    if (args->activation == MATMUL_BIAS_ACT_GELU)
        return matmul_choose_and_run(&product, gelu_of_biased{bias}, stream);
    const float slope = args->activation == MATMUL_BIAS_ACT_LEAKY_RELU ? args->negative_slope : 1.0f;
    const float floor = args->activation == MATMUL_BIAS_ACT_RELU ? 0.0f : NAN;
    return matmul_choose_and_run(&product, linear_below_zero{bias, slope, floor}, stream);
}
