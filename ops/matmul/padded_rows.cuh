// Rows that start on 16-byte boundaries, for the steps whose copies (cp.async, TMA) need them: steps 3b to
// 3d.
//
// An operand whose rows are no multiple of 8 elements of 2 bytes is first copied to the workspace, with zeros
// behind each row. That moves O(n^2) elements, where a slow path inside a kernel would slow down O(n^3)
// products.
#ifndef ASSAY_OPS_MATMUL_PADDED_ROWS_CUH
#define ASSAY_OPS_MATMUL_PADDED_ROWS_CUH

#include <assay/kernel.h>
#include "matmul.h"

static __global__ void __launch_bounds__(256)
    matmul_pad_rows(const scalar_t *from, scalar_t *to, int64_t rows, int64_t length, int64_t padded)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * padded;
         i += step) {
        const int64_t row = i / padded, column = i % padded;
        to[i] = column < length ? from[row * length + column] : assay::from_float<scalar_t>(0.0f);
    }
}

// Make *operand, `rows` x `length`, point to rows that are matmul_padded_row(length) elements apart. A copy
// takes its place at *offset of the workspace, and *offset moves behind it.
static inline assay_status pad_rows(const scalar_t **operand, int64_t rows, int64_t length,
                                    const matmul_args *args, int64_t *offset, assay_stream stream)
{
    const int64_t bytes = matmul_packed_bytes(rows, length, sizeof(scalar_t));
    if (bytes == 0)
        return ASSAY_OK;
    if (args->workspace == nullptr || args->workspace_bytes - *offset < bytes)
        return ASSAY_ERR_INVALID;
    scalar_t *padded = reinterpret_cast<scalar_t *>(static_cast<char *>(args->workspace) + *offset);
    const int64_t blocks = (rows * matmul_padded_row(length) + 255) / 256;
    const assay_status status =
        assay::launch(matmul_pad_rows, dim3(static_cast<unsigned>(blocks < 65536 ? blocks : 65536)),
                      dim3(256), 0, stream, *operand, padded, rows, length, matmul_padded_row(length));
    *operand = padded;
    *offset += bytes;
    return status;
}

#endif
