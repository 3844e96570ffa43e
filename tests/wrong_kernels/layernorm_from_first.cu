// Wrong: measures a row from its first element throughout. A large mean does not matter to it, an outlier in the first place does:
// all distances are rounded to the last place of the outlier.
#include <assay/kernel.h>
#include "layernorm.h"

enum { THREADS = 256 };

// The sum of the block's values, given to every thread.
static __device__ float sum_of_block(float value, float *partial)
{
    const int t = (int)threadIdx.x;
    partial[t] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    const float sum = partial[0];
    __syncthreads();
    return sum;
}

static __global__ void layernorm_kernel(const scalar_t *x, const scalar_t *weight, const scalar_t *bias,
                                        scalar_t *out, int64_t length, float eps)
{
    __shared__ float partial[THREADS];
    const int t = (int)threadIdx.x;
    x += blockIdx.x * length;
    out += blockIdx.x * length;
    float scale = 1.0f, first, mean, variance;
    for (;; scale = 0x1p-100f) { // again, scaled down, where the squares overflow
        float sum = 0.0f, squares = 0.0f;
        first = assay::to_float(x[0]) * scale;
        for (int64_t j = t; j < length; j += THREADS)
            sum += assay::to_float(x[j]) * scale - first;
        mean = sum_of_block(sum, partial) / (float)length;
        for (int64_t j = t; j < length; j += THREADS) {
            const float distance = assay::to_float(x[j]) * scale - first - mean;
            squares += distance * distance;
        }
        variance = sum_of_block(squares, partial) / (float)length;
        if (fabsf(variance) < INFINITY || scale < 1.0f)
            break;
    }
    const float factor = rsqrtf(variance + eps * scale * scale);
    for (int64_t j = t; j < length; j += THREADS)
        out[j] = assay::from_float<scalar_t>(fmaf((assay::to_float(x[j]) * scale - first - mean) * factor,
                                                  assay::to_float(weight[j]), assay::to_float(bias[j])));
}

extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(layernorm_kernel, dim3((unsigned)args->rows), dim3(THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
                         static_cast<const scalar_t *>(args->bias), static_cast<scalar_t *>(args->out),
                         args->length, (float)args->eps);
}
