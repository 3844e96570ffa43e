/* Baseline of `matmul`: cuBLASLt with the fastest of its algorithms for the problem at hand (lt_gemm.h).
 *
 * assay-baseline-links: cublasLt */
#include "bench/baselines/lt_gemm.h"
#include "matmul.h"

BASELINE_DECLARE(matmul);

static lt_problem as_problem(const matmul_args *args)
{
    const lt_problem problem = {.a = args->a,
                                .b = args->b,
                                .c = args->c,
                                .m = args->m,
                                .n = args->n,
                                .k = args->k,
                                .transpose_a = args->transpose_a,
                                .transpose_b = args->transpose_b,
                                .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                                .batch = args->batch,
                                .padding_a = args->padding_a,
                                .padding_b = args->padding_b};
    return problem;
}

void matmul_release(void)
{
    lt_release();
}

assay_status matmul_prepare(const matmul_args *args, assay_stream stream)
{
    lt_problem problem = as_problem(args);
    return lt_prepare(&problem, stream);
}

assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    const lt_problem problem = as_problem(args);
    const assay_status status = lt_run(&problem, stream);
    return status == ASSAY_OK && args->k == 0
               ? baseline_zero_output(args->c, args->batch * args->m, args->n, stream)
               : status;
}
