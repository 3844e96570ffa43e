// conv2d, step 1: one thread an output element.
//
// The direct translation: a thread adds x * weight over the channels of its group and the filter's taps.
// Neighbouring threads compute neighbouring elements of out. With channels first these are neighbouring
// columns: for stride 1 the loads of x are mostly coalesced and a warp shares its weights. With channels last
// they are output channels of one position: a warp shares its elements of x, and its weights lie a whole
// filter apart.
// Expected effect: two loads an FMA, all from caches; every element of x is loaded once for every output
// channel and tap. A few percent of the arithmetic peak for f32, and the same rate for 2-byte types, whose
// tensor cores stay unused.
// Tunables: none.
#include <assay/kernel.h>
#include "conv2d.h"

// LAST: the layout is channels last. i counts (n, p, q, k) then, else (n, k, p, q).
template <bool LAST>
static __global__ void conv2d_v1(const conv2d_args a, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int64_t positions = a.p * a.q, n = i / (a.k * positions), in_image = i % (a.k * positions);
    const int64_t k = LAST ? in_image % a.k : in_image / positions;
    const int64_t position = LAST ? in_image / a.k : in_image % positions;
    const int64_t q = position % a.q, p = position / a.q;

    const int64_t inputs = a.c / a.groups, first_c = k / (a.k / a.groups) * inputs;
    const int64_t x_c = LAST ? 1 : a.h * a.w, x_w = LAST ? a.c : 1;              // strides of x
    const int64_t weight_c = LAST ? 1 : a.r * a.s, weight_s = LAST ? inputs : 1; // and of weight
    const scalar_t *x = static_cast<const scalar_t *>(a.x) + n * a.c * a.h * a.w + first_c * x_c;
    const scalar_t *weight = static_cast<const scalar_t *>(a.weight) + k * inputs * a.r * a.s;
    float sum = 0.0f;
    for (int64_t c = 0; c < inputs; c++)
        for (int64_t r = 0; r < a.r; r++)
            for (int64_t s = 0; s < a.s; s++) {
                const int64_t h = p * a.stride - a.padding + r * a.dilation;
                const int64_t w = q * a.stride_w - a.padding_w + s * a.dilation_w;
                const bool inside = h >= 0 && h < a.h && w >= 0 && w < a.w;
                const float element = inside ? assay::to_float(x[c * x_c + (h * a.w + w) * x_w]) : 0.0f;
                sum += element * assay::to_float(weight[c * weight_c + (r * a.s + s) * weight_s]);
            }
    const float bias = assay::to_float(static_cast<const scalar_t *>(a.bias)[k]);
    static_cast<scalar_t *>(a.out)[i] = assay::from_float<scalar_t>(sum + bias);
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    const int64_t count = args->n * args->k * args->p * args->q;
    if (count == 0)
        return ASSAY_OK;
    const int threads = 256;
    const int64_t blocks = (count + threads - 1) / threads; // up to 2^31 - 1, which is 2^39 elements
    return assay::launch(args->channels_last ? conv2d_v1<true> : conv2d_v1<false>, dim3((unsigned)blocks),
                         dim3(threads), 0, stream, *args, count);
}
