// reduce_sum, step 1: one thread a row.
//
// The direct translation: a thread adds the elements of its row one after another, in parts of 256 for the
// accuracy of long rows. For inner == 1 the lanes of a warp stand a whole row apart, so each load touches 32
// lines for one element of each; for inner > 1 neighbouring rows lie side by side and the same code is
// coalesced.
// Expected effect: some percent of the bandwidth along the last dimension: lines are found in L1 again only
// while it holds 32 of them a warp. With fewer rows than the device has threads most of it idles; one long
// row is read by one thread, at a few hundred MB/s. Each addition waits for the one before it.
// Tunables: none.
#include <assay/kernel.h>
#include "../common/sum_in_parts.h"
#include "reduce_sum.h"

static __global__ void reduce_sum_v1(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                     int64_t inner, int64_t padding)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row / inner * (length * inner + padding) + row % inner;
    const float sum = sum_in_parts(length, [&](int64_t i) { return assay::to_float(x[i * inner]); });
    out[row] = assay::from_float<scalar_t>(sum);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0)
        return ASSAY_OK;
    const int threads = 128;
    const int64_t blocks = (rows + threads - 1) / threads; // up to 2^31 - 1, which is 2^38 rows
    return assay::launch(reduce_sum_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<scalar_t *>(args->out), rows,
                         args->length, args->inner, args->row_padding);
}
