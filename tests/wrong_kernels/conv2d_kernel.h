// A convolution with one thread an output, for kernels that are wrong in one place: DILATION, STRIDE, what counts along w, the tap that a weight meets, the
// group of an output, the bias.
#include <assay/kernel.h>
#include "conv2d.h"

#ifndef STRIDE
#define STRIDE(args) (args).stride
#endif
#ifndef DILATION
#define DILATION(args) (args).dilation
#endif
#ifndef STRIDE_W
#define STRIDE_W(args) (args).stride_w
#endif
#ifndef PADDING_W
#define PADDING_W(args) (args).padding_w
#endif
#ifndef DILATION_W
#define DILATION_W(args) (args).dilation_w
#endif
#ifndef TAP
#define TAP(i, n) (i)
#endif
#ifndef GROUP
#define GROUP(k, args) ((k) / ((args).k / (args).groups))
#endif
#ifndef BIAS
#define BIAS(args, k) assay::to_float(((const scalar_t *)(args).bias)[k])
#endif

static __global__ void conv2d_kernel(conv2d_args args)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= args.n * args.k * args.p * args.q)
        return;
    const bool last = args.channels_last != 0;
    const int64_t k = last ? at % args.k : at / (args.p * args.q) % args.k,
                  q = last ? at / args.k % args.q : at % args.q,
                  p = last ? at / args.k / args.q % args.p : at / args.q % args.p,
                  n = at / (args.k * args.p * args.q), channels = args.c / args.groups;
    const scalar_t *x = (const scalar_t *)args.x, *weight = (const scalar_t *)args.weight;
    double sum = (double)BIAS(args, k);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t r = 0; r < args.r; r++)
            for (int64_t s = 0; s < args.s; s++) {
                const int64_t h = p * STRIDE(args) - args.padding + r * DILATION(args),
                              w = q * STRIDE_W(args) - PADDING_W(args) + s * DILATION_W(args),
                              channel = GROUP(k, args) * channels + c, tap_r = TAP(r, args.r),
                              tap_s = TAP(s, args.s);
                if (h < 0 || h >= args.h || w < 0 || w >= args.w)
                    continue;
                const int64_t from = last ? ((n * args.h + h) * args.w + w) * args.c + channel
                                          : ((n * args.c + channel) * args.h + h) * args.w + w;
                const int64_t by = last ? ((k * args.r + tap_r) * args.s + tap_s) * channels + c
                                        : ((k * channels + c) * args.r + tap_r) * args.s + tap_s;
                sum += (double)assay::to_float(x[from]) * (double)assay::to_float(weight[by]);
            }
    ((scalar_t *)args.out)[at] = assay::from_float<scalar_t>((float)sum);
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    const int64_t count = args->n * args->k * args->p * args->q;
    if (count == 0)
        return ASSAY_OK;
    return assay::launch(conv2d_kernel, dim3((unsigned)((count + 127) / 128)), dim3(128), 0, stream, *args);
}
