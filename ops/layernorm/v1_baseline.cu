// layernorm, step 1: one thread a row.
//
// The definition: a pass for the mean, one for the squared distances from it, one that writes. In the first
// pass elements are taken relative to the first one of their row, so that a large mean does not use up the
// digits of a float; from then on relative to the mean found, so that an outlier in the first place does not
// either (distances.h). Neighbouring threads work on neighbouring rows, so the lanes of a warp stand a whole
// row apart and every load touches 32 cache lines.
// Expected effect: a few percent of the bandwidth. 256 rows are 256 threads, two multiprocessors of 132, and
// each waits out the memory latency of every element three times.
// Tunables: none.
#include <assay/kernel.h>
#include "../common/overflow.h"
#include "../common/sum_in_parts.h"
#include "distances.h"
#include "layernorm.h"

static __global__ void layernorm_v1(const scalar_t *x, const scalar_t *weight, const scalar_t *bias,
                                    scalar_t *out, int64_t rows, int64_t length, int64_t stride, float eps)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    x += row * stride;
    out += row * length;
    float scale = 1.0f, pivot, mean, variance; // mean is relative to the pivot
    const auto relative = [&](int64_t i) { return assay::to_float(x[i]) * scale - pivot; };
    for (;; scale = SCALED_DOWN) {
        pivot = assay::to_float(x[0]) * scale;
        pivot += sum_in_parts(length, relative) / (float)length;
        const distances sums =
            sum_in_parts<distances>(length, [&](int64_t i) { return distance_of(relative(i)); });
        mean = sums.sum / (float)length;
        variance = sums.squares / (float)length - mean * mean;
        if (is_finite(variance) || scale == SCALED_DOWN)
            break;
    }
    const float factor = rsqrtf((variance < 0.0f ? 0.0f : variance) + eps * scale * scale);
    for (int64_t i = 0; i < length; i++)
        out[i] = assay::from_float<scalar_t>(
            fmaf((relative(i) - mean) * factor, assay::to_float(weight[i]), assay::to_float(bias[i])));
}

extern "C" assay_status layernorm_run(const layernorm_args *args, assay_stream stream)
{
    if (args->rows == 0 || args->length == 0)
        return ASSAY_OK;
    const int threads = 128;
    const int64_t blocks = (args->rows + threads - 1) / threads; // up to 2^31 - 1, which is 2^38 rows
    return assay::launch(layernorm_v1, dim3((unsigned)blocks), dim3(threads), 0, stream,
                         static_cast<const scalar_t *>(args->x), static_cast<const scalar_t *>(args->weight),
                         static_cast<const scalar_t *>(args->bias), static_cast<scalar_t *>(args->out),
                         args->rows, args->length, args->length + args->row_padding,
                         static_cast<float>(args->eps));
}
