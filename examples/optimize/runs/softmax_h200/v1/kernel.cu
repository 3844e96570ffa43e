// softmax, v1 of the run: a block a row, the row in shared memory.
#include <assay/kernel.h>
#include "../common/block_tile.h"
#include "softmax.h"

#define BLOCK_THREADS 256
#define TILE          4096

static __device__ float origin(float max)
{
    return max == -INFINITY ? 0.0f : max; // -inf - -inf would be NaN
}

static __global__ void softmax_row(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                   int64_t inner)
{
    __shared__ float tile[TILE], partial[BLOCK_THREADS];
    const int64_t tiles = (length + TILE - 1) / TILE;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int64_t first = row / inner * length * inner + row % inner;
        float max = -INFINITY, sum = 0.0f;
        for (int64_t t = 0; t < tiles; t++) {
            const int count = (int)(length - t * TILE < TILE ? length - t * TILE : TILE);
            load_tile<BLOCK_THREADS>(tile, count, x + first + t * TILE * inner, inner);
            float tile_max = -INFINITY, tile_sum = 0.0f;
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                tile_max = fmaxf(tile_max, tile[i]);
            const float new_max = fmaxf(max, reduce_tree<BLOCK_THREADS>(tile_max, partial, maximum()));
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                tile_sum += expf(tile[i] - origin(new_max));
            sum =
                sum * expf(max - origin(new_max)) + reduce_tree<BLOCK_THREADS>(tile_sum, partial, addition());
            max = new_max;
        }
        for (int64_t t = tiles - 1; t >= 0; t--) {
            const int count = (int)(length - t * TILE < TILE ? length - t * TILE : TILE);
            if (t != tiles - 1)
                load_tile<BLOCK_THREADS>(tile, count, x + first + t * TILE * inner, inner);
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                out[first + (t * TILE + i) * inner] =
                    assay::from_float<scalar_t>(expf(tile[i] - origin(max)) / sum);
        }
    }
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    const int64_t blocks = rows < 0x7fffffff ? rows : 0x7fffffff;
    return assay::launch(softmax_row, dim3((unsigned)blocks), dim3(BLOCK_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         args->length, args->inner);
}
