/* Arguments of the op `rmsnorm`: out = x / sqrt(mean(x^2) + eps) * weight, for each row of a matrix. A row is
 * the last dimension. */
#ifndef ASSAY_OPS_RMSNORM_H
#define ASSAY_OPS_RMSNORM_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the workspace holds: kernels that share a row among blocks exchange what the blocks found. */
enum { RMSNORM_WORKSPACE_BYTES = 1 << 16 };

typedef struct rmsnorm_args {
    const void *x;        /* [rows, length + row_padding], the module's dtype, device memory */
    const void *weight;   /* [length] */
    void *out;            /* [rows, length]; overlaps neither */
    int64_t rows, length; /* either may be 0: nothing is launched */
    double eps;
    void *workspace;         /* device memory, content undefined */
    int64_t workspace_bytes; /* at least RMSNORM_WORKSPACE_BYTES */
    int64_t row_padding; /* elements behind each row of x that are none of it, as in a view of wider rows */
} rmsnorm_args;

ASSAY_EXPORT assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
