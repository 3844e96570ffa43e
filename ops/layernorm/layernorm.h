/* Arguments of the op `layernorm`: out = (x - mean) / sqrt(variance + eps) * weight + bias, for each row
 * of a matrix; the variance is that of the row itself (divided by its length). A row is the
 * last dimension. */
#ifndef ASSAY_OPS_LAYERNORM_H
#define ASSAY_OPS_LAYERNORM_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the workspace holds: kernels that share a row among blocks exchange what the blocks found. */
enum { LAYERNORM_WORKSPACE_BYTES = 1 << 16 };

typedef struct layernorm_args {
    const void *x;        /* [rows, length + row_padding], the module's dtype, device memory */
    const void *weight;   /* [length] */
    const void *bias;     /* [length] */
    void *out;            /* [rows, length]; overlaps none of them */
    int64_t rows, length; /* either may be 0: nothing is launched */
    double eps;
    void *workspace;         /* device memory, content undefined */
    int64_t workspace_bytes; /* at least LAYERNORM_WORKSPACE_BYTES */
    int64_t row_padding; /* elements behind each row of x that are none of it, as in a view of wider rows */
} layernorm_args;

ASSAY_EXPORT assay_status layernorm_run(const layernorm_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
