// transpose, step 2: a square tile in shared memory.
//
// Tiling alone: a block reads a square tile row by row and writes it column by column, so that lanes stand
// side by side in memory on both sides; the transposition happens in shared memory. A tile row is padded by
// one 4-byte word: without it the elements of a column would all lie in one bank, a 32-way bank conflict.
// Accesses are one element each, TILE / BLOCK_ROWS rows a thread.
// Expected effect: three to four times step 1. A warp moves one 128-byte line an instruction for f32, half a
// line for the 2-byte types, which therefore stay clearly below the bandwidth.
// Tunables: TILE, its side; BLOCK_ROWS, the rows that a block moves at a time.
#include <assay/kernel.h>
#include "transpose.h"

#ifndef TILE
#define TILE 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

constexpr int PAD = 4 / sizeof(scalar_t); // one bank

static __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
    transpose_v2(const scalar_t *x, scalar_t *out, int64_t rows, int64_t columns, unsigned tiles_down,
                 unsigned tiles_across)
{
    __shared__ scalar_t tile[TILE][TILE + PAD];
    const int64_t b = blockIdx.x / (tiles_down * tiles_across);
    const int64_t first_row = (int64_t)(blockIdx.x / tiles_across % tiles_down) * TILE;
    const int64_t first_column = (int64_t)(blockIdx.x % tiles_across) * TILE;
    x += b * rows * columns;
    out += b * rows * columns;

    for (int i = threadIdx.y; i < TILE; i += BLOCK_ROWS) {
        const int64_t r = first_row + i, c = first_column + threadIdx.x;
        if (r < rows && c < columns)
            tile[i][threadIdx.x] = x[r * columns + c];
    }
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += BLOCK_ROWS) {
        const int64_t c = first_column + i, r = first_row + threadIdx.x;
        if (c < columns && r < rows)
            out[c * rows + r] = tile[threadIdx.x][i];
    }
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    const int64_t down = (args->rows + TILE - 1) / TILE, across = (args->columns + TILE - 1) / TILE;
    if (args->batch == 0 || down == 0 || across == 0)
        return ASSAY_OK;
    if (down > INT32_MAX / across || args->batch > INT32_MAX / (down * across))
        return ASSAY_ERR_UNSUPPORTED; // more tiles than a grid can have
    return assay::launch(transpose_v2, dim3((unsigned)(args->batch * down * across)), dim3(TILE, BLOCK_ROWS),
                         0, stream, static_cast<const scalar_t *>(args->x),
                         static_cast<scalar_t *>(args->out), args->rows, args->columns, (unsigned)down,
                         (unsigned)across);
}
