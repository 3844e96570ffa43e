// The second of two blocks of a row adds what both left; FENCE() stands between the writes and the atomic that tells.
#include "reduce_sum_blocks.h"

static __global__ void part(const scalar_t *x, float *workspace, scalar_t *out, int64_t rows, int64_t length,
                            int64_t inner)
{
    float *halves = workspace + 2 * (int64_t)blockIdx.x;
    unsigned *arrived = reinterpret_cast<unsigned *>(workspace + 2 * rows) + blockIdx.x;
    halves[blockIdx.y] = half_sum(x, length, inner);
    FENCE();
    if (atomicAdd(arrived, 1u) == 1u)
        out[blockIdx.x] = assay::from_float<scalar_t>(halves[0] + halves[1]);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0)
        return ASSAY_OK;
    float *workspace = static_cast<float *>(args->workspace);
    const dim3 grid((unsigned)((3 * rows + THREADS - 1) / THREADS));
    const assay_status status = assay::launch(clear, grid, dim3(THREADS), 0, stream, workspace, 3 * rows);
    return status == ASSAY_OK
               ? assay::launch(part, dim3((unsigned)rows, 2), dim3(1), 0, stream,
                               static_cast<const scalar_t *>(args->x), workspace,
                               static_cast<scalar_t *>(args->out), rows, args->length, args->inner)
               : status;
}
