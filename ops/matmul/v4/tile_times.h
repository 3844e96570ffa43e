// What was measured of every tile of choose.cuh, in the order of its table: see tile_model.h.
#ifndef ASSAY_OPS_MATMUL_V4_TILE_TIMES_H
#define ASSAY_OPS_MATMUL_V4_TILE_TIMES_H

#include "tile_model.h"

// clang-format off
//     M    N  under way  together start step  rate  latency  operand bytes
static const model_tile MODEL_16BIT_TILES[] = {
    {128, 256, 2 * 49152, 1,  6.29, 0.4810,  135.6e3, 0.273, 0}, // wgmma
    {128, 224, 2 * 49152, 1,  6.33, 0.4100,  135.9e3, 0.380, 0},
    {192, 192, 2 * 49152, 1,  6.42, 0.5871,  142.4e3, 0.194, 0},
    {128, 192, 3 * 40960, 1,  6.37, 0.3249,  136.2e3, 0.478, 0},
    {192, 128, 3 * 40960, 1,  6.41, 0.3919,  130.8e3, 0.156, 0},
    {128, 160, 3 * 40960, 1,  6.30, 0.2840,  134.0e3, 0.380, 0},
    {128, 128, 4 * 32768, 1,  6.23, 0.2379,  131.9e3, 0.276, 0},
    { 64, 256, 3 * 40960, 1,  6.09, 0.2282,  167.7e3, 0.396, 0},
    { 64, 192, 4 * 32768, 1,  6.09, 0.1876,  166.4e3, 0.322, 0},
    { 64, 160, 4 * 32768, 1,  6.09, 0.1580,  166.4e3, 0.400, 0},
    { 64, 128, 7 * 24576, 1,  6.06, 0.1107,  193.8e3, 0.584, 0},
    { 64,  64, 7 * 16384, 1,  5.87, 0.1156,  141.7e3, 0.228, 0},
    {256, 128, 2 * 49152, 1,  6.27, 0.7657,  115.0e3, 0.828, 0}, // mma.sync
    { 64, 128, 5 * 24576, 1,  6.01, 0.1116,  153.6e3, 1.866, 0},
    { 32,  32, 2 * 16384, 3,  6.54, 0.0314,  155.2e3, 0.800, 0},
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
                                        {3.92e6, 2.80e6, 1.91, 3.19, 0.71, 2.9e-5, 0.5, 0.02}};
static const model_tiles MODEL_F32 = {
    MODEL_F32_TILES, MODEL_F32_COUNT, MODEL_F32_WGMMA, 0, {3.42e6, 2.94e6, 2.07, 2.42, 0.80, 2.1e-5, 0, 0}};

#endif
