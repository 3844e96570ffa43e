// Wrong: rows lie along y of the grid, where CUDA has no more than 65535 blocks.
#include <assay/kernel.h>
#include "softmax.h"

static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t length, int64_t inner)
{
    const int64_t row = blockIdx.y, first = row / inner * length * inner + row % inner;
    const int lane = (int)threadIdx.x;
    float largest = -INFINITY, sum = 0.0f;
    for (int64_t j = 0; j < length; j++) {
        const float value = assay::to_float(x[first + j * inner]);
        largest = value > largest || isnan(value) ? value : largest;
    }
    for (int64_t j = lane; j < length; j += 32)
        sum += expf(assay::to_float(x[first + j * inner]) - largest);
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    for (int64_t j = lane; j < length; j += 32)
        out[first + j * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + j * inner]) - largest) / sum);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3(1, (unsigned)rows), dim3(32), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         args->length, args->inner);
}
