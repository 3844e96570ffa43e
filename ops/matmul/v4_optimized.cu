// matmul, step 4: everything together.
//
// f32: shared-memory tiles filled asynchronously, 8 x 8 elements a thread in registers, full-precision arithmetic
// (v4_sgemm.cuh); on Hopper, from some size on, tensor cores with each operand split into three bfloat16 parts, which is
// both faster and more accurate (v4_split.cuh). f16 and bf16: tensor cores with fp32 sums; on Hopper by warpgroup
// instructions that read swizzled tiles which the copy engine brings (v4_hopper.cuh), elsewhere and for thin products by
// mma.sync fed with ldmatrix (v4_tensor.cuh), for very small ones fed from global memory (v4_direct.cuh).
// This file only chooses the kernel and its tile by the shape: a large tile reuses each loaded element most, but a product
// with fewer tiles than the card has multiprocessors leaves some idle, so small products take smaller tiles and let the
// warps of a block share the work along k instead.
// Expected effect: f32 at large sizes limited by FFMA issue, 90% of the vendor library; f16 and bf16 on Hopper limited by the
// tensor cores and the power they may draw, elsewhere at what mma.sync reaches (on Hopper two thirds of the tensor cores' rate).
// Tunables: RASTER_ROWS, tile rows that consecutive blocks go down before they move right (v4_order.cuh, v4_ring.cuh).
#include <assay/kernel.h>
#if ASSAY_DTYPE_F32
#include "v4_sgemm.cuh"
#include "v4_split.cuh"
#else
#include "v4_direct.cuh"
#include "v4_hopper.cuh"
#include "v4_tensor.cuh"
#endif
#include <assay/hopper.h>

// The tiles from the largest to the smallest, as measured on an H100 (README.md). The first that is not mostly beyond an edge
// and whose number occupies that many quarters of the multiprocessors is taken, or else the last.
using launch_fn = assay_status (*)(const matmul_args *, const matmul_shape &, assay_stream);
struct tile_choice {
    int bm, bn, quarters;
    launch_fn launch;
};
// clang-format off
#if ASSAY_DTYPE_F32
//                         BM   BN  BK  warps  slices stages blocks
using large = sgemm_config<128, 128, 16,  4, 2,    1,     4,     1>;
using medium = sgemm_config<64, 128, 16,  2, 2,    2,     4,     1>;
using lesser = sgemm_config<32,  64, 32,  1, 2,    4,     4,     1>;
using small = sgemm_config< 16,  32, 64,  1, 1,    4,     4,     1>;
template <class C> constexpr tile_choice choice = {C::BM, C::BN, 3, sgemm_launch<C>};
static constexpr tile_choice kTiles[] = {choice<large>, choice<medium>, choice<lesser>, choice<small>};
template <class C, class Fallback> constexpr tile_choice hopper = {C::BM, C::BN, 3, split_launch<C, Fallback>};
static constexpr tile_choice kHopperTiles[] = {
    //               stages raster
    hopper<split_config<3, 2 * RASTER_ROWS>, medium>, // 64 x 128
};
#else
template <class C> constexpr tile_choice choice = {C::BM, C::BN, 3, tensor_launch<C>};
static constexpr tile_choice kTiles[] = {
    //                    BM   BN   BK  warps  slices stages blocks
    choice<tensor_config<256, 128,  64,  4, 2,    1,     3,     1>>,
    choice<tensor_config< 64, 128,  64,  2, 2,    1,     6,     1>>,
    choice<tensor_config< 32,  32, 128,  1, 1,    4,     3,     1>>,
};
template <int QUARTERS, class C> constexpr tile_choice hopper = {C::BM, C::BN, QUARTERS, hopper_launch<C>};
static constexpr tile_choice kHopperTiles[] = {
    //                       BM   BN  stages k split passes raster
    hopper<8, hopper_config<128, 256,   3,     0,     1, RASTER_ROWS>>,
    hopper<3, hopper_config<128, 128,   5,     0,     1, RASTER_ROWS>>,
    hopper<3, hopper_config<128,  64,   7,     0,     1, RASTER_ROWS>>,
    hopper<3, hopper_config< 64,  64,   8,     1,     1, RASTER_ROWS>>,
};
using direct = direct_config<1, 8>; // 16 x 32, 8 warps share k
#endif
// clang-format on

static int64_t tiles_to_fill(int quarters)
{
    return (assay::multiprocessor_count() * int64_t{quarters} + 3) / 4;
}

static bool fits(const tile_choice &tile, int64_t m, int64_t n)
{
    return tile.bm < 2 * m && tile.bn < 2 * n &&
           count_tiles(m, n, tile.bm, tile.bn) >= tiles_to_fill(tile.quarters);
}

template <size_t Count>
static const tile_choice &choose(const tile_choice (&tiles)[Count], int64_t m, int64_t n)
{
    size_t i = 0;
    while (i + 1 < Count && !fits(tiles[i], m, n))
        i++;
    return tiles[i];
}

// Thin products waste most of a warpgroup's 64 rows, and a few small tiles are over before the copy engine has begun, or
// before the operands of an f32 product are split.
#if ASSAY_DTYPE_F32
static int64_t tiles_worth_hopper(const matmul_args *args)
{
    return count_tiles(args->m, args->n, 64, 128);
}
#else
static int64_t tiles_worth_hopper(const matmul_args *args)
{
    return 2 * count_tiles(args->m, args->n, 64, 64);
}
#endif

static const tile_choice &choose_tile(const matmul_args *args)
{
    if (assay::hopper_available() && args->m >= 64 && args->n >= 64 && args->k >= 64 &&
        tiles_worth_hopper(args) >= tiles_to_fill(3))
        return choose(kHopperTiles, args->m, args->n);
    return choose(kTiles, args->m, args->n);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit)
        return ASSAY_ERR_UNSUPPORTED;
    const matmul_shape shape = {static_cast<int>(args->m), static_cast<int>(args->n),
                                static_cast<int>(args->k), args->k, args->n};
#if !ASSAY_DTYPE_F32
    if (direct_fits<direct>(args))
        return direct_launch<direct>(args, shape, stream);
#endif
    const tile_choice &tile = choose_tile(args);
    if (count_tiles(args->m, args->n, tile.bm, tile.bn) == 0)
        return ASSAY_ERR_UNSUPPORTED;
    return tile.launch(args, shape, stream);
}
