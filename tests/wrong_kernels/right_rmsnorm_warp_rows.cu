// Right: a warp a row, with rsqrtf and any padding behind rows; warps without a row return at once.
#include <assay/kernel.h>
#include "rmsnorm.h"

static __global__ void rmsnorm_kernel(rmsnorm_args args)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= args.rows)
        return;
    const scalar_t *x = (const scalar_t *)args.x + row * (args.length + args.row_padding),
                   *weight = (const scalar_t *)args.weight;
    scalar_t *out = (scalar_t *)args.out + row * args.length;
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < args.length; i += 32)
        sum += assay::to_float(x[i]) * assay::to_float(x[i]);
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    const float inverse = rsqrtf(sum / (float)args.length + (float)args.eps);
    for (int64_t i = threadIdx.x; i < args.length; i += 32)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) * inverse * assay::to_float(weight[i]));
}

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(rmsnorm_kernel, dim3((unsigned)((args->rows + 3) / 4)), dim3(32, 4), 0, stream,
                         *args);
}
