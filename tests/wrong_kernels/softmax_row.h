// softmax with one thread a row in one pass, for kernels that are wrong in one place: RESCALE(sum, old, now) is
// the sum so far when the maximum grows, EXP(v) the function, LEAST(first, length) what the maximum begins with,
// TO(first, inner) where the results of a row go.
#include <assay/kernel.h>
#include "softmax.h"

#ifndef RESCALE
#define RESCALE(sum, old, now) (sum) * expf((old) - (now))
#endif
#ifndef EXP
#define EXP(v) expf(v)
#endif
#ifndef LEAST
#define LEAST(first, length) (first)
#endif
#ifndef TO
#define TO(first, inner) (first)
#endif

static __global__ void softmax_kernel(const scalar_t *x, scalar_t *out, int64_t rows, int64_t length,
                                      int64_t inner)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const int64_t first = row / inner * length * inner + row % inner, to = TO(first, inner);
    const float begin = assay::to_float(x[first]);
    float largest = LEAST(begin, length), sum = EXP(begin - largest);
    for (int64_t j = 1; j < length; j++) {
        const float v = assay::to_float(x[first + j * inner]);
        if (v > largest) {
            sum = RESCALE(sum, largest, v) + 1.0f;
            largest = v;
        } else {
            sum += EXP(v - largest);
        }
    }
    for (int64_t j = 0; j < length; j++)
        out[to + j * inner] =
            assay::from_float<scalar_t>(EXP(assay::to_float(x[first + j * inner]) - largest) / sum);
}

extern "C" assay_status softmax_run(const softmax_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0 || args->length == 0)
        return ASSAY_OK;
    return assay::launch(softmax_kernel, dim3((unsigned)((rows + 31) / 32)), dim3(32), 0, stream,
                         (const scalar_t *)args->x, (scalar_t *)args->out, rows, args->length, args->inner);
}
