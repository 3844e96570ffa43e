/* Arguments of the op `softmax`: out = exp(x - max(x)) / sum(exp(x - max(x))) along one dimension of a
 * tensor.
 *
 * The tensor is seen as [outer, length, inner] with the dimension in the middle: outer is the product of
 * the sizes before it, inner of those behind it. A *row* is the `length` elements that share one outer and
 * one inner index; they lie `inner` elements apart. There are outer * inner rows, independent of each
 * other.
 *
 * Special values are torch's: a NaN or +infinity anywhere in a row, or -infinity everywhere, makes the
 * whole row NaN; -infinity elsewhere gives 0. */
#ifndef ASSAY_OPS_SOFTMAX_H
#define ASSAY_OPS_SOFTMAX_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the workspace holds: kernels that share a row among blocks exchange what the blocks found. */
enum { SOFTMAX_WORKSPACE_BYTES = 1 << 18 };

typedef struct softmax_args {
    const void *x; /* [outer, length + row_padding, inner], the module's dtype, device memory */
    void *out;     /* [outer, length, inner]; does not overlap x */
    int64_t outer, length, inner; /* any may be 0: nothing is launched */
    void *workspace;              /* device memory, content undefined */
    int64_t workspace_bytes;      /* at least SOFTMAX_WORKSPACE_BYTES */
    int64_t
        row_padding; /* elements behind each row of x that are none of it, as in a view of wider rows; 0 unless
                            inner is 1 */
} softmax_args;

ASSAY_EXPORT assay_status softmax_run(const softmax_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
