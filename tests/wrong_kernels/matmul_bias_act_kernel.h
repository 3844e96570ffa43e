// matmul_bias_act with one thread an element, for kernels that are wrong in one place: LEAKY(v, slope) and GELU(v),
// BIAS_AT(row, column, args), whether the bias comes AFTER, ACTIVATION(args) and SLOPE(args).
#include <assay/kernel.h>
#include "matmul_bias_act.h"

#ifndef BIAS_AT
#define BIAS_AT(row, column, args) (column)
#endif
#ifndef ACTIVATION
#define ACTIVATION(args) (args).activation
#endif
#ifndef SLOPE
#define SLOPE(args) (args).negative_slope
#endif
#ifndef LEAKY
#define LEAKY(v, slope) ((v) < 0 ? (v) * (slope) : (v))
#endif
#ifndef GELU
#define GELU(v) (0.5f * (v) * (1.0f + erff((v)*0.70710678f)))
#endif
#ifndef AFTER
#define AFTER 0
#endif

static __global__ void matmul_bias_act_kernel(matmul_bias_act_args args)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= args.m * args.n)
        return;
    const int64_t row = at / args.n, column = at % args.n;
    double sum = 0.0;
    for (int64_t i = 0; i < args.k; i++)
        sum += (double)assay::to_float(((const scalar_t *)args.a)[row * args.k + i]) *
               (double)assay::to_float(((const scalar_t *)args.b)[i * args.n + column]);
    const float bias = assay::to_float(((const scalar_t *)args.bias)[BIAS_AT(row, column, args)]);
    const float v = AFTER ? (float)sum : (float)(sum + (double)bias);
    const float slope = (float)SLOPE(args);
    const int activation = ACTIVATION(args);
    const float result = activation == MATMUL_BIAS_ACT_RELU         ? (v < 0 ? 0.0f : v)
                         : activation == MATMUL_BIAS_ACT_LEAKY_RELU ? LEAKY(v, slope)
                         : activation == MATMUL_BIAS_ACT_GELU       ? GELU(v)
                                                                    : v;
    ((scalar_t *)args.out)[at] = assay::from_float<scalar_t>(AFTER ? result + bias : result);
}

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    if (args->m * args->n == 0)
        return ASSAY_OK;
    return assay::launch(matmul_bias_act_kernel, dim3((unsigned)((args->m * args->n + 127) / 128)), dim3(128),
                         0, stream, *args);
}
