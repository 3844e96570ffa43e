// softmax, step 2: a block a row, the row in shared memory.
//
// Tiling alone: a block loads a tile of TILE elements into shared memory and works on it there: maximum and
// sum are each reduced by a tree in shared memory, one barrier a level, and the result is written from the
// tile. A row of up to TILE elements is so read from memory once instead of three times. A longer row is
// taken tile by tile: when a tile raises the maximum, the sum so far is rescaled; the results are then
// written from the last tile, which is still there, back to the first, and the others are loaded again.
// Accesses stay scalar.
// Expected effect: tens of times faster than step 1, because a block's threads read neighbouring elements and
// 256 of them share a row. Below the bandwidth: 2 * log2(BLOCK_THREADS) barriers a tile in which nothing is
// loaded, and loads of one element, which for the 2-byte types fill half a line a warp. inner > 1 is
// uncoalesced.
// Tunables: BLOCK_THREADS, TILE.
#include <assay/kernel.h>
#include "../common/block_tile.h"
#include "softmax.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif
#ifndef TILE
#define TILE 4096
#endif

// Exponents are taken from here: a maximum of -infinity (nothing but masked elements so far) would give inf -
// inf.
static __device__ float origin(float max)
{
    return max == -INFINITY ? 0.0f : max;
}

static __global__ void __launch_bounds__(BLOCK_THREADS)
    softmax_v2(const scalar_t *all, scalar_t *out, int64_t rows, int64_t length, int64_t inner,
               int64_t padding)
{
    __shared__ float tile[TILE], partial[BLOCK_THREADS];
    const int64_t tiles = (length + TILE - 1) / TILE;
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const int64_t first = row / inner * length * inner + row % inner;
        const scalar_t *x = all + row / inner * padding;
        float max = -INFINITY, sum = 0.0f;
        for (int64_t t = 0; t < tiles; t++) {
            const int count = (int)(length - t * TILE < TILE ? length - t * TILE : TILE);
            load_tile<BLOCK_THREADS>(tile, count, x + first + t * TILE * inner, inner);
            float tile_max = -INFINITY, tile_sum = 0.0f;
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                tile_max = fmaxf(tile_max, tile[i]); // passes over NaN; the sum keeps it
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
                out[first + (t * TILE + i) * inner] = assay::from_float<scalar_t>(
                    expf(tile[i] - origin(max)) / sum); // 0 / 0 for a masked row: NaN
        }
    }
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    const int64_t blocks = rows < 0x7fffffff ? rows : 0x7fffffff;
    return assay::launch(softmax_v2, dim3((unsigned)blocks), dim3(BLOCK_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         args->length, args->inner, args->row_padding);
}
