/* Peer of `matmul` in the math mode tf32: cuBLASLt with f32 operands rounded to tf32 and products accumulated in f32.
 *
 * assay-peer-links: cublasLt
 * assay-peer-dtypes: f32 */
#define LT_TF32 1
#include "matmul_cublaslt.c"
