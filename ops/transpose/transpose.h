/* Arguments of the op `transpose`: out[b][c][r] = x[b][r][c], the last two dimensions of a contiguous
 * tensor exchanged.
 *
 * Elements are moved, not computed with: every bit pattern arrives unchanged, NaN payloads and signs of
 * zero included. */
#ifndef ASSAY_OPS_TRANSPOSE_H
#define ASSAY_OPS_TRANSPOSE_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct transpose_args {
    const void *x;         /* [batch, rows, columns], the module's dtype, device memory */
    void *out;             /* [batch, columns, rows]; does not overlap x */
    int64_t batch;         /* product of the leading dimensions; 1 for a matrix */
    int64_t rows, columns; /* of x; any of the three may be 0: nothing is launched */
} transpose_args;

ASSAY_EXPORT assay_status transpose_run(const transpose_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
