/* Arguments of the op `matmul`: c = a * b for row-major contiguous matrices. */
#ifndef ASSAY_OPS_MATMUL_H
#define ASSAY_OPS_MATMUL_H

#include <assay/module.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct matmul_args {
    const void
        *a; /* [m, k], the module's dtype, device memory, aligned to 16 bytes as a whole (not each row) */
    const void *b;   /* [k, n], likewise */
    void *c;         /* [m, n], likewise; does not overlap a or b */
    int64_t m, n, k; /* any of them may be 0; with k = 0 the result is all zeros */
    void
        *workspace; /* scratch for a variant that repacks its operands; 256-byte aligned, content undefined */
    int64_t workspace_bytes; /* at least matmul_workspace_bytes(); a variant that needs none ignores it */
} matmul_args;

/* Rows of 2-byte elements start on 16-byte boundaries only if their length is a multiple of 8. Tensor-core
 * kernels read 16 bytes at a time, so an operand with another row length is first copied to the workspace
 * with its rows padded. */
static inline int64_t matmul_padded_row(int64_t length)
{
    return (length + 7) / 8 * 8;
}

/* Bytes of workspace for one operand of `rows` rows of `length` elements: 0 if its rows are aligned
 * already. */
static inline int64_t matmul_packed_bytes(int64_t rows, int64_t length, int64_t element_bytes)
{
    if (element_bytes != 2 || length % 8 == 0)
        return 0;
    return (rows * matmul_padded_row(length) * element_bytes + 255) / 256 * 256;
}

/* An f32 matmul at full accuracy on tensor cores needs both operands as three bfloat16 matrices with
 * padded rows, and flags. */
static inline int64_t matmul_split_bytes(int64_t rows, int64_t length)
{
    return (3 * rows * matmul_padded_row(length) * 2 + 255) / 256 * 256;
}
static inline int64_t matmul_split_flag_bytes(void)
{
    return 4096;
}

/* Bytes of workspace for the whole matmul: the packed a, then the packed b, or for f32 the flags and the
 * split a and b. */
static inline int64_t matmul_workspace_bytes(int64_t m, int64_t n, int64_t k, int64_t element_bytes)
{
    if (element_bytes == 4)
        return matmul_split_flag_bytes() + matmul_split_bytes(m, k) + matmul_split_bytes(k, n);
    return matmul_packed_bytes(m, k, element_bytes) + matmul_packed_bytes(k, n, element_bytes);
}

ASSAY_EXPORT assay_status matmul_run(const matmul_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
