// Rows that start on 16-byte boundaries, for the steps whose copies (cp.async, TMA) need them: steps 3b to
// 3d.
//
// An operand whose rows are no multiple of 8 elements of 2 bytes is first copied to the workspace, with zeros
// behind each row. That moves O(n^2) elements, where a slow path inside a kernel would slow down O(n^3)
// products. A transposed a is laid out as [m, k] at the same time; a transposed b the kernels read as it lies.
#ifndef ASSAY_OPS_MATMUL_PADDED_ROWS_CUH
#define ASSAY_OPS_MATMUL_PADDED_ROWS_CUH

#include <assay/kernel.h>
#include "matmul.h"

static __global__ void __launch_bounds__(256)
    matmul_pad_rows(const scalar_t *from, scalar_t *to, int64_t rows, int64_t length, int64_t padded,
                    int64_t step_row, int64_t step_column)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * padded;
         i += step) {
        const int64_t row = i / padded, column = i % padded;
        to[i] =
            column < length ? from[row * step_row + column * step_column] : assay::from_float<scalar_t>(0.0f);
    }
}

// Make *operand, `rows` x `length` or, transposed, `length` x `rows`, point to rows that are
// matmul_padded_row(length) elements apart. A copy takes its place at *offset of the workspace, and *offset moves
// behind it.
static inline assay_status pad_rows(const scalar_t **operand, int64_t rows, int64_t length, bool transposed,
                                    const matmul_args *args, int64_t *offset, assay_stream stream)
{
    const int64_t padded_bytes = (rows * matmul_padded_row(length) * 2 + 255) / 256 * 256;
    const int64_t bytes = transposed ? padded_bytes : matmul_packed_bytes(rows, length, sizeof(scalar_t));
    if (bytes == 0)
        return ASSAY_OK;
    if (args->workspace == nullptr || args->workspace_bytes - *offset < bytes)
        return ASSAY_ERR_INVALID;
    scalar_t *padded = reinterpret_cast<scalar_t *>(static_cast<char *>(args->workspace) + *offset);
    const int64_t blocks = (rows * matmul_padded_row(length) + 255) / 256;
    const assay_status status =
        assay::launch(matmul_pad_rows, dim3(static_cast<unsigned>(blocks < 65536 ? blocks : 65536)),
                      dim3(256), 0, stream, *operand, padded, rows, length, matmul_padded_row(length),
                      transposed ? 1 : length, transposed ? rows : 1);
    *operand = padded;
    *offset += bytes;
    return status;
}

// Both operands: a as [m, k], b as it lies.
static inline assay_status pad_operands(const scalar_t **a, const scalar_t **b, const matmul_args *args,
                                        assay_stream stream)
{
    const matmul_stored stored_b = matmul_stored_b(args);
    int64_t offset = 0;
    const assay_status status = pad_rows(a, args->m, args->k, args->transpose_a, args, &offset, stream);
    return status == ASSAY_OK ? pad_rows(b, stored_b.rows, stored_b.length, false, args, &offset, stream)
                              : status;
}

#endif
