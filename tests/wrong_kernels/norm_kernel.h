// layernorm or rmsnorm by one thread a row, for kernels that are wrong in one place: INVERSE(sum, n, eps) is the factor of a row
// whose squares (layernorm: of deviations) add up to `sum`, SQUARE(v) what is added up, STORE(v) how a result is stored.
#include <assay/kernel.h>

#ifndef INVERSE
#define INVERSE(sum, n, eps) (float)(1.0 / sqrt((sum) / (n) + (eps)))
#endif
#ifndef SQUARE
#define SQUARE(v) (double)(v) * (double)(v)
#endif
#ifndef STORE
#define STORE(v) assay::from_float<scalar_t>(v)
#endif

static __global__ void norm_kernel(const scalar_t *x, const scalar_t *weight, const scalar_t *bias,
                                   scalar_t *out, int64_t rows, int64_t length, double eps, bool centred)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * length;
    out += row * length;
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < length && centred; i++)
        sum += (double)assay::to_float(x[i]);
    const double mean = sum / (double)length;
    for (int64_t i = 0; i < length; i++) {
        const double v = (double)assay::to_float(x[i]) - mean;
        squares += SQUARE(v);
    }
    const float inverse = INVERSE(squares, (double)length, eps);
    for (int64_t i = 0; i < length; i++)
        out[i] = STORE((float)((double)assay::to_float(x[i]) - mean) * inverse * assay::to_float(weight[i]) +
                       (bias ? assay::to_float(bias[i]) : 0.0f));
}

#ifdef LAYERNORM
#include "layernorm.h"
extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(norm_kernel, dim3((unsigned)((args->rows + 31) / 32)), dim3(32), 0, stream,
                         (const scalar_t *)args->x, (const scalar_t *)args->weight,
                         (const scalar_t *)args->bias, (scalar_t *)args->out, args->rows, args->length,
                         args->eps, true);
}
#else
#include "rmsnorm.h"
extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(norm_kernel, dim3((unsigned)((args->rows + 31) / 32)), dim3(32), 0, stream,
                         (const scalar_t *)args->x, (const scalar_t *)args->weight, (const scalar_t *)nullptr,
                         (scalar_t *)args->out, args->rows, args->length, args->eps, false);
}
#endif
