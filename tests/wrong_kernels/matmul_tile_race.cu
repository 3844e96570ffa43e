// Wrong: no barrier before a shared tile is overwritten by the next one.
#include <assay/kernel.h>
#include "matmul.h"

static __global__ void matmul_kernel(const scalar_t *a, const scalar_t *b, scalar_t *c, int64_t m, int64_t n,
                                     int64_t k)
{
    const int64_t row = (int64_t)blockIdx.y * 16 + threadIdx.y,
                  column = (int64_t)blockIdx.x * 16 + threadIdx.x;
    __shared__ float tile_a[16][16], tile_b[16][16];
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    float sum = 0.0f;
    for (int64_t first = 0; first < k; first += 16) {
        tile_a[ty][tx] = row < m && first + tx < k ? assay::to_float(a[row * k + first + tx]) : 0.0f;
        tile_b[ty][tx] = column < n && first + ty < k ? assay::to_float(b[(first + ty) * n + column]) : 0.0f;
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += tile_a[ty][i] * tile_b[i][tx];
    }
    if (row < m && column < n)
        c[row * n + column] = assay::from_float<scalar_t>(sum);
}

extern "C" assay_status matmul_run(const matmul_args *args, assay_stream stream)
{
    if (args->m == 0 || args->n == 0)
        return ASSAY_OK;
    return assay::launch(
        matmul_kernel, dim3((unsigned)((args->n + 15) / 16), (unsigned)((args->m + 15) / 16)), dim3(16, 16),
        0, stream, static_cast<const scalar_t *>(args->a), static_cast<const scalar_t *>(args->b),
        static_cast<scalar_t *>(args->c), args->m, args->n, args->k);
}
