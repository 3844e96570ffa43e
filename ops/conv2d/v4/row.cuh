// f16 and bf16 convolution of few positions by 3x3 filters that keep the image's size: a row of the image a
// block, in one launch.
//
// Where tiles are few, the time is what passes between a launch and its first product. So nothing is packed:
// a block copies three rows of x and the filters of 16 channels as they lie, all at once. Its warps share the
// input channels out, 16 at a time, and their sums are added at the end. ldmatrix transposes x, whose
// positions lie along rows, for mma.sync. ldmatrix cannot shift x by a column; instead there are sums for
// each column of the filter, which are shifted. The filters' taps are taken apart in registers: two
// neighbouring channels have 18 values in 9 words, from which a pair for every tap is put together.
#ifndef ASSAY_OPS_CONV2D_V4_ROW_CUH
#define ASSAY_OPS_CONV2D_V4_ROW_CUH

#include "../conv_shape.cuh"
#include <cstring>

template <int PIECES_, int WARPS_>
struct row_config {
    static constexpr int PIECES = PIECES_, WARPS = WARPS_, THREADS = 32 * WARPS,
                         BM = 16; // pieces of 8 positions
    static constexpr int POSITIONS = 8 * PIECES;
    static constexpr int ROW =
        POSITIONS + 8; // elements of a channel's row in shared memory; the 8 spread rows over the banks
    static constexpr int LDS = POSITIONS + 4; // of sums
    static constexpr int SUM_BYTES = WARPS * BM * LDS * 4;
};

// Bytes between two filters in shared memory: 16 more than a multiple of 128, which spreads them over the
// banks.
static __host__ __device__ __forceinline__ int filter_pitch(int group_c)
{
    return (group_c * 18 + 111) / 128 * 128 + 16;
}

template <class C>
static __device__ __forceinline__ void bring_row(unsigned char *filters, scalar_t *rows, const scalar_t *x,
                                                 const scalar_t *weight, const conv_shape &s, int h,
                                                 int channels)
{
    const int each = s.group_c * 18 / 16, pitch = filter_pitch(s.group_c), across = s.w / 8;
    for (int i = threadIdx.x; i < C::BM * each; i += C::THREADS) {
        const int k = i / each, piece = i % each;
        assay::cp_async_16(filters + k * pitch + piece * 16,
                           weight + (k < channels ? (int64_t)k * s.group_c * 9 + piece * 8 : 0),
                           k < channels ? 16 : 0);
    }
    for (int i = threadIdx.x; i < 3 * s.group_c * across; i += C::THREADS) {
        const int piece = i % across, c = i / across % s.group_c, r = i / across / s.group_c, at = h + r - 1;
        const bool inside = (unsigned)at < (unsigned)s.h;
        assay::cp_async_16(rows + (r * s.group_c + c) * C::ROW + piece * 8,
                           inside ? x + ((int64_t)c * s.h + at) * s.w + piece * 8 : x, inside ? 16 : 0);
    }
    assay::cp_async_commit();
    assay::cp_async_wait<0>();
    __syncthreads();
}

// The pairs of two neighbouring channels for every tap.
static __device__ __forceinline__ void take_apart(uint32_t (&pair)[9][4], int i, const unsigned char *filter)
{
    uint32_t words[9];
#pragma unroll
    for (int w = 0; w < 9; w++)
        words[w] = reinterpret_cast<const uint32_t *>(filter)[w];
#pragma unroll
    for (int tap = 0; tap < 9; tap++) {
        const uint32_t first = words[tap / 2], second = words[(9 + tap) / 2];
        pair[tap][i] = tap % 2 == 0 ? (first & 0xffffu) | (second & 0xffff0000u) : first >> 16 | second << 16;
    }
}

// out[q] = left of sums[0] + sums[1] + right of sums[2], where a thread has two neighbouring positions of two
// channels. `pads`: what padding adds left and right.
template <class C>
static __device__ __forceinline__ void add_shifted(float *to, const float (&sums)[3][C::PIECES][4],
                                                   const float (&pads)[2][4], int width)
{
    const int lane = threadIdx.x % 32, to_left = (lane & ~3) | ((lane + 3) & 3),
              to_right = (lane & ~3) | ((lane + 1) & 3);
#pragma unroll
    for (int part = 0; part < 2; part++) {
        float left_before = 0.0f, right = __shfl_sync(0xffffffffu, sums[2][0][part * 2], to_right);
#pragma unroll
        for (int j = 0; j < C::PIECES; j++) {
            const int at = part * 2, q = j * 8 + lane % 4 * 2;
            const float left_here = __shfl_sync(0xffffffffu, sums[0][j][at + 1], to_left),
                        right_next =
                            __shfl_sync(0xffffffffu, sums[2][j + 1 < C::PIECES ? j + 1 : j][at], to_right);
            const float left = q == 0          ? pads[0][at]
                               : lane % 4 == 0 ? left_before
                                               : left_here,
                        after = q + 2 == width  ? pads[1][at]
                                : lane % 4 == 3 ? right_next
                                                : right;
            assay::store_vec(to + (lane / 4 + part * 8) * C::LDS + q,
                             assay::vec<float, 2>{{left + sums[1][j][at] + sums[2][j][at + 1],
                                                   sums[0][j][at] + sums[1][j][at + 1] + after}});
            left_before = left_here, right = right_next;
        }
    }
}

template <class C>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_row(const scalar_t *x, const scalar_t *weight, const scalar_t *bias, scalar_t *out,
               const conv_shape s, int tiles_m)
{
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    const int first_k = (int)blockIdx.x % tiles_m * C::BM, h = (int)blockIdx.x / tiles_m % s.h,
              group = (int)blockIdx.x / tiles_m / s.h % s.groups,
              n = (int)blockIdx.x / tiles_m / s.h / s.groups;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pitch = filter_pitch(s.group_c);
    const int channels = s.group_k - first_k, k0 = group * s.group_k + first_k;
    float *partial = reinterpret_cast<float *>(shared);
    unsigned char *filters = shared + C::SUM_BYTES;
    scalar_t *rows = reinterpret_cast<scalar_t *>(filters + C::BM * pitch);
    bring_row<C>(filters, rows, x + ((int64_t)n * s.c + group * s.group_c) * s.h * s.w,
                 weight + (int64_t)k0 * s.group_c * 9, s, h, channels);

    float sums[3][C::PIECES][4] = {}, pads[2][4] = {};
    for (int c = warp * 16; c < s.group_c; c += C::WARPS * 16) {
        uint32_t a[9][4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            take_apart(a, i, filters + (lane / 4 + i % 2 * 8) * pitch + (c + lane % 4 * 2 + i / 2 * 8) * 18);
#pragma unroll
        for (int r = 0; r < 3; r++) {
#pragma unroll
            for (int j = 0; j < C::PIECES; j += 2) {
                uint32_t b[2][2];
                assay::ldmatrix_x4_trans(b[0], rows + (r * s.group_c + c + lane % 16) * C::ROW +
                                                   (j + lane / 16) * 8);
#pragma unroll
                for (int column = 0; column < 3; column++)
#pragma unroll
                    for (int i = 0; i < 2; i++)
                        assay::mma_m16n8k16<scalar_t>(sums[column][j + i], a[r * 3 + column], b[i],
                                                      sums[column][j + i]);
            }
            const uint32_t zeros[2] = {};
            assay::mma_m16n8k16<scalar_t>(pads[0], a[r * 3], zeros, pads[0]);
            assay::mma_m16n8k16<scalar_t>(pads[1], a[r * 3 + 2], zeros, pads[1]);
        }
    }
    add_shifted<C>(partial + warp * C::BM * C::LDS, sums, pads, s.w);
    __syncthreads();
    for (int i = threadIdx.x; i < C::BM * C::POSITIONS / 4; i += C::THREADS) {
        const int k = i / (C::POSITIONS / 4), q = i % (C::POSITIONS / 4) * 4;
        if (k >= channels || q >= s.w)
            continue;
        const float b = assay::to_float(bias[k0 + k]);
        float sum[4] = {b, b, b, b};
#pragma unroll
        for (int w = 0; w < C::WARPS; w++) {
            const assay::vec<float, 4> v = assay::load_vec<4>(partial + (w * C::BM + k) * C::LDS + q);
            sum[0] += v[0], sum[1] += v[1], sum[2] += v[2], sum[3] += v[3];
        }
        assay::store_vec(out + (((int64_t)n * s.k + k0 + k) * s.h + h) * s.w + q,
                         assay::vec<scalar_t, 4>{
                             {assay::from_float<scalar_t>(sum[0]), assay::from_float<scalar_t>(sum[1]),
                              assay::from_float<scalar_t>(sum[2]), assay::from_float<scalar_t>(sum[3])}});
    }
}

constexpr int64_t ROW_SHARED_LIMIT = 98304; // what devices since sm_80 have

template <class C>
static int64_t row_shared_bytes(const conv_shape &s)
{
    return C::SUM_BYTES + C::BM * (int64_t)filter_pitch(s.group_c) + 3 * (int64_t)s.group_c * C::ROW * 2;
}

static int64_t row_blocks(const conv_shape &s)
{
    return (int64_t)s.n * s.groups * s.h * ((s.group_k + 15) / 16);
}

// Whether rows and filters can be copied as they lie and the positions are few.
static bool row_fits(const conv2d_args &args, const conv_shape &s)
{
    return s.r == 3 && s.s == 3 && s.stride == 1 && s.padding == 1 && s.dilation == 1 && !s.by_direction &&
           s.w % 8 == 0 && s.w <= 64 && s.group_c % 16 == 0 && s.group_c > 0 && s.group_c <= 1024 &&
           row_shared_bytes<row_config<8, 8>>(s) <= ROW_SHARED_LIMIT &&
           ((uintptr_t)args.x | (uintptr_t)args.weight | (uintptr_t)args.out) % 16 == 0 &&
           row_blocks(s) <= 4 * assay::multiprocessor_count();
}

template <class C>
static assay_status row_launch(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    return assay::launch(conv2d_row<C>, dim3((unsigned)row_blocks(s)), dim3(C::THREADS),
                         (size_t)row_shared_bytes<C>(s), stream, static_cast<const scalar_t *>(args.x),
                         static_cast<const scalar_t *>(args.weight), static_cast<const scalar_t *>(args.bias),
                         static_cast<scalar_t *>(args.out), s, (s.group_k + 15) / 16);
}

static assay_status row_run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    if (s.w <= 32)
        return s.group_c < 128 ? row_launch<row_config<4, 4>>(args, s, stream)
                               : row_launch<row_config<4, 8>>(args, s, stream);
    return s.group_c < 128 ? row_launch<row_config<8, 4>>(args, s, stream)
                           : row_launch<row_config<8, 8>>(args, s, stream);
}

#endif
