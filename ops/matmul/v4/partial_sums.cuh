// Sums over a k that several blocks share: where their parts lie, and the second stage that adds them.
//
// A block that has a part of a tile's k writes its fp32 sums to a slot of the workspace, TILE_M x TILE_N floats
// row by row. A second kernel adds the slots of each tile, always in the same order, applies the epilogue,
// rounds and stores. Two launches instead of atomic additions: the result does not change from run to run, and
// no memory has to be zero beforehand. The second launch waits only for the first one's end
// (assay::launch_early); it costs two passes over the parts, which mostly stay in L2.
#ifndef ASSAY_OPS_MATMUL_V4_PARTIAL_SUMS_CUH
#define ASSAY_OPS_MATMUL_V4_PARTIAL_SUMS_CUH

#include <assay/hopper.h>
#include "epilogue.cuh"
#include "order.cuh"

#ifndef K_SPLITS
#define K_SPLITS 0 // 0: as many parts of k as the derivations say; 1: none; else this many, where they fit
#endif

// Partial sums of a matmul in the workspace, behind the operands, and how many floats have room.
struct partial_room {
    float *sums;
    int64_t floats;
};

static inline partial_room partial_sums_of(const matmul_args *args)
{
    const int64_t operands = ASSAY_DTYPE_TF32 ? 0 : matmul_operand_bytes(args, sizeof(scalar_t));
    const int64_t bytes = args->workspace_bytes - operands;
    if (args->workspace == nullptr || bytes <= 0)
        return {nullptr, 0};
    return {reinterpret_cast<float *>(static_cast<char *>(args->workspace) + operands), bytes / 4};
}

// Into how many parts to split k so that `blocks` become `wanted`: at most `most`, and K_SPLITS before that.
static inline int count_splits(int64_t blocks, int64_t wanted, int64_t most)
{
    const int64_t splits = K_SPLITS > 0 ? K_SPLITS : wanted / blocks;
    return static_cast<int>(splits < most ? (splits > 1 ? splits : 1) : (most > 1 ? most : 1));
}

// The parts that have work if `steps` steps of k are given to `splits` blocks in equal, whole numbers.
static inline int count_parts(int steps, int splits)
{
    const int each = (steps + splits - 1) / splits;
    return (steps + each - 1) / each;
}

// A tile of c: its first row and column, its first slot, and the number of its slots, one behind the other.
struct partial_tile {
    int m, n, first, count;
};

// How a launch cut c into tiles. Sizes are known at run time, so that one kernel adds the sums of every tile.
//
// For kernels that number tiles row by row, tiles_n in a row, and have part y of k of tile x in slot
// x * splits + y.
struct partial_grid {
    int tile_m, tile_n, tiles_n, splits;
    __device__ __forceinline__ partial_tile operator()(int tile) const
    {
        return {tile / tiles_n * tile_m, tile % tiles_n * tile_n, tile * splits, splits};
    }
};

// The same for blocks that have tile_of_block(x) of an m x n matrix.
struct partial_raster {
    int tile_m, tile_n, m, n, splits;
    __device__ __forceinline__ partial_tile operator()(int tile) const
    {
        const matmul_tile at = tile_of_block(static_cast<unsigned>(tile), m, n, tile_m, tile_n);
        return {at.m, at.n, tile * splits, splits};
    }
};

// Part blockIdx.y of gridDim.y of k, in whole steps of TILE_K (count_parts): moves a and b to its
// first element, and sets s.k to its length.
template <class C>
__device__ __forceinline__ void take_part_of_k(const scalar_t *&a, const scalar_t *&b, matmul_shape &s)
{
    const int steps = (s.k + C::TILE_K - 1) / C::TILE_K, parts = static_cast<int>(gridDim.y);
    const int chunk = (steps + parts - 1) / parts * C::TILE_K, begin = static_cast<int>(blockIdx.y) * chunk;
    a += begin;
    b += C::TRANSPOSE_B ? begin : begin * s.ldb;
    s.k = s.k - begin < chunk ? s.k - begin : chunk;
}

// This block's slot, behind those of the products before its own.
__device__ __forceinline__ float *slot_of_block(float *partial, int elements)
{
    const int64_t tile = static_cast<int64_t>(blockIdx.z) * gridDim.x + blockIdx.x;
    return partial + (tile * gridDim.y + blockIdx.y) * elements;
}

// Apply the epilogue to four neighbours of a row of c and store them as far as they are inside.
template <class Epilogue>
__device__ __forceinline__ void partial_store(scalar_t *c, float (&sums)[4], int m, int n, int columns,
                                              const Epilogue &epilogue)
{
    epilogue(sums[0], sums[1], epilogue.fetch(n));
    epilogue(sums[2], sums[3], epilogue.fetch(n + 2));
    assay::vec<scalar_t, 4> out;
#pragma unroll
    for (int i = 0; i < 4; i++)
        out[i] = assay::from_float<scalar_t>(sums[i]);
    scalar_t *to = c + static_cast<int64_t>(m) * columns + n;
    if (columns % 4 == 0) {
        assay::store_vec(to, out);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (n + i < columns)
                to[i] = out[i];
    }
}

// The second stage. A block adds blockDim.x * 4 sums of tile blockIdx.x of product blockIdx.z; its blockDim.y rows of
// threads take slots in turn and add what they have in the order of the rows.
template <class Tiles, class Epilogue>
static __global__ void __launch_bounds__(256)
    matmul_add_partial(const float *partial, scalar_t *c, int rows, int columns, const Tiles tiles,
                       const Epilogue epilogue)
{
    __shared__ assay::vec<float, 4> parts[256];
    const partial_tile tile = tiles(static_cast<int>(blockIdx.x));
    const int element = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x) * 4;
    const int m = tile.m + element / tiles.tile_n, n = tile.n + element % tiles.tile_n;
    const int area = tiles.tile_m * tiles.tile_n;
    const bool inside = element < area && m < rows && n < columns;
    float sums[4] = {};
#if ASSAY_HOPPER_CODE
    assay::wait_for_previous();
#endif
    if (inside) {
        const int64_t first = static_cast<int64_t>(blockIdx.z) * gridDim.x * tile.count + tile.first;
        const float *from = partial + first * area + element;
#pragma unroll 4
        for (int i = static_cast<int>(threadIdx.y); i < tile.count; i += static_cast<int>(blockDim.y)) {
            const assay::vec<float, 4> part = assay::load_vec<4>(from + static_cast<int64_t>(i) * area);
#pragma unroll
            for (int j = 0; j < 4; j++)
                sums[j] += part[j];
        }
    }
    if (threadIdx.y > 0)
        parts[threadIdx.y * blockDim.x + threadIdx.x] = {{sums[0], sums[1], sums[2], sums[3]}};
    __syncthreads();
    if (threadIdx.y > 0 || !inside)
        return;
    for (unsigned i = 1; i < blockDim.y; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            sums[j] += parts[i * blockDim.x + threadIdx.x][j];
    partial_store(product_of(c, rows, columns), sums, m, n, columns, epilogue);
}

// Launch the second stage for `count` tiles of each product, of at most `slots` slots each.
template <class Tiles, class Epilogue>
static assay_status add_partial_sums(const float *partial, const matmul_args *args, int64_t count, int slots,
                                     const Tiles &tiles, const Epilogue &epilogue, assay_stream stream)
{
    const int together = slots >= 8 ? 8 : slots >= 4 ? 4 : slots >= 2 ? 2 : 1, across = 256 / together;
    const dim3 grid(static_cast<unsigned>(count),
                    static_cast<unsigned>((tiles.tile_m * tiles.tile_n / 4 + across - 1) / across),
                    static_cast<unsigned>(args->batch));
    const dim3 block(static_cast<unsigned>(across), static_cast<unsigned>(together));
    scalar_t *c = static_cast<scalar_t *>(args->c);
    const int m = static_cast<int>(args->m), n = static_cast<int>(args->n);
    return assay::hopper_available() ? assay::launch_early(matmul_add_partial<Tiles, Epilogue>, grid, block,
                                                           0, stream, partial, c, m, n, tiles, epilogue)
                                     : assay::launch(matmul_add_partial<Tiles, Epilogue>, grid, block, 0,
                                                     stream, partial, c, m, n, tiles, epilogue);
}

#endif
