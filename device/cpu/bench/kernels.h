/* The launches that assay-simt-bench times. All pointers are device memory; each launch is asynchronous on `stream`. */
#ifndef ASSAY_SIMT_BENCH_KERNELS_H
#define ASSAY_SIMT_BENCH_KERNELS_H

#include <assay/module.h>

#ifdef __cplusplus
extern "C" {
#endif

assay_status bench_barriers(assay_stream stream, int blocks, int rounds, int *out); /* out: 256 * blocks */
assay_status bench_shuffles(assay_stream stream, int blocks, int rounds, int *out);
assay_status bench_add(assay_stream stream, const float *x, const float *y, float *out,
                       int count); /* count % 4 == 0 */
assay_status bench_softmax(assay_stream stream, const float *x, float *out, int rows,
                           int columns); /* columns % 4 == 0 */
assay_status bench_sgemm(assay_stream stream, const float *a, const float *b, float *c,
                         int n); /* n % 64 == 0 */
assay_status bench_tensor_gemm(assay_stream stream, const void *a, const void *b, float *c,
                               int n); /* a, b: bfloat16 */

#ifdef __cplusplus
}
#endif
#endif
