// Right: eight blocks draw tiles from a counter in global memory, which outlives the call; the last one sets it
// back.
#include "add_rightly.h"

enum { TILE = 1024 };

static __device__ unsigned next_tile, ended;

static __global__ void add_tiles(const scalar_t *x, const scalar_t *y, scalar_t *out, int64_t count,
                                 float alpha)
{
    __shared__ unsigned tile;
    for (;;) {
        if (threadIdx.x == 0)
            tile = atomicAdd(&next_tile, 1u);
        __syncthreads();
        const int64_t first = (int64_t)tile * TILE;
        __syncthreads();
        if (first >= count)
            break;
        for (int64_t i = first + threadIdx.x; i < first + TILE && i < count; i += blockDim.x)
            out[i] = sum1(x[i], y[i], alpha);
    }
    if (threadIdx.x == 0 && atomicAdd(&ended, 1u) == gridDim.x - 1) {
        atomicExch(&next_tile, 0u);
        atomicExch(&ended, 0u);
    }
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    return assay::launch(add_tiles, dim3(8), dim3(128), 0, stream, (const scalar_t *)args->x,
                         (const scalar_t *)args->y, (scalar_t *)args->out, args->count, (float)args->alpha);
}
