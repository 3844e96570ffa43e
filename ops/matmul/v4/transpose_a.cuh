// A transposed a (k x m) laid out anew as m x k in the workspace, for the kernels, all of which want k along its rows.
//
// It moves O(m k) elements before O(m n k) operations: little where n is large, more than the matmul itself where c
// has few columns.
#ifndef ASSAY_OPS_MATMUL_V4_TRANSPOSE_A_CUH
#define ASSAY_OPS_MATMUL_V4_TRANSPOSE_A_CUH

#include <assay/hopper.h>
#include <assay/kernel.h>
#include "../matmul.h"

constexpr int TRANSPOSE_SIDE = 32; // of a tile; a warp reads and writes whole rows of it

// to[i][p] = from[p][i] for i < m, p < k, of product blockIdx.z; rows of both have a stride. Tile x of a block, then every
// gridDim.x-th.
static __global__ void __launch_bounds__(256)
    matmul_transpose_a(const scalar_t *__restrict__ from, scalar_t *__restrict__ to, int64_t m, int64_t k,
                       int64_t from_row, int64_t to_row)
{
    __shared__ scalar_t tile[TRANSPOSE_SIDE][TRANSPOSE_SIDE + 4 / sizeof(scalar_t)];
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    const int64_t tiles_m = (m + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE,
                  tiles_k = (k + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE;
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    from += blockIdx.z * k * from_row, to += blockIdx.z * m * to_row;
    for (int64_t t = blockIdx.x; t < tiles_m * tiles_k; t += gridDim.x) {
        const int64_t first_m = t % tiles_m * TRANSPOSE_SIDE, first_k = t / tiles_m * TRANSPOSE_SIDE;
#pragma unroll
        for (int r = 0; r < TRANSPOSE_SIDE; r += 8)
            if (first_k + y + r < k && first_m + x < m)
                tile[y + r][x] = from[(first_k + y + r) * from_row + first_m + x];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < TRANSPOSE_SIDE; r += 8)
            if (first_m + y + r < m && first_k + x < k)
                to[(first_m + y + r) * to_row + first_k + x] = tile[x][y + r];
        __syncthreads();
    }
}

// Whether transpose_a() has laid a out: it lies right before the rest of the workspace.
static inline bool transposed_a_before(const matmul_args *args)
{
    matmul_args whole = *args;
    whole.transpose_a = 1;
    const int64_t bytes = matmul_transposed_bytes(&whole, sizeof(scalar_t));
    return args->workspace != nullptr && static_cast<const char *>(args->a) + bytes == args->workspace;
}

// Whether a transposed a lies as one that is not: a single row or column without padding.
static inline bool transposed_a_is_plain(const matmul_args *args)
{
    return (args->k == 1 && (args->padding_a == 0 || args->batch == 1)) ||
           (args->m == 1 && args->padding_a == 0);
}

// *plain: the same matmul with an a that is not transposed, at the beginning of the workspace in rows that are aligned to
// 16 bytes in f16 and bf16, and the rest of the workspace.
static inline assay_status transpose_a(const matmul_args *args, matmul_args *plain, assay_stream stream)
{
    *plain = *args;
    plain->transpose_a = 0;
    plain->padding_a = 0;
    if (transposed_a_is_plain(args))
        return ASSAY_OK;
    const int64_t bytes = matmul_transposed_bytes(args, sizeof(scalar_t)),
                  row = matmul_transposed_row(args->k, sizeof(scalar_t));
    if (args->workspace == nullptr || args->workspace_bytes < bytes)
        return ASSAY_ERR_INVALID;
    const int64_t tiles =
        (args->m + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE * ((args->k + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE);
    const int64_t most = 16 * static_cast<int64_t>(assay::multiprocessor_count());
    plain->a = args->workspace;
    plain->padding_a = row - args->k;
    plain->workspace = static_cast<char *>(args->workspace) + bytes;
    plain->workspace_bytes = args->workspace_bytes - bytes;
    return assay::launch(
        matmul_transpose_a,
        dim3(static_cast<unsigned>(tiles < most ? tiles : most), 1, static_cast<unsigned>(args->batch)),
        dim3(TRANSPOSE_SIDE, 8), 0, stream, static_cast<const scalar_t *>(args->a),
        static_cast<scalar_t *>(args->workspace), args->m, args->k, matmul_row_a(args), row);
}

#endif
