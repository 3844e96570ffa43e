// What was measured of every tile of choose.cuh, in the order of its tables: see tile_model.h.
#ifndef ASSAY_OPS_MATMUL_V4_TILE_TIMES_H
#define ASSAY_OPS_MATMUL_V4_TILE_TIMES_H

#include "tile_model.h"

// clang-format off
//     M    N    under way  together start  step   rate   latency
static const model_tile MODEL_16BIT[] = {
    {128, 256, 2 * 49152,     1,     5.7,  0.497, 138e3, 0.40}, // wgmma
    {192, 192, 2 * 49152,     1,     5.7,  0.560, 138e3, 0.40},
    {128, 192, 3 * 40960,     1,     5.9,  0.375, 138e3, 0.40},
    {192, 128, 3 * 40960,     1,     5.9,  0.375, 138e3, 0.40},
    {128, 128, 4 * 32768,     1,     6.2,  0.249, 139e3, 0.40},
    { 64, 256, 3 * 40960,     1,     6.0,  0.280, 150e3, 0.41},
    { 64, 192, 4 * 32768,     1,     6.0,  0.212, 150e3, 0.41},
    { 64, 128, 7 * 24576,     1,     6.0,  0.142, 154e3, 0.41},
    { 64,  64, 7 * 16384,     1,     6.4,  0.102, 143e3, 0.40},
    {256, 128, 2 * 49152,     1,     5.7,  0.795, 116e3, 1.06}, // mma.sync
    { 64, 128, 5 * 24576,     1,     6.4,  0.179,  91e3, 1.70},
    { 32,  32, 2 * 16384,     3,     7.2,  0.045, 113e3, 0.80},
};
static const model_tile MODEL_F32[] = {
    { 64, 128, 2 * 73728,     1,     9.0,  1.000, 150e3, 0.40}, // wgmma, split operands
    {128, 128, 3 * 16384,     1,     6.0,  4.400, 100e3, 1.00}, // FFMA
    { 64, 128, 3 * 12288,     1,     6.0,  2.200, 100e3, 1.00},
    { 32,  64, 3 * 12288,     1,     6.0,  0.600, 100e3, 1.00},
    { 16,  32, 3 * 12288,     2,     6.0,  0.200, 100e3, 1.00},
};
// clang-format on
enum {
    MODEL_16BIT_COUNT = sizeof MODEL_16BIT / sizeof *MODEL_16BIT,
    MODEL_16BIT_WGMMA = 9, // the first ones, which do not split k
    MODEL_F32_COUNT = sizeof MODEL_F32 / sizeof *MODEL_F32,
    MODEL_F32_WGMMA = 1
};

#endif
