// Baseline of `add`: cub::DeviceTransform, which picks its kernel (vector loads, or bulk copies on Hopper) by itself.
#include "bench/baselines/cub_common.cuh"
#include "add.h"
#include <cub/device/device_transform.cuh>

BASELINE_DECLARE(add);

struct add_scaled {
    float alpha;
    __device__ scalar operator()(scalar x, scalar y) const
    {
        return assay::from_float<scalar>(assay::to_float(x) + alpha * assay::to_float(y));
    }
};

extern "C" void add_release(void) {}

extern "C" assay_status add_prepare(const add_args *, assay_stream)
{
    cub_start_notes("DeviceTransform");
    return ASSAY_OK;
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const auto inputs =
        cuda::std::make_tuple(static_cast<const scalar *>(args->x), static_cast<const scalar *>(args->y));
    const add_scaled op{static_cast<float>(args->alpha)};
    scalar *out = static_cast<scalar *>(args->out);
    if (args->count <= INT_MAX)
        return baseline_check_cuda(
            cub::DeviceTransform::Transform(inputs, out, static_cast<int>(args->count), op, stream),
            "DeviceTransform");
    return baseline_check_cuda(cub::DeviceTransform::Transform(inputs, out, args->count, op, stream),
                               "DeviceTransform");
}
