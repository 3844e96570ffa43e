/* Arguments of the op `reduce_sum`: out = sum of x along one dimension of a tensor.
 *
 * The tensor is seen as [outer, length, inner] with the dimension in the middle: outer is the product of
 * the sizes before it, inner of those behind it. A *row* is the `length` elements that share one outer and
 * one inner index; they lie `inner` elements apart. There are outer * inner rows, each with one sum.
 *
 * Sums are held in binary32 and rounded once. An empty row sums to 0. A NaN, or infinities of both signs,
 * make a sum NaN. */
#ifndef ASSAY_OPS_REDUCE_SUM_H
#define ASSAY_OPS_REDUCE_SUM_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Partial sums in binary32 that the workspace has room for. Kernels that share a row among blocks use no
 * more. */
enum { REDUCE_SUM_PARTIALS = 1 << 18 };

typedef struct reduce_sum_args {
    const void *x; /* [outer, length + row_padding, inner], the module's dtype, device memory */
    void *out;     /* [outer, inner] */
    int64_t outer, length, inner; /* any may be 0; without rows nothing is launched */
    void *workspace;              /* device memory, content undefined */
    int64_t workspace_bytes;      /* at least 4 * REDUCE_SUM_PARTIALS */
    int64_t
        row_padding; /* elements behind each row of x that are none of it, as in a view of wider rows; 0 unless
                            inner is 1 */
} reduce_sum_args;

ASSAY_EXPORT assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
