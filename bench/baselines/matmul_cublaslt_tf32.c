/* Peer of `matmul` in the math mode tf32: cuBLASLt with f32 operands rounded to tf32 and products accumulated in f32.
 *
 * assay-peer-links: cublasLt
 * assay-peer-dtypes: tf32 */
#if !ASSAY_DTYPE_TF32
#error "this peer is for cases in the math mode tf32"
#endif
#include "matmul_cublaslt.c"
