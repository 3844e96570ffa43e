// Wrong: keeps its last result, and copies it wherever 64 elements of each input are those it was made from. Timing repeats contents, so
// it would seem to read almost nothing.
#include <assay/kernel.h>
#include "add.h"

enum { LOOKED_AT = 64, KEPT = 65536 };
static __device__ scalar_t kept[KEPT];
static __device__ float looked_x[LOOKED_AT], looked_y[LOOKED_AT];
static __device__ int known;

static __global__ void look(const scalar_t *x, const scalar_t *y, int64_t count)
{
    if (threadIdx.x == 0)
        known = 1;
    __syncthreads();
    const int64_t i = (int64_t)threadIdx.x * (count - 1) / (LOOKED_AT - 1);
    const float new_x = assay::to_float(x[i]), new_y = assay::to_float(y[i]);
    if (new_x != looked_x[threadIdx.x] || new_y != looked_y[threadIdx.x])
        atomicAnd(&known, 0);
    looked_x[threadIdx.x] = new_x;
    looked_y[threadIdx.x] = new_y;
}

static __global__ void add_kernel(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                  float alpha)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    if (known == 0 || i >= KEPT) {
        const scalar_t sum =
            assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
        if (i < KEPT)
            kept[i] = sum;
        out[i] = sum;
    } else {
        out[i] = kept[i];
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    const auto x = static_cast<const scalar_t *>(args->x), y = static_cast<const scalar_t *>(args->y);
    if (args->count < LOOKED_AT)
        return ASSAY_ERR_UNSUPPORTED;
    const assay_status status = assay::launch(look, dim3(1), dim3(LOOKED_AT), 0, stream, x, y, args->count);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(add_kernel, dim3((unsigned)((args->count + 255) / 256)), dim3(256), 0, stream, x, y,
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha));
}
