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

// clang-format off
//                             BM   BN  BK  warps  slices stages blocks
#if ASSAY_DTYPE_F32
using large = sgemm_config<   128, 128, 16,  4, 2,    1,     3,     2>;
using medium = sgemm_config<   64, 128, 16,  2, 2,    2,     4,     1>;
using small = sgemm_config<    32,  32, 64,  1, 1,    8,     4,     1>;
#else
using large = tensor_config<  128, 256, 64,  2, 4,    1,     3,     1>;
using medium = tensor_config<  64, 128, 64,  2, 2,    2,     5,     1>;
using small = tensor_config<   32,  32, 128, 1, 1,    4,     3,     1>;
#endif
// clang-format on

template <class C>
static assay_status launch(const matmul_args *args, const matmul_shape &shape, assay_stream stream)
{
#if ASSAY_DTYPE_F32
    return sgemm_launch<C>(args, shape, stream);
#else
    return tensor_launch<C>(args, shape, stream);
#endif
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    const int64_t limit =
        INT32_MAX - 512; // indices inside a kernel, a tile beyond the edge included, are 32-bit
    if (args->m > limit || args->n > limit || args->k > limit ||
        count_tiles(args->m, args->n, large::BM, large::BN) == 0)
        return ASSAY_ERR_UNSUPPORTED;
    const matmul_shape shape = {static_cast<int>(args->m), static_cast<int>(args->n),
                                static_cast<int>(args->k), args->k, args->n};
    if (count_tiles(args->m, args->n, large::BM, large::BN) >= kFill)
        return launch<large>(args, shape, stream);
    if (count_tiles(args->m, args->n, medium::BM, medium::BN) >= kFill)
        return launch<medium>(args, shape, stream);
    return launch<small>(args, shape, stream);
}
