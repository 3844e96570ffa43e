/* An unranked baseline for `matmul_bias_act` with gelu: cuBLASLt with its fused epilogue GELU_BIAS.
 *
 * That epilogue is GELU's tanh form, which differs from the op's exact form by up to 4.7e-4: another function, so it is shown and
 * does not count. PyTorch uses the epilogue for gelu with approximate="tanh" only.
 *
 * assay-baseline-links: cublasLt */
#include "bench/baselines/lt_gemm.h"
#include "matmul_bias_act.h"

BASELINE_DECLARE(matmul_bias_act);

static lt_problem as_problem(const matmul_bias_act_args *args)
{
    const lt_problem problem = {.a = args->a,
                                .b = args->b,
                                .bias = args->bias,
                                .c = args->out,
                                .m = args->m,
                                .n = args->n,
                                .k = args->k,
                                .transpose_a = args->transpose_a,
                                .transpose_b = args->transpose_b,
                                .epilogue = CUBLASLT_EPILOGUE_GELU_BIAS,
                                .batch = 1};
    return problem;
}

void matmul_bias_act_release(void)
{
    lt_release();
}

assay_status matmul_bias_act_prepare(const matmul_bias_act_args *args, assay_stream stream)
{
    lt_problem problem = as_problem(args);
    if (args->activation != MATMUL_BIAS_ACT_GELU)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "activation", "this baseline is for gelu alone");
    if (args->k == 0)
        return baseline_fail(ASSAY_ERR_UNSUPPORTED, "shape", "cuBLASLt has no empty products");
    const assay_status status = lt_prepare(&problem, stream);
    baseline_notes.is_unranked = 1;
    return status;
}

assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream)
{
    const lt_problem problem = as_problem(args);
    return lt_run(&problem, stream);
}
