// Right: blocks take tickets and write in their order; each waits only for those that have begun before it.
#include <assay/kernel.h>
#include "reduce_sum.h"

static __device__ unsigned ticket, turn;
static __global__ void reset()
{
    ticket = 0;
    turn = 0;
}
// blocks write their results in the order of their tickets
static __global__ void sums(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length, int64_t inner)
{
    __shared__ unsigned mine;
    __shared__ double part[64];
    if (threadIdx.x == 0)
        mine = atomicAdd(&ticket, 1u);
    __syncthreads();
    const int64_t r = mine;
    double sum = 0;
    for (int64_t j = threadIdx.x; j < length; j += blockDim.x)
        sum += assay::to_float(x[r / inner * length * inner + r % inner + j * inner]);
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    for (unsigned i = 1; i < blockDim.x; i++)
        sum += part[i];
    while (atomicAdd(&turn, 0u) != mine)
        __nanosleep(20);
    out[r] = assay::from_float<scalar_t>((float)sum);
    __threadfence();
    atomicExch(&turn, mine + 1);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *a, assay_stream s)
{
    const int64_t rows = a->outer * a->inner;
    if (rows == 0)
        return ASSAY_OK;
    assay_status st = assay::launch(reset, dim3(1), dim3(1), 0, s);
    return st != ASSAY_OK ? st
                          : assay::launch(sums, dim3((unsigned)rows), dim3(64), 0, s, (const scalar_t *)a->x,
                                          (scalar_t *)a->out, rows, a->length, a->inner);
}
