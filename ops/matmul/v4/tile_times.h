// What was measured of every tile of choose.cuh, in the order of its table: see tile_model.h.
#ifndef ASSAY_OPS_MATMUL_V4_TILE_TIMES_H
#define ASSAY_OPS_MATMUL_V4_TILE_TIMES_H

#include "tile_model.h"

// clang-format off
//     M    N  under way  together start step  rate  latency  operand bytes
static const model_tile MODEL_16BIT_TILES[] = {
    {128, 256, 2 * 49152, 1,  6.59, 0.4886,  123.5e3, 0.375, 0}, // wgmma
    {128, 224, 2 * 49152, 1,  6.59, 0.5028,  102.8e3, 0.148, 0},
    {192, 192, 2 * 49152, 1,  6.76, 0.6324,  130.9e3, 0.163, 0},
    {128, 192, 3 * 40960, 1,  6.51, 0.3621,  131.3e3, 0.427, 0},
    {192, 128, 3 * 40960, 1,  6.30, 0.3930,  121.8e3, 0.296, 0},
    {128, 160, 3 * 40960, 1,  6.57, 0.3468,   99.0e3, 0.145, 0},
    {128, 128, 4 * 32768, 1,  6.23, 0.2702,  119.4e3, 0.259, 0},
    { 64, 256, 3 * 40960, 1,  6.26, 0.2901,  133.7e3, 0.418, 0},
    { 64, 192, 4 * 32768, 1,  6.23, 0.2385,  129.1e3, 0.379, 0},
    { 64, 160, 4 * 32768, 1,  6.20, 0.2506,   99.4e3, 0.251, 0},
    { 64, 128, 7 * 24576, 1,  5.99, 0.1786,  137.6e3, 0.238, 0},
    { 64,  64, 7 * 16384, 1,  6.08, 0.1537,  107.8e3, 0.108, 0},
    {256, 128, 2 * 49152, 1,  6.30, 0.8151,   85.2e3, 0.796, 0}, // mma.sync
    { 64, 128, 5 * 24576, 1,  6.11, 0.1488,   93.5e3, 1.687, 0},
    { 32,  32, 2 * 16384, 3,  6.31, 0.0450,  113.8e3, 0.850, 0},
};
static const model_tile MODEL_F32_TILES[] = {
    { 64, 128, 2 * 73728, 1,  8.73, 0.5764,  278.6e3, 0.973, 6}, // wgmma, operands in three parts
    {128, 128, 3 * 16384, 1,  2.40, 5.1449,   45.0e3, 0.851, 0}, // FFMA
    { 64, 128, 3 * 12288, 1,  3.87, 2.2361,   83.4e3, 0.936, 0},
    { 32,  64, 3 * 12288, 1,  5.99, 0.5271,  247.1e3, 0.855, 0},
    { 16,  32, 3 * 12288, 2,  5.77, 0.2070,   92.7e3, 0.794, 0},
};
// clang-format on
enum {
    MODEL_16BIT_COUNT = sizeof MODEL_16BIT_TILES / sizeof *MODEL_16BIT_TILES,
    MODEL_16BIT_WGMMA = 12,
    MODEL_F32_COUNT = sizeof MODEL_F32_TILES / sizeof *MODEL_F32_TILES,
    MODEL_F32_WGMMA = 1
};
// memory, parts, second launch, packing, overlap, store, meeting, waiting
static const model_tiles MODEL_16BIT = {MODEL_16BIT_TILES,
                                        MODEL_16BIT_COUNT,
                                        MODEL_16BIT_WGMMA,
                                        MODEL_16BIT_WGMMA,
                                        {4.05e6, 4.47e6, 2.43, 1.54, 0.59, 4.0e-5, 1.10, 0.047}};
static const model_tiles MODEL_F32 = {
    MODEL_F32_TILES, MODEL_F32_COUNT, MODEL_F32_WGMMA, 0, {3.42e6, 2.94e6, 2.07, 2.42, 0.80, 2.1e-5, 0, 0}};

#endif
