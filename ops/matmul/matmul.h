/* Arguments of the op `matmul`: c = a * b for row-major contiguous matrices; a or b may be given transposed. A batch
 * is as many such products, whose matrices lie one behind the other in a, in b and in c. */
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
    const void *b;                    /* [k, n], likewise */
    void *c;                          /* [m, n], likewise; does not overlap a or b */
    int64_t m, n, k;                  /* any of them may be 0; with k = 0 the result is all zeros */
    int32_t transpose_a, transpose_b; /* 1: a lies as [k, m], b as [n, k], as the weight of torch's linear */
    void *workspace; /* scratch for repacked operands and partial sums; 256-byte aligned, content undefined */
    int64_t workspace_bytes; /* at least matmul_workspace_bytes(); a variant that needs none ignores it */
    int64_t batch; /* matrices in each of a, b and c; only the first begins at a multiple of 16 bytes */
    int64_t padding_a, padding_b; /* elements behind each row of a, of b, as they lie, that are none of it */
} matmul_args;

/* Elements from one row to the next of a, of b, as they lie, and of a whole matrix. */
static inline int64_t matmul_row_a(const matmul_args *args)
{
    return (args->transpose_a ? args->m : args->k) + args->padding_a;
}
static inline int64_t matmul_row_b(const matmul_args *args)
{
    return (args->transpose_b ? args->k : args->n) + args->padding_b;
}
static inline int64_t matmul_matrix_a(const matmul_args *args)
{
    return (args->transpose_a ? args->k : args->m) * matmul_row_a(args);
}
static inline int64_t matmul_matrix_b(const matmul_args *args)
{
    return (args->transpose_b ? args->n : args->k) * matmul_row_b(args);
}

/* `count` products of a batch, from number `first` on. */
static inline matmul_args matmul_part(const matmul_args *args, int64_t first, int64_t count,
                                      int64_t element_bytes)
{
    matmul_args part = *args;
    part.a = (const char *)args->a + first * matmul_matrix_a(args) * element_bytes;
    part.b = (const char *)args->b + first * matmul_matrix_b(args) * element_bytes;
    part.c = (char *)args->c + first * args->m * args->n * element_bytes;
    part.batch = count;
    return part;
}

/* A matrix as it lies: `rows` rows of `length` elements. */
typedef struct matmul_stored {
    int64_t rows, length;
} matmul_stored;

static inline matmul_stored matmul_stored_b(const matmul_args *args)
{
    const matmul_stored plain = {args->k, args->n}, transposed = {args->n, args->k};
    return args->transpose_b ? transposed : plain;
}

/* Rows of 2-byte elements start on 16-byte boundaries only if their length is a multiple of 8. Tensor-core
 * kernels read 16 bytes at a time, so an operand with another row length is first copied to the workspace
 * with its rows padded; long rows to whole 128-byte lines, since copies of rows that share lines with their
 * neighbours take twice as long from L2. */
static inline int64_t matmul_padded_row(int64_t length)
{
    const int64_t multiple = length % 8 != 0 && length > 512 ? 64 : 8;
    return (length + multiple - 1) / multiple * multiple;
}

/* Bytes of workspace for one operand of `rows` rows of `length` elements that are `row` elements apart: 0 if they are
 * aligned already. */
static inline int64_t matmul_packed_bytes(int64_t rows, int64_t length, int64_t row, int64_t element_bytes)
{
    if (element_bytes != 2 || (length % 8 == 0 && row % 8 == 0))
        return 0;
    return (rows * matmul_padded_row(length) * element_bytes + 255) / 256 * 256;
}

/* An f32 matmul at full accuracy on tensor cores needs both operands as three bfloat16 matrices with
 * padded rows, and flags. */
static inline int64_t matmul_split_row(int64_t length)
{
    const int64_t multiple = length > 512 ? 64 : 8;
    return (length + multiple - 1) / multiple * multiple;
}
static inline int64_t matmul_split_bytes(int64_t rows, int64_t length)
{
    return (3 * rows * matmul_split_row(length) * 2 + 255) / 256 * 256;
}
static inline int64_t matmul_split_flag_bytes(void)
{
    return 4096;
}

/* Bytes of workspace for the transposed a of every product, which is laid out anew as [m, k] before anything else is
 * done with it, in rows that are so many elements apart. */
static inline int64_t matmul_transposed_row(int64_t k, int64_t element_bytes)
{
    return element_bytes == 2 ? matmul_padded_row(k) : k;
}
static inline int64_t matmul_transposed_bytes(const matmul_args *args, int64_t element_bytes)
{
    if (!args->transpose_a)
        return 0;
    const int64_t rows = args->batch * args->m;
    return (rows * matmul_transposed_row(args->k, element_bytes) * element_bytes + 255) / 256 * 256;
}

/* Bytes of workspace for the operands of every product: the packed a, then the packed b, or for f32 the flags and the
 * split a and b. */
static inline int64_t matmul_operand_bytes(const matmul_args *args, int64_t element_bytes)
{
    const matmul_stored b = matmul_stored_b(args);
    const int64_t rows_a = args->batch * args->m, rows_b = args->batch * b.rows;
    if (element_bytes == 4)
        return matmul_split_flag_bytes() + matmul_split_bytes(rows_a, args->k) +
               matmul_split_bytes(rows_b, b.length);
    return matmul_packed_bytes(rows_a, args->k, matmul_row_a(args), element_bytes) +
           matmul_packed_bytes(rows_b, b.length, matmul_row_b(args), element_bytes);
}

/* Bytes of workspace for the partial sums of `batch` products, where blocks share the k of a tile: fp32 tiles of at most
 * 128 x 256, one for each 64 of k, up to a bound that two tiles for each of 160 multiprocessors need. A kernel that
 * finds less splits k less. */
static inline int64_t matmul_partial_bytes(int64_t batch, int64_t m, int64_t n, int64_t k)
{
    const int64_t tile = 128 * 256 * 4, most = 320 * tile;
    const int64_t tiles_m = (m + 127) / 128, tiles_n = (n + 255) / 256, parts = (k + 63) / 64;
    if (batch > 320 || tiles_m > 320 || tiles_n > 320 || parts > 320)
        return m > 0 && n > 0 ? most : 0;
    const int64_t bytes = batch * tiles_m * tiles_n * parts * tile;
    return bytes < most ? bytes : most;
}

/* How many products of a batch step 4 multiplies at once: as many as a grid has planes, 32-bit row numbers count, and
 * have their operands laid out anew in 256 MiB; at least one. */
static inline int64_t matmul_products_at_once(const matmul_args *args, int64_t element_bytes)
{
    matmul_args one = *args;
    one.batch = 1;
    const int64_t bytes =
        matmul_transposed_bytes(&one, element_bytes) + matmul_operand_bytes(&one, element_bytes);
    const int64_t longest = args->m > args->n ? args->m : args->n,
                  rows = longest > args->k ? longest : args->k;
    int64_t most = args->batch < 65535 ? args->batch : 65535;
    if (bytes > 0 && most > (INT64_C(256) << 20) / bytes)
        most = (INT64_C(256) << 20) / bytes;
    if (rows > 0 && most > (INT32_MAX - 512) / rows)
        most = (INT32_MAX - 512) / rows;
    return most > 1 ? most : 1;
}

static inline matmul_args matmul_first_products(const matmul_args *args, int64_t element_bytes)
{
    matmul_args part = *args; /* the addresses may be NULL here */
    part.batch = matmul_products_at_once(args, element_bytes);
    return part;
}

/* Bytes of workspace for the whole matmul: for a transposed a, for the operands, then for partial sums. */
static inline int64_t matmul_workspace_bytes(const matmul_args *args, int64_t element_bytes)
{
    const matmul_args part = matmul_first_products(args, element_bytes);
    return matmul_transposed_bytes(&part, element_bytes) + matmul_operand_bytes(&part, element_bytes) +
           matmul_partial_bytes(part.batch, part.m, part.n, part.k);
}

ASSAY_EXPORT assay_status matmul_run(const matmul_args *args, assay_stream stream);

#ifdef __cplusplus
}
#endif
#endif
