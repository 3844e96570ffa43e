// layernorm, step 2: a block a row, the row in shared memory.
//
// Tiling alone: a block loads a tile of TILE elements into shared memory, and mean, squared distances and
// results are taken from there; sums are reduced by a tree in shared memory, one barrier a level. A row of up
// to TILE elements is so read from memory once instead of three times; a longer row is taken tile by tile in
// each of the three passes. Accesses stay scalar. As in step 1, squares are those of the distances from the
// mean found (distances.h).
// Expected effect: tens of times faster than step 1, because a block's threads read neighbouring elements and
// 256 of them share a row. Below the bandwidth: two trees of log2(BLOCK_THREADS) barriers a row in which
// nothing is loaded, and loads of one element, which for the 2-byte types fill half a line a warp.
// Tunables: BLOCK_THREADS, TILE.
#include <assay/kernel.h>
#include "../common/block_tile.h"
#include "../common/overflow.h"
#include "distances.h"
#include "layernorm.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif
#ifndef TILE
#define TILE 4096
#endif

static __global__ void __launch_bounds__(BLOCK_THREADS)
    layernorm_v2(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
                 int64_t length, int64_t stride, float eps)
{
    __shared__ float tile[TILE], partial[BLOCK_THREADS];
    __shared__ distances partial_distances[BLOCK_THREADS];
    x += blockIdx.x * stride;
    out += blockIdx.x * length;
    const int64_t tiles = (length + TILE - 1) / TILE;
    bool loaded = false;
    // use(i, x[i]) for each of this thread's elements, by way of the tile.
    const auto visit = [&](auto use) {
        for (int64_t t = 0; t < tiles; t++) {
            const int count = (int)(length - t * TILE < TILE ? length - t * TILE : TILE);
            if (tiles > 1 || !loaded)
                load_tile<BLOCK_THREADS>(tile, count, x + t * TILE, 1);
            loaded = true;
            for (int i = threadIdx.x; i < count; i += BLOCK_THREADS)
                use(t * TILE + i, tile[i]);
        }
    };
    const float first = assay::to_float(x[0]);
    float scale = 1.0f, pivot, mean, variance; // mean is relative to the pivot
    for (;; scale = SCALED_DOWN) {
        float sum = 0.0f;
        visit([&](int64_t, float value) { sum += value * scale - first * scale; });
        pivot = first * scale + reduce_tree<BLOCK_THREADS>(sum, partial, addition()) / (float)length;
        distances mine = {0.0f, 0.0f};
        visit([&](int64_t, float value) { mine += distance_of(value * scale - pivot); });
        const distances whole = reduce_tree<BLOCK_THREADS>(mine, partial_distances, addition());
        mean = whole.sum / (float)length;
        variance = whole.squares / (float)length - mean * mean;
        if (is_finite(variance) || scale == SCALED_DOWN)
            break;
    }
    const float factor = rsqrtf((variance < 0.0f ? 0.0f : variance) + eps * scale * scale);
    visit([&](int64_t i, float value) {
        out[i] = assay::from_float<scalar_t>(fmaf((value * scale - pivot - mean) * factor,
                                                  assay::to_float(weight[i]), assay::to_float(bias[i])));
    });
}

extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(layernorm_v2, dim3((unsigned)args->rows), dim3(BLOCK_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
                         static_cast<const scalar_t *>(args->bias), static_cast<scalar_t *>(args->out),
                         args->length, args->length + args->row_padding, static_cast<float>(args->eps));
}
