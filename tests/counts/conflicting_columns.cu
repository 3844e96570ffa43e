// transpose by square tiles whose rows are not padded: right, and over the budget of v2_tiling, for the elements of a column lie in one
// bank of shared memory.
#include <assay/kernel.h>
#include "transpose.h"

constexpr int TILE = 32, BLOCK_ROWS = 8;

static __global__ void __launch_bounds__(TILE *BLOCK_ROWS)
    columns(const scalar_t *x, scalar_t *out, int64_t rows, int64_t columns, unsigned down, unsigned across)
{
    __shared__ scalar_t tile[TILE][TILE];
    const int64_t b = blockIdx.x / (down * across), first_row = (int64_t)(blockIdx.x / across % down) * TILE,
                  first_column = (int64_t)(blockIdx.x % across) * TILE;
    x += b * rows * columns;
    out += b * rows * columns;
    for (int i = threadIdx.y; i < TILE; i += BLOCK_ROWS)
        if (first_row + i < rows && first_column + threadIdx.x < columns)
            tile[i][threadIdx.x] = x[(first_row + i) * columns + first_column + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += BLOCK_ROWS)
        if (first_column + i < columns && first_row + threadIdx.x < rows)
            out[(first_column + i) * rows + first_row + threadIdx.x] = tile[threadIdx.x][i];
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    const int64_t down = (args->rows + TILE - 1) / TILE, across = (args->columns + TILE - 1) / TILE;
    if (args->batch == 0 || down == 0 || across == 0)
        return ASSAY_OK;
    return assay::launch(columns, dim3((unsigned)(args->batch * down * across)), dim3(TILE, BLOCK_ROWS), 0,
                         stream, static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out),
                         args->rows, args->columns, (unsigned)down, (unsigned)across);
}
