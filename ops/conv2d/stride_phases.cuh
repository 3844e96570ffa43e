// Strides that TMA does not offer (above 8): x is copied so that the pixels which a stride picks are
// neighbours.
//
// A tap sees the pixels h = p * stride + offset. Those of one offset modulo the stride are a phase: in the
// copy each phase is an image of its own, [phase of h][phase of w][n][group][h / stride][w / stride][c], c
// padded with zeros to whole chunks of 8. The window of a tap is then a box of neighbours, as with stride 1.
// Taps r and r + stride share a phase, so there are min(r, stride) of them along h, likewise along w. Phases
// that no tap sees are not copied.
#ifndef ASSAY_OPS_CONV2D_STRIDE_PHASES_CUH
#define ASSAY_OPS_CONV2D_STRIDE_PHASES_CUH

#include "conv_shape.cuh"

struct stride_phases {
    int stride, stride_w; // of the window in the copy, or in x where nothing is copied
    int h, w;             // size of an image, of the copy or of x
    int down, across;     // phases along h and along w; 1 and 1 where nothing is copied
    int images;           // n * groups: from one phase to the next
    bool copied;
};

static inline stride_phases stride_phases_of(const conv_shape &s)
{
    const int images = s.n * s.groups;
    if (!conv2d_needs_phases(s.stride, s.stride_w))
        return {s.stride, s.stride_w, s.h, s.w, 1, 1, images, false};
    return {1,
            1,
            (int)conv2d_phase_pixels(s.h, s.stride),
            (int)conv2d_phase_pixels(s.w, s.stride_w),
            (int)conv2d_phases(s.r, s.stride),
            (int)conv2d_phases(s.s, s.stride_w),
            images,
            true};
}

// floor(a / b), and what remains, for b > 0.
static __host__ __device__ __forceinline__ int floor_divide(int a, int b)
{
    return a / b - (a % b < 0);
}
static __host__ __device__ __forceinline__ int floor_rest(int a, int b)
{
    return a - floor_divide(a, b) * b;
}

// Where a tap's window begins for output position 0: row and column, and the phase's first image.
struct window_start {
    int h, w, image;
};
static __device__ __forceinline__ window_start window_start_of(const conv_shape &s, const stride_phases &f,
                                                               int r, int t)
{
    const int h = r * s.dilation - s.padding, w = t * s.dilation_w - s.padding_w;
    if (!f.copied)
        return {h, w, 0};
    return {floor_divide(h, s.stride), floor_divide(w, s.stride_w),
            (r % s.stride * f.across + t % s.stride_w) * f.images};
}

constexpr int PHASE_THREADS = 256;

// One chunk of 8 channels a thread, in the order of the copy.
static __global__ void __launch_bounds__(PHASE_THREADS)
    conv2d_copy_phases(const scalar_t *x, scalar_t *to, const conv_shape s, const stride_phases f, int chunks,
                       int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * PHASE_THREADS + threadIdx.x;
    if (i >= count)
        return;
    int64_t rest = i / chunks;
    const int chunk = (int)(i % chunks), column = (int)(rest % f.w);
    const int row = (int)((rest /= f.w) % f.h), group = (int)((rest /= f.h) % s.groups);
    const int64_t image = (rest /= s.groups) % s.n;
    const int t = (int)((rest /= s.n) % f.across), r = (int)(rest / f.across);
    const int h = row * s.stride + floor_rest(r * s.dilation - s.padding, s.stride),
              w = column * s.stride_w + floor_rest(t * s.dilation_w - s.padding_w, s.stride_w);
    const int64_t plane = (int64_t)s.h * s.w, pixel = (int64_t)h * s.w + w;
    const int64_t channel = group * s.group_c + chunk * 8;
    x += s.channels_last ? (image * plane + pixel) * s.c + channel : (image * s.c + channel) * plane + pixel;
    const int64_t step = s.channels_last ? 1 : plane;
    const bool inside = is_inside(s, h, w);
    assay::vec<scalar_t, 8> packed;
#pragma unroll
    for (int c = 0; c < 8; c++)
        packed[c] = inside && chunk * 8 + c < s.group_c ? x[c * step] : assay::from_float<scalar_t>(0.0f);
    assay::store_vec(to + i * 8, packed);
}

static inline assay_status copy_phases(const conv2d_args &args, const conv_shape &s, const stride_phases &f,
                                       int chunks, scalar_t *to, assay_stream stream)
{
    const int64_t count = (int64_t)f.down * f.across * f.images * f.h * f.w * chunks,
                  blocks = (count + PHASE_THREADS - 1) / PHASE_THREADS;
    if (blocks > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    return blocks == 0
               ? ASSAY_OK
               : assay::launch(conv2d_copy_phases, dim3((unsigned)blocks), dim3(PHASE_THREADS), 0, stream,
                               static_cast<const scalar_t *>(args.x), to, s, f, chunks, count);
}

#endif
