// reduce_sum, step 2: a block a row, partial sums in shared memory.
//
// Tiling alone: a row is one tile of work for a block. Thread t adds elements t, t + BLOCK_THREADS, ...; the
// threads' partial sums are then added by a tree in shared memory, one barrier a level. Accesses stay one
// element each.
// Expected effect: tens of times step 1 along the last dimension, because lanes read neighbouring elements
// and a row has BLOCK_THREADS loads in flight. Below the bandwidth: a thread has one load in flight, and
// log2(BLOCK_THREADS) barriers a row during which its block loads nothing. For inner > 1 it is the wrong way
// round: a block's threads stand inner elements apart, and step 1 is better. One long row has one block.
// Tunables: BLOCK_THREADS.
#include <assay/kernel.h>
#include "../common/sum_in_parts.h"
#include "reduce_sum.h"

#ifndef BLOCK_THREADS
#define BLOCK_THREADS 256
#endif

// VIEW: rows have padding behind them; inner is 1 then. A kernel of its own, since with padding in the address the
// compiler orders the loads of all rows otherwise.
template <bool VIEW>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    reduce_sum_v2(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length, int64_t inner,
                  int64_t padding)
{
    __shared__ float partial[BLOCK_THREADS];
    for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        const scalar_t *first =
            x + row / inner * (VIEW ? length * inner + padding : length) * (VIEW ? 1 : inner) + row % inner;
        partial[threadIdx.x] = sum_in_parts(threadIdx.x, length, BLOCK_THREADS,
                                            [&](int64_t i) { return assay::to_float(first[i * inner]); });
        __syncthreads();
        for (int half = BLOCK_THREADS / 2; half > 0; half /= 2) {
            if ((int)threadIdx.x < half)
                partial[threadIdx.x] += partial[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0)
            out[row] = assay::from_float<scalar_t>(partial[0]);
        __syncthreads(); // partial may now be used again
    }
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0)
        return ASSAY_OK;
    const int64_t blocks = rows < INT32_MAX ? rows : INT32_MAX;
    return assay::launch(args->row_padding == 0 ? reduce_sum_v2<false> : reduce_sum_v2<true>,
                         dim3((unsigned)blocks), dim3(BLOCK_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         args->length, args->inner, args->row_padding);
}
