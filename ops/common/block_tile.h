// Step 2 of the row ops: a tile of a row in shared memory, and a tree over the block's threads.
#ifndef ASSAY_OPS_COMMON_BLOCK_TILE_H
#define ASSAY_OPS_COMMON_BLOCK_TILE_H

#include <assay/kernel.h>

struct maximum {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
struct addition {
    template <class T>
    __device__ T operator()(T a, T b) const
    {
        a += b;
        return a;
    }
};

// The value of the whole block of THREADS (a power of two), given to every thread. `partial` holds one value
// a thread.
template <int THREADS, class T, class Operator>
static __device__ T reduce_tree(T value, T *partial, Operator combine)
{
    partial[threadIdx.x] = value;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            partial[threadIdx.x] = combine(partial[threadIdx.x], partial[threadIdx.x + half]);
        __syncthreads();
    }
    const T result = partial[0];
    __syncthreads(); // partial may now be used again
    return result;
}

// Thread t loads, and later uses, elements t, t + THREADS, ... of the tile: no barrier is needed for it.
template <int THREADS>
static __device__ void load_tile(float *tile, int count, const scalar_t *x, int64_t stride)
{
    for (int i = threadIdx.x; i < count; i += THREADS)
        tile[i] = assay::to_float(x[i * stride]);
}

#endif
