// rmsnorm, step 1: one thread a row.
//
// The definition: a pass for the sum of squares and one that writes. Neighbouring threads work on
// neighbouring rows, so the lanes of a warp stand a whole row apart and every load touches 32 cache lines.
// Expected effect: a few percent of the bandwidth. 256 rows are 256 threads, two multiprocessors of 132, and
// each waits out the memory latency of every element twice.
// Tunables: none.
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/sum_in_parts.h"
#include "rmsnorm.h"

static __global__ void rmsnorm_v1(const scalar_t *x, const scalar_t *weight, scalar_t *out, int64_t rows,
                                  int64_t length, int64_t stride, float eps)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * stride;
    out += row * length;
    float scale = 1.0f, squares;
    for (;; scale = SCALED_DOWN) {
        squares = sum_in_parts(length, [&](int64_t i) {
            const float value = assay::to_float(x[i]) * scale;
            return value * value;
        });
        if (is_finite(squares) || scale == SCALED_DOWN)
            break;
    }
    const float factor = rsqrtf(squares / (float)length + eps * scale * scale);
    for (int64_t i = 0; i < length; i++)
        out[i] =
            assay::from_float<scalar_t>(assay::to_float(x[i]) * scale * factor * assay::to_float(weight[i]));
}

extern "C" assay_status rmsnorm_run(const rmsnorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    const int threads = 128;
    const int64_t blocks = (args->rows + threads - 1) / threads; // up to 2^31 - 1, which is 2^38 rows
    return assay::launch(rmsnorm_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
                         static_cast<scalar_t *>(args->out), args->rows, args->length,
                         args->length + args->row_padding, static_cast<float>(args->eps));
}
