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

// An operand for copies of 16 bytes: `at` has rows that are `row` elements apart.
struct padded_operand {
    const scalar_t *at;
    int64_t row;
};

// Of `rows` rows of `length` elements as they lie, `row` elements apart, or transposed, `length` rows of `rows`. Where
// rows or elements behind them are no whole vectors, or it lies transposed, a copy takes its place at *offset of the
// workspace, and *offset moves behind it.
static inline assay_status pad_rows(padded_operand *operand, int64_t rows, int64_t length, bool transposed,
                                    const matmul_args *args, int64_t *offset, assay_stream stream)
{
    const int64_t row = operand->row, padded_row = matmul_padded_row(length),
                  bytes = (rows * padded_row * 2 + 255) / 256 * 256;
    if (bytes == 0 || (!transposed && length % 8 == 0 && row % 8 == 0))
        return ASSAY_OK;
    if (args->workspace == nullptr || args->workspace_bytes - *offset < bytes)
        return ASSAY_ERR_INVALID;
    scalar_t *padded = reinterpret_cast<scalar_t *>(static_cast<char *>(args->workspace) + *offset);
    const int64_t blocks = (rows * padded_row + 255) / 256;
    const assay_status status = assay::launch(
        matmul_pad_rows, dim3(static_cast<unsigned>(blocks < 65536 ? blocks : 65536)), dim3(256), 0, stream,
        operand->at, padded, rows, length, padded_row, transposed ? 1 : row, transposed ? row : 1);
    *operand = {padded, padded_row};
    *offset += bytes;
    return status;
}

// Both operands: a as [m, k], b as it lies.
static inline assay_status pad_operands(padded_operand *a, padded_operand *b, const matmul_args *args,
                                        assay_stream stream)
{
    const matmul_stored stored_b = matmul_stored_b(args);
    int64_t offset = 0;
    *a = {static_cast<const scalar_t *>(args->a), matmul_row_a(args)};
    *b = {static_cast<const scalar_t *>(args->b), matmul_row_b(args)};
    const assay_status status = pad_rows(a, args->m, args->k, args->transpose_a, args, &offset, stream);
    return status == ASSAY_OK ? pad_rows(b, stored_b.rows, stored_b.length, false, args, &offset, stream)
                              : status;
}

#endif
