// Wrong: what lies before the dimension lies along y of the grid, where CUDA has no more than 65535 blocks.
#include <assay/kernel.h>
#include "softmax.h"

static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t length, int64_t inner)
{
    const int64_t column = inner == 1 ? 0 : (int64_t)blockIdx.x * blockDim.x + threadIdx.x,
                  slab = inner == 1 ? blockIdx.x : blockIdx.y;
    if (column >= inner || (inner == 1 && threadIdx.x > 0))
        return;
    const int64_t first = slab * length * inner + column;
    float largest = assay::to_float(x[first]), sum = 0.0f;
    for (int64_t j = 1; j < length; j++) {
        const float value = assay::to_float(x[first + j * inner]);
        largest = value > largest || isnan(value) ? value : largest;
    }
    for (int64_t j = 0; j < length; j++)
        sum += expf(assay::to_float(x[first + j * inner]) - largest);
    for (int64_t j = 0; j < length; j++)
        out[first + j * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + j * inner]) - largest) / sum);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    if (args->outer * args->inner * args->length == 0)
        return ASSAY_OK;
    const dim3 grid = args->inner == 1 ? dim3((unsigned)args->outer)
                                       : dim3((unsigned)((args->inner + 31) / 32), (unsigned)args->outer);
    return assay::launch(softmax_kernel, grid, dim3(32), 0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), args->length, args->inner);
}
