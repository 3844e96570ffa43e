// matmul, step 4: everything together.
//
// f32: shared-memory tiles filled asynchronously, 8 x 8 elements a thread in registers, full-precision arithmetic
// (v4_sgemm.cuh). f16 and bf16: tensor cores with fp32 sums, fed by ldmatrix from swizzled tiles (v4_tensor.cuh).
// This file only chooses the tile by the shape: a large tile reuses each loaded element most, but a product with fewer
// tiles than the card has multiprocessors leaves some idle, so small products take smaller tiles and let the warps of a
// block share the work along k instead.
// Expected effect: f32 at large sizes limited by FFMA issue, 85 to 90% of the vendor library; f16 and bf16 at more than half
// of it, mma.sync's limit on Hopper being about two thirds of the tensor cores' rate.
// Tunables: RASTER_ROWS, tile rows that consecutive blocks go down before they move right (v4_order.cuh).
#include <assay/kernel.h>
#if ASSAY_DTYPE_F32
#include "v4_sgemm.cuh"
#else
#include "v4_tensor.cuh"
#endif

// A card's worth of blocks: with fewer tiles than this the next smaller tile is better. 80 and more multiprocessors are
// common to the cards these kernels are for.
static constexpr int64_t kFill = 96;

// The tiles from the largest to the smallest, as measured on an H100 (README.md). The first whose number of tiles fills the card
// is taken, or else the last.
using launch_fn = assay_status (*)(const matmul_args *, const matmul_shape &, assay_stream);
struct tile_choice {
    int bm, bn;
    launch_fn launch;
};
// clang-format off
#if ASSAY_DTYPE_F32
template <class C> constexpr tile_choice choice = {C::BM, C::BN, sgemm_launch<C>};
static constexpr tile_choice kTiles[] = {
    //                   BM   BN  BK  warps  slices stages blocks
    choice<sgemm_config<128, 128, 16,  4, 2,    1,     4,     1>>,
    choice<sgemm_config< 64, 128, 16,  2, 2,    2,     4,     1>>,
    choice<sgemm_config< 16,  32, 64,  1, 1,    4,     4,     1>>,
};
#else
template <class C> constexpr tile_choice choice = {C::BM, C::BN, tensor_launch<C>};
static constexpr tile_choice kTiles[] = {
    //                    BM   BN   BK  warps  slices stages blocks
    choice<tensor_config<256, 128,  64,  4, 2,    1,     3,     1>>,
    choice<tensor_config< 64, 128,  64,  2, 2,    1,     6,     1>>,
    choice<tensor_config< 32,  32, 128,  1, 1,    4,     3,     1>>,
};
#endif
// clang-format on

static const tile_choice &choose_tile(int64_t m, int64_t n)
{
    const tile_choice *tile = kTiles, *last = kTiles + sizeof kTiles / sizeof kTiles[0] - 1;
    while (tile < last && count_tiles(m, n, tile->bm, tile->bn) < kFill)
        tile++;
    return *tile;
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit)
        return ASSAY_ERR_UNSUPPORTED;
    const tile_choice &tile = choose_tile(args->m, args->n);
    if (count_tiles(args->m, args->n, tile.bm, tile.bn) == 0)
        return ASSAY_ERR_UNSUPPORTED;
    const matmul_shape shape = {static_cast<int>(args->m), static_cast<int>(args->n),
                                static_cast<int>(args->k), args->k, args->n};
    return tile.launch(args, shape, stream);
}
