/* Baseline of `matmul` in the math mode tf32: cuBLASLt with f32 operands rounded to tf32 and products accumulated in f32.
 *
 * assay-baseline-links: cublasLt
 * assay-baseline-dtypes: tf32 */
#if !ASSAY_DTYPE_TF32
#error "this baseline is for cases in the math mode tf32"
#endif
#include "matmul_cublaslt.c"
