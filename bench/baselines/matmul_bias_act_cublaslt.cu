// Baseline of `matmul_bias_act`: cuBLASLt with the fastest of its algorithms and what it can fuse with the same mathematics.
//
//   none, relu   one launch: the epilogues BIAS and RELU_BIAS
//   leaky_relu,  two launches: BIAS, then the activation in place by a kernel of this file, since cuBLASLt has no
//   gelu         leaky_relu and its GELU epilogue is the tanh form (matmul_bias_act_cublaslt_tanh.c shows that one)
//
// The second launch is what a user of cuBLASLt pays who needs the exact function; it reads and writes the output once more.
// Between the two launches the sums are rounded to the output's type, as in torch.
//
// assay-baseline-links: cublasLt
#include "bench/baselines/lt_gemm.h"
#include "matmul_bias_act.h"
#include <assay/kernel.h>

BASELINE_DECLARE(matmul_bias_act);

using scalar = scalar_t;

static __device__ float activate(float x, int activation, float slope)
{
    if (activation == MATMUL_BIAS_ACT_RELU)
        return x < 0.0f ? 0.0f : x;
    if (activation == MATMUL_BIAS_ACT_LEAKY_RELU)
        return x < 0.0f ? x * slope : x;
    if (activation == MATMUL_BIAS_ACT_GELU)
        return 0.5f * x * (1.0f + erff(x * 0.70710678f));
    return x;
}

enum { THREADS = 256, VECTOR = 16 / sizeof(scalar) };

// 16 bytes a thread; `count` elements, the last few one by one.
static __global__ void activate_in_place(scalar *out, int64_t count, int activation, float slope)
{
    const int64_t first = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * VECTOR;
    if (first + VECTOR <= count) {
        uint4 raw = *reinterpret_cast<const uint4 *>(out + first);
        scalar *element = reinterpret_cast<scalar *>(&raw);
        for (int i = 0; i < VECTOR; i++)
            element[i] = assay::from_float<scalar>(activate(assay::to_float(element[i]), activation, slope));
        *reinterpret_cast<uint4 *>(out + first) = raw;
        return;
    }
    for (int64_t i = first; i < count; i++)
        out[i] = assay::from_float<scalar>(activate(assay::to_float(out[i]), activation, slope));
}

// With no inner dimension every row is activation(bias): no product for cuBLASLt.
static __global__ void activate_bias(const scalar *bias, scalar *out, int64_t count, int64_t n,
                                     int activation, float slope)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = assay::from_float<scalar>(activate(assay::to_float(bias[i % n]), activation, slope));
}

static int is_fused(const matmul_bias_act_args *args)
{
    return args->activation == MATMUL_BIAS_ACT_NONE || args->activation == MATMUL_BIAS_ACT_RELU;
}

static lt_problem as_problem(const matmul_bias_act_args *args)
{
    lt_problem problem;
    problem.a = args->a;
    problem.b = args->b;
    problem.bias = args->bias;
    problem.c = args->out;
    problem.m = args->m;
    problem.n = args->n;
    problem.k = args->k;
    problem.transpose_a = args->transpose_a;
    problem.transpose_b = args->transpose_b;
    problem.epilogue =
        args->activation == MATMUL_BIAS_ACT_RELU ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS;
    problem.batch = 1;
    problem.padding_a = problem.padding_b = 0;
    return problem;
}

extern "C" void matmul_bias_act_release(void)
{
    lt_release();
}

extern "C" assay_status matmul_bias_act_prepare(const matmul_bias_act_args *args, assay_stream stream)
{
    lt_problem problem = as_problem(args);
    return lt_prepare(&problem, stream);
}

static assay_status check_launch(void)
{
    return baseline_check_cuda(cudaGetLastError(), "activation");
}

extern "C" assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    const lt_problem problem = as_problem(args);
    const assay_status status = lt_run(&problem, stream);
    const int64_t count = args->m * args->n;
    scalar *out = static_cast<scalar *>(args->out);
    if (status != ASSAY_OK || count == 0)
        return status;
    if (args->k == 0) {
        activate_bias<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
            static_cast<const scalar *>(args->bias), out, count, args->n, args->activation,
            args->negative_slope);
        return check_launch();
    }
    if (is_fused(args))
        return ASSAY_OK;
    const int64_t blocks = (count + THREADS * VECTOR - 1) / (THREADS * VECTOR);
    activate_in_place<<<(unsigned)blocks, THREADS, 0, stream>>>(out, count, args->activation,
                                                                args->negative_slope);
    return check_launch();
}
