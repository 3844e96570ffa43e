// Baseline of `gelu`: cub::DeviceTransform with the compiler's erff or tanhf.
#include "bench/baselines/cub_common.cuh"
#include "gelu.h"
#include <cub/device/device_transform.cuh>

BASELINE_DECLARE(gelu);

struct gelu_exact {
    __device__ scalar operator()(scalar x) const
    {
        const float v = assay::to_float(x);
        return assay::from_float<scalar>(0.5f * v * (1.0f + erff(v * 0.70710678f)));
    }
};

struct gelu_tanh {
    __device__ scalar operator()(scalar x) const
    {
        const float v = assay::to_float(x);
        return assay::from_float<scalar>(0.5f * v *
                                         (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v))));
    }
};

extern "C" void gelu_release(void) {}

extern "C" assay_status gelu_prepare(const gelu_args *, assay_stream)
{
    cub_start_notes("DeviceTransform");
    return ASSAY_OK;
}

template <class Op>
static assay_status transform(const gelu_args *args, Op op, assay_stream stream)
{
    const scalar *x = static_cast<const scalar *>(args->x);
    scalar *out = static_cast<scalar *>(args->out);
    if (args->count <= INT_MAX)
        return baseline_check_cuda(
            cub::DeviceTransform::Transform(x, out, static_cast<int>(args->count), op, stream),
            "DeviceTransform");
    return baseline_check_cuda(cub::DeviceTransform::Transform(x, out, args->count, op, stream),
                               "DeviceTransform");
}

extern "C" assay_status gelu_run(const gelu_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return args->exact ? transform(args, gelu_exact{}, stream) : transform(args, gelu_tanh{}, stream);
}
