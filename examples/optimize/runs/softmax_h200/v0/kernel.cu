// softmax, step 1: one thread a row.
//
// The definition, word for word: one pass over the row for the maximum, one for the sum of exponentials, one
// that writes exp(x - max) / sum. For inner == 1 neighbouring threads work on neighbouring rows, so the lanes
// of a warp stand a whole row apart and every load touches 32 cache lines.
// Expected effect: a few percent of the bandwidth at best. 256 rows are 256 threads, two multiprocessors of
// 132; at any size a thread waits out the memory latency of each element three times. Only inner > 1
// coalesces by nature.
// Tunables: none.
#include <assay/kernel.h>
#include "softmax.h"

static __global__ void softmax_v1(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                  int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    float max = -INFINITY, sum = 0.0f;
    for (int64_t i = 0; i < length; i++)
        max = fmaxf(max, assay::to_float(x[first + i * inner])); // passes over NaN; the sum keeps it
    for (int64_t i = 0; i < length; i++)
        sum += expf(assay::to_float(x[first + i * inner]) - max);
    for (int64_t i = 0; i < length; i++)
        out[first + i * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + i * inner]) - max) / sum);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    const int threads = 128;
    const int64_t blocks = (rows + threads - 1) / threads; // up to 2^31 - 1, which is 2^38 rows
    return assay::launch(softmax_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         args->length, args->inner);
}
