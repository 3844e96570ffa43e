// Wrong: reads 16 bytes at addresses that are not multiples of 16.
#include <assay/kernel.h>
#include "add.h"

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 + 4 <= count && i % 4 == 0) {
        const auto four = assay::load_vec<16 / sizeof(scalar_t)>(x + i + 1);
        out[i] = four[0] + four[1] + four[2] + four[3]; // all of them, or the compiler loads one element
    }
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(add_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}
