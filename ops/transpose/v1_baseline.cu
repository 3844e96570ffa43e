// transpose, step 1: one thread an element.
//
// The direct translation: thread i reads x[i] and writes it where it belongs. Neighbouring threads read
// neighbouring elements, so the reads are coalesced; their writes lie a whole row of out apart, each in a
// line of its own.
// Expected effect: a store instruction of a warp touches 32 lines and uses one element of each. As long as
// the lines stay in L2 until the neighbours arrive they are merged there, but the cache's own bandwidth is
// spent on 32-byte sectors of which 4 or 2 bytes are used: a fifth to a third of the bandwidth for f32, half
// of that for the 2-byte types.
// Tunables: none.
#include <assay/kernel.h>
#include "transpose.h"

static __global__ void transpose_v1(const scalar_t *x, scalar_t *out, int64_t count, int64_t rows,
                                    int64_t columns)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int64_t c = i % columns, r = i / columns % rows, b = i / columns / rows;
    out[(b * columns + c) * rows + r] = x[i];
}

extern "C" assay_status transpose_run(const transpose_args *args, assay_stream stream)
{
    const int64_t count = args->batch * args->rows * args->columns;
    if (count == 0)
        return ASSAY_OK;
    const int threads = 256;
    const int64_t blocks = (count + threads - 1) / threads; // up to 2^31 - 1, which is 2^39 elements
    return assay::launch(transpose_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), count,
                         args->rows, args->columns);
}
