// add, for the tests of tables by the shape: WAY 0 is fast for few elements, WAY 1 for many, and neither for both.
// Tunables: WAY (which of two amounts of work is done, by the number of elements); FIXED, which no table may choose.
#include <assay/kernel.h>
#include <assay/tuned.h>
#include "add.h"

#ifndef WAY
#define WAY 0
#endif
#ifndef FIXED
#define FIXED 1
#endif

static __global__ void add_v6(const scalar_t *__restrict__ x, const scalar_t *__restrict__ y,
                              scalar_t *__restrict__ out, int64_t count, float alpha, int turns)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (volatile int turn = 0; turn < turns; turn = turn + 1)
        ;
    if (i < count)
        out[i] = assay::from_float<scalar_t>(assay::to_float(x[i]) + alpha * assay::to_float(y[i]));
}

extern "C" assay_status add_run(const add_args *args, assay_stream stream)
{
    if (args->count == 0)
        return ASSAY_OK;
    const int threads = 256, way = ASSAY_TUNED(WAY, args->count);
    const int64_t blocks = (args->count + threads - 1) / threads;
    const int turns = (args->count > 512) == (way == 1) ? 10 * FIXED : 4000;
    return assay::launch(add_v6, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->y),
                         static_cast<scalar_t *>(args->out), args->count, static_cast<float>(args->alpha),
                         turns);
}
