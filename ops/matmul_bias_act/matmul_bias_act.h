/* Arguments of the op `matmul_bias_act`: out = activation(a * b + bias) for row-major contiguous matrices; a or b may be
 * given transposed. */
#ifndef ASSAY_OPS_MATMUL_BIAS_ACT_H
#define ASSAY_OPS_MATMUL_BIAS_ACT_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MATMUL_BIAS_ACT_NONE,
    MATMUL_BIAS_ACT_RELU,
    MATMUL_BIAS_ACT_LEAKY_RELU, /* negative_slope * x for x < 0 */
    MATMUL_BIAS_ACT_GELU        /* x * Phi(x) with the normal distribution function, not the tanh form */
};

typedef struct matmul_bias_act_args {
    const void
        *a; /* [m, k], the module's dtype, device memory, aligned to 16 bytes as a whole (not each row) */
    const void *b;                    /* [k, n], likewise */
    const void *bias;                 /* [n], likewise; added to every row */
    void *out;                        /* [m, n], likewise; does not overlap an input */
    int64_t m, n, k;                  /* any of them may be 0; with k = 0 every row is activation(bias) */
    int32_t transpose_a, transpose_b; /* 1: a lies as [k, m], b as [n, k], as the weight of torch's linear */
    int32_t activation;
    float negative_slope; /* read for leaky_relu only */
    void *workspace; /* scratch for repacked operands and partial sums; 256-byte aligned, content undefined */
    int64_t workspace_bytes; /* at least matmul_workspace_bytes(); a variant that needs none ignores it */
} matmul_bias_act_args;

ASSAY_EXPORT assay_status matmul_bias_act_run(const matmul_bias_act_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
