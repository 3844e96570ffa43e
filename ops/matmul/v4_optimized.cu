// matmul, step 4: everything, chosen by the shape.
//
// The parts lie in v4/:
//   sgemm.cuh             f32: register tiles (step 3a), cp.async pipeline, split-K within a block
//   split.cuh             f32 on Hopper: three bfloat16 parts of each operand on tensor cores, faster and
//                         more accurate
//   tf32.cuh              tf32: mma.sync
//   tf32_hopper.cuh       tf32 on Hopper: wgmma, with b transposed through registers
//   tensor.cuh            f16, bf16: mma.sync (step 3b), also for small M or N
//   hopper.cuh            f16, bf16 on Hopper: wgmma, warp-specialised and persistent (steps 3c and 3d)
//   hopper_few_tiles.cuh  the same for few tiles, with the lowest latency at both ends
//   direct.cuh            f16, bf16, tf32 for very few tiles: operands straight to registers
//   few_rows.cuh          up to 8 rows by a matrix: b streamed once, bound by memory
//   few_columns.cuh       a matrix by up to 8 columns: a streamed once
//   few_*_tensor.cuh      their sums by mma.sync, in f16 and bf16; load_eight.cuh: from rows that are not aligned
//   short_k.cuh           f16, bf16 with K up to 7: bound by the stores of c
//   hopper_launch.cuh     how hopper.cuh is launched
//   hopper_store.cuh      how hopper.cuh writes a finished tile, split_store.cuh likewise
//   hopper_items.cuh      what the persistent kernels do: tiles, or parts of the k of tiles
//   partial_sums.cuh      second stage where blocks share a k
//   transpose_a.cuh       a transposed a is laid out anew before all of these; a transposed b they read as it lies
//   tile_model.h          how long each tile takes, from what was measured of it (tile_times.h)
// All of them take views by the distance of their rows, and a batch of products in one launch.
// choose.cuh takes the kernel and its tile by device and shape. A large tile reuses each loaded element most,
// but fewer tiles than multiprocessors leave some idle, so small problems take smaller tiles, and the warps
// of a block split K.
// Expected effect: f32 at large sizes twice the vendor library on Hopper, 90% of it elsewhere (FFMA issue);
// f16 and bf16 on Hopper the tensor cores and their power limit, elsewhere what mma.sync reaches.
// Tunables: RASTER_ROWS, tile rows of a band in the rasterisation order (v4/order.cuh, v4/pipeline.cuh);
// FEW_LINES, up to how many rows or columns the other matrix is streamed (v4/choose.cuh); K_SPLITS, into how
// many parts blocks split k (0: as the model says, or as derived in v4/partial_sums.cuh); TILE, which tile of
// v4/tile_times.h is taken (from 1; 0: as v4/tile_model.h says); CLUSTER, how many blocks share what they load of b
// (0: as the model says); SHORT_K, up to which K short_k.cuh serves. All but RASTER_ROWS and K_SPLITS may also come from a table by the shape
// (docs/tuning.md).
#include "v4/choose.cuh"

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    return for_each_part(args, matmul_products_at_once(args, sizeof(scalar_t)), [=](const matmul_args *part) {
        return matmul_choose_and_run(part, keep_sums{}, stream);
    });
}
