// matmul, step 4: everything together.
//
// f32: shared-memory tiles filled asynchronously, 8 x 8 elements a thread in registers, full-precision arithmetic
// (v4/sgemm.cuh); on Hopper, from some size on, tensor cores with each operand split into three bfloat16 parts, which is
// both faster and more accurate (v4/split.cuh). tf32: tensor cores with rounded factors and fp32 sums, by mma.sync
// (v4/tf32.cuh), on Hopper by warpgroup instructions that take b transposed from registers (v4/tf32_hopper.cuh).
// f16 and bf16: tensor cores with fp32 sums; on Hopper by warpgroup instructions that read swizzled tiles which the copy
// engine brings (v4/hopper.cuh, for few tiles v4/hopper_few_tiles.cuh), elsewhere and for thin products by mma.sync fed with
// ldmatrix (v4/tensor.cuh), for very small ones fed from global memory (v4/direct.cuh).
// The kernel and its tile are chosen by the shape (v4/choose.cuh): a large tile reuses each loaded element most, but a product
// with fewer tiles than the card has multiprocessors leaves some idle, so small products take smaller tiles and let the
// warps of a block share the work along k instead.
// Expected effect: f32 at large sizes limited by FFMA issue, 90% of the vendor library; f16 and bf16 on Hopper limited by the
// tensor cores and the power they may draw, elsewhere at what mma.sync reaches (on Hopper two thirds of the tensor cores' rate).
// Tunables: RASTER_ROWS, tile rows that consecutive blocks go down before they move right (v4/order.cuh, v4/pipeline.cuh).
#include "v4/choose.cuh"

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return matmul_choose_and_run(args, keep_sums{}, stream);
}
