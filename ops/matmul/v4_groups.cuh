// b and c whose rows are not aligned to 16 bytes, read and written by the copy engine as they lie.
//
// The copy engine wants rows that begin at multiples of 16 bytes; where in a row a box begins is free. Eight rows of n 2-byte elements are 16 n
// bytes, always such a multiple. So b is described to it as k / 8 rows of 8 n elements, here called groups, and a box that begins at element
// j n + column takes row j of each of several groups, 64 columns wide. Where that is beyond column n it is the beginning of the next row (or
// zero): it only counts in columns of c that do not exist. Groups beyond the last are zero, which is why k must be a multiple of 8.
//
// Boxes one behind the other make a stage as the tensor cores want it, but with k in another order: all rows 0 of `together` groups, then all
// their rows 1, and so on. A sum is the same in any order, if that of a's columns is the same too. The copy engine cannot reorder those, so a
// is packed, padded with zeros to whole stages.
// The rows of c that a consumer has are reordered likewise, all rows 0 of 8 groups first, so that eight of them in its shared memory are a
// box, which the copy engine writes to c: a was packed with its rows in that order.
#ifndef ASSAY_OPS_MATMUL_V4_GROUPS_CUH
#define ASSAY_OPS_MATMUL_V4_GROUPS_CUH

#include "v4_order.cuh"
#include "../transpose/square.cuh"

// Groups of b of which one box takes a row each: the more, the fewer copies. A power of two that divides the groups of whole stages, 64 of k
// each, so that the order adds no stage.
static __host__ __device__ __forceinline__ int groups_together(int k)
{
    const int groups = (k + 63) / 64 * 8, most = groups & -groups;
    return most < 64 ? most : 64;
}

// Which of its 64 rows of c a consumer has in row i of its tile, and where in the tile row i of c is: the same, as this exchanges two numbers.
__device__ __forceinline__ unsigned row_in_groups(unsigned i)
{
    return i % 8 * 8 + i / 8 % 8;
}

// to = from, a row-major matrix of `rows` x `k`, with rows and columns in the order above and zeros up to multiples of 64; k is a multiple of 8.
// A thread takes eight groups of a row and exchanges groups and places in them.
static __global__ void __launch_bounds__(256)
    matmul_pack_groups(const scalar_t *__restrict__ from, scalar_t *__restrict__ to, int rows, int k)
{
    const int across = (k + 63) / 64, together = groups_together(k);
    const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int i = static_cast<int>(index / across), group = static_cast<int>(index % across) * 8;
    if (i >= (rows + 63) / 64 * 64)
        return;
    const int row = i / 64 * 64 + static_cast<int>(row_in_groups(i));
    const uint4 *source =
        reinterpret_cast<const uint4 *>(from + static_cast<int64_t>(row) * k) + group; // a group is 16 bytes
    square s;
#pragma unroll
    for (int g = 0; g < 8; g++)
        s.set_row(g, row < rows && (group + g) * 8 < k ? __ldg(source + g) : uint4{});
    scalar_t *target =
        to + (static_cast<int64_t>(i) * across * 64 + group / together * together * 8 + group % together);
#pragma unroll
    for (int j = 0; j < 8; j++)
        __stwb(reinterpret_cast<uint4 *>(target + j * together), s.column(j));
}

// Pack a into the workspace and make *a point there.
static inline assay_status matmul_group_rows(const scalar_t **a, const matmul_args *args, assay_stream stream)
{
    if (args->workspace == nullptr || args->workspace_bytes < matmul_grouped_bytes(args->m, args->k))
        return ASSAY_ERR_INVALID;
    scalar_t *packed = static_cast<scalar_t *>(args->workspace);
    const int64_t threads = matmul_grouped_bytes(args->m, args->k) / (64 * 2);
    const assay_status status =
        assay::launch(matmul_pack_groups, dim3(static_cast<unsigned>((threads + 255) / 256)), dim3(256), 0,
                      stream, *a, packed, static_cast<int>(args->m), static_cast<int>(args->k));
    *a = packed;
    return status;
}

#endif
