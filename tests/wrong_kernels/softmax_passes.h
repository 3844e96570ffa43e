// softmax with one thread a row in three passes, for kernels that are wrong in one place: START(v) is where the maximum begins,
// MAX_LENGTH(n) and SUM_LENGTH(n) how much of a row is in it and in the sum, ROWS(n) how many rows are done.
#include <assay/kernel.h>
#include "softmax.h"
#ifndef START
#define START(v) (v)
#endif
#ifndef MAX_LENGTH
#define MAX_LENGTH(n) (n)
#endif
#ifndef SUM_LENGTH
#define SUM_LENGTH(n) (n)
#endif
#ifndef ROWS
#define ROWS(n) (n)
#endif
static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                      int64_t inner, int64_t outer)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= ROWS(rows))
        return;
    const int64_t first = row / inner * length * inner + row % inner;
    float largest = START(assay::to_float(x[first])), sum = 0.0f;
    for (int64_t j = 0; j < MAX_LENGTH(length); j++) {
        const float v = assay::to_float(x[first + j * inner]);
        largest = v > largest || isnan(v) ? v : largest;
    }
    for (int64_t j = 0; j < SUM_LENGTH(length); j++)
        sum += expf(assay::to_float(x[first + j * inner]) - largest);
    for (int64_t j = 0; j < length; j++)
        out[first + j * inner] =
            assay::from_float<scalar_t>(expf(assay::to_float(x[first + j * inner]) - largest) / sum);
}
extern "C" assay_status softmax_run(const softmax_args *a, assay_stream s)
{
    const int64_t rows = a->outer * a->inner;
    if (rows == 0 || a->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3((unsigned)((rows + 31) / 32)), dim3(32), 0, s,
                         (const scalar_t *)a->x, (scalar_t *)a->out, rows, a->length, a->inner, a->outer);
}
