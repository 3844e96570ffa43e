// matmul, v1 of the run: tiles of a and b in shared memory.
#include <assay/kernel.h>
#include "factor.cuh"
#include "matmul.h"

static constexpr int kTile = 32;

static __global__ void matmul_tiles(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n,
                                    int64_t k, int64_t blocks_n)
{
    __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int64_t i = blockIdx.x / blocks_n * kTile + y, j = blockIdx.x % blocks_n * kTile + x;
    float sum = 0.0f;
    for (int64_t p = 0; p < k; p += kTile) {
        tile_a[y][x] = i < m && p + x < k ? assay::to_float(as_factor(a[i * k + p + x])) : 0.0f;
        tile_b[y][x] = j < n && p + y < k ? assay::to_float(as_factor(b[(p + y) * n + j])) : 0.0f;
        __syncthreads();
        for (int q = 0; q < kTile; q++)
            sum += tile_a[y][q] * tile_b[q][x];
        __syncthreads();
    }
    if (i < m && j < n)
        c[i * n + j] = assay::from_float<scalar_t>(sum);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    const int64_t blocks_m = (args->m + kTile - 1) / kTile, blocks_n = (args->n + kTile - 1) / kTile;
    if (blocks_m == 0 || blocks_n == 0)
        return ASSAY_OK;
    if (blocks_n > INT32_MAX / blocks_m)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(matmul_tiles, dim3(static_cast<unsigned>(blocks_m * blocks_n)), dim3(kTile, kTile),
                         0, stream, static_cast<const scalar_t *>(args->a),
                         static_cast<const scalar_t *>(args->b), static_cast<scalar_t *>(args->c), args->m,
                         args->n, args->k, blocks_n);
}
