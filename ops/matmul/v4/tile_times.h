// What was measured of every tile of choose.cuh, in the order of its table: see tile_model.h.
#ifndef ASSAY_OPS_MATMUL_V4_TILE_TIMES_H
#define ASSAY_OPS_MATMUL_V4_TILE_TIMES_H

#include "tile_model.h"

// clang-format off
//     M    N  under way  together start step  rate  latency  operand bytes
static const model_tile MODEL_16BIT_TILES[] = {
    {128, 256, 2 * 49152, 1,  7.46, 0.4458,  132.5e3, 0.511, 0}, // wgmma
    {192, 192, 2 * 49152, 1,  7.52, 0.6005,  128.9e3, 0.341, 0},
    {128, 192, 3 * 40960, 1,  7.05, 0.3380,  144.4e3, 0.553, 0},
    {192, 128, 3 * 40960, 1,  6.94, 0.3739,  132.8e3, 0.431, 0},
    {128, 128, 4 * 32768, 1,  6.62, 0.2486,  128.9e3, 0.405, 0},
    { 64, 256, 3 * 40960, 1,  7.05, 0.2247,  174.6e3, 0.688, 0},
    { 64, 192, 4 * 32768, 1,  6.75, 0.1977,  154.3e3, 0.613, 0},
    { 64, 128, 7 * 24576, 1,  6.41, 0.1482,  149.9e3, 0.460, 0},
    { 64,  64, 7 * 16384, 1,  6.45, 0.1292,  136.2e3, 0.077, 0},
    {256, 128, 2 * 49152, 1,  7.65, 0.7829,   92.1e3, 0.715, 0}, // mma.sync
    { 64, 128, 5 * 24576, 1,  6.60, 0.1435,  107.0e3, 1.528, 0},
    { 32,  32, 2 * 16384, 3,  6.58, 0.0615,  115.0e3, 1.050, 0},
};
static const model_tile MODEL_F32_TILES[] = {
    { 64, 128, 2 * 73728, 1,  5.27, 0.9422,  190.4e3, 0.202, 6}, // wgmma, operands in three parts
    {128, 128, 3 * 16384, 1,  0.97, 5.1566,   53.5e3, 0.686, 0}, // FFMA
    { 64, 128, 3 * 12288, 1,  3.50, 2.7795,   47.0e3, 0.318, 0},
    { 32,  64, 3 * 12288, 1,  5.83, 0.6702,   75.6e3, 0.553, 0},
    { 16,  32, 3 * 12288, 2,  5.84, 0.1682,   76.3e3, 0.918, 0},
};
// clang-format on
enum {
    MODEL_16BIT_COUNT = sizeof MODEL_16BIT_TILES / sizeof *MODEL_16BIT_TILES,
    MODEL_16BIT_WGMMA = 9,
    MODEL_F32_COUNT = sizeof MODEL_F32_TILES / sizeof *MODEL_F32_TILES,
    MODEL_F32_WGMMA = 1
};
// memory, parts, second launch, packing, overlap, store, meeting, waiting, single elements
static const model_tiles MODEL_16BIT = {MODEL_16BIT_TILES,
                                        MODEL_16BIT_COUNT,
                                        MODEL_16BIT_WGMMA,
                                        MODEL_16BIT_WGMMA,
                                        {4.24e6, 3.52e6, 2.13, 1.45, 0.70, 0.8e-5, 0.63, 0.057, 1.0}};
static const model_tiles MODEL_F32 = {MODEL_F32_TILES,
                                      MODEL_F32_COUNT,
                                      MODEL_F32_WGMMA,
                                      0,
                                      {5.82e6, 3.23e6, 2.30, 1.81, 0.82, 9.0e-5, 0.00, 0.000, 4.0}};

#endif
