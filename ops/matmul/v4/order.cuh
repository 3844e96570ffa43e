// Sizes and tile order for every v4 kernel of matmul.
#ifndef ASSAY_OPS_MATMUL_V4_ORDER_CUH
#define ASSAY_OPS_MATMUL_V4_ORDER_CUH

#include <assay/kernel.h>
#include "../batch.cuh"
#include "../matmul.h"

#ifndef RASTER_ROWS
#define RASTER_ROWS 8
#endif

// a is m x k, row stride lda elements; b is k x n, or transposed n x k, row stride ldb; c is m x n, contiguous. The
// products of a batch lie one behind the other in a, in b and in c; plane z of a grid has number z.
struct matmul_shape {
    int m, n, k;
    int64_t lda, ldb;
};

// A configuration for b as it lies when it is transposed: n x k, so k runs along its rows, as along those of a.
// Kernels are compiled for either (TRANSPOSE_B), and each *_launch() takes the one that the arguments want. a is
// never transposed here: matmul_choose_and_run() lays it out anew.
template <class C>
struct with_transposed_b : C {
    static constexpr bool TRANSPOSE_B = true;
};

// index / divisor; cheaper where all indices have 32 bits.
__device__ __forceinline__ int64_t divide_index(int64_t index, int64_t divisor, int64_t indices)
{
    return indices < INT32_MAX ? static_cast<uint32_t>(index) / static_cast<uint32_t>(divisor)
                               : index / divisor;
}

struct matmul_tile {
    int m, n; // first row and first column in c
};

// To the operands of the block's product.
template <bool TRANSPOSE_B>
__device__ __forceinline__ void take_product_of(const scalar_t *&a, const scalar_t *&b, const matmul_shape &s)
{
    take_product(a, b, s.m * s.lda, (TRANSPOSE_B ? s.n : s.k) * s.ldb);
}

// From the rows of one product to those of all of them in c, one below the other: which one begins at a multiple of 16
// bytes depends on their number.
__device__ __forceinline__ void stack_rows(matmul_shape &s, matmul_tile &tile, int product)
{
    tile.m += product * s.m;
    s.m *= product + 1;
}

// How a launch takes its tiles: `splits` blocks share the k of each, and `cluster` (1 or 2) blocks share what they load
// of b.
struct tile_plan {
    int splits, cluster;
};

// Rasterisation for L2 reuse: tiles are numbered down a band of RASTER_ROWS tile rows, then to the right. The
// blocks that run at the same time then form a nearly square patch of c and share rows of a and columns of b.
// Row by row they would need all of b.
__device__ __forceinline__ matmul_tile tile_of_block(unsigned block, int m, int n, int tile_m, int tile_n)
{
    const unsigned tiles_m = (m + tile_m - 1) / tile_m, tiles_n = (n + tile_n - 1) / tile_n;
    const unsigned group_tiles = RASTER_ROWS * tiles_n, group = block / group_tiles,
                   inside = block % group_tiles;
    const unsigned rest = tiles_m - group * RASTER_ROWS, rows = rest < RASTER_ROWS ? rest : RASTER_ROWS;
    return {static_cast<int>((group * RASTER_ROWS + inside % rows) * tile_m),
            static_cast<int>(inside / rows * tile_n)};
}

// Number of tiles, or 0 if they are more than a grid can have.
inline int64_t count_tiles(int64_t m, int64_t n, int tile_m, int tile_n)
{
    const int64_t tiles_m = (m + tile_m - 1) / tile_m, tiles_n = (n + tile_n - 1) / tile_n;
    return tiles_n > 0 && tiles_m > INT32_MAX / tiles_n ? 0 : tiles_m * tiles_n;
}

#endif
