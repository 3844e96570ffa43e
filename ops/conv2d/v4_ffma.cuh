// f32 convolution at full accuracy: implicit GEMM with tiles in shared memory and TM x TN sums a thread in registers.
//
// Rows are output channels, columns places (n, p, q), terms go through the taps and then the channels. The weights come from the
// workspace, where pack_weights() has laid the channels of one term side by side: 16-byte copies. x is gathered as it lies,
// four bytes a cp.async, a place a thread and neighbouring places on neighbouring lanes; inside a tap the next channel
// is one plane on, so the place in the image is looked up once a tap, and the copy fills in the padding's zeros.
#ifndef ASSAY_OPS_CONV2D_V4_FFMA_CUH
#define ASSAY_OPS_CONV2D_V4_FFMA_CUH

#include "direct.cuh"

template <int BM_, int BN_, int TM_, int TN_, int STAGES_>
struct ffma_config {
    static constexpr int BM = BM_, BN = BN_, BK = 16, TM = TM_, TN = TN_, STAGES = STAGES_;
    static constexpr int WM = 4 * TM, WN = 8 * TN; // of a warp: lanes stand 4 down and 8 across
    static constexpr int WARPS_N = BN / WN, THREADS = 32 * (BM / WM) * WARPS_N;
    static constexpr int STAGE_FLOATS = BK * (BM + BN), SHARED_BYTES = STAGES * STAGE_FLOATS * 4;
    static constexpr int ROWS_M = THREADS / (BM / 4),
                         ROWS_N = THREADS / BN; // that one copy by all threads covers
    static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % ROWS_M == 0 && ROWS_N >= 1 && BK % ROWS_N == 0,
                  "see the loops below");
};

// One thread's column of x: its place, and the next term it will copy.
struct image_column {
    const float *image, *from; // the group's first channel; the next element
    int h, w, r, s, c;
    bool has_place, inside;

    __device__ __forceinline__ void enter_tap(const conv_shape &shape)
    {
        const int at_h = h + r * shape.dilation, at_w = w + s * shape.dilation;
        inside = has_place && r < shape.r && is_inside(shape, at_h, at_w);
        from = image + (inside ? ((int64_t)c * shape.h + at_h) * shape.w + at_w : 0);
    }
    __device__ __forceinline__ void start(const float *x, const conv_shape &shape, int group, int position,
                                          int term)
    {
        has_place = position < shape.positions;
        const conv_place place = place_of(shape, has_place ? position : 0);
        image = x + ((int64_t)place.n * shape.c + group * shape.group_c) * shape.h * shape.w;
        h = place.h, w = place.w;
        c = r = s = 0;
        enter_tap(shape);
        advance(shape, term);
    }
    __device__ __forceinline__ void advance(const conv_shape &shape, int terms)
    {
        c += terms;
        if (c < shape.group_c) {
            if (inside)
                from += (int64_t)terms * shape.h * shape.w;
            return;
        }
        while (c >= shape.group_c && r < shape.r) {
            c -= shape.group_c;
            if (++s == shape.s)
                s = 0, r++;
        }
        enter_tap(shape);
    }
};

template <class C>
static __device__ __forceinline__ void copy_tile(float *stage, const float *weight, int first_k, int padded_k,
                                                 int terms, int tile_k, image_column &column,
                                                 const conv_shape &s)
{
    const int t = threadIdx.x, chunk = t % (C::BM / 4) * 4, row = t / (C::BM / 4);
#pragma unroll
    for (int i = 0; i < C::BK; i += C::ROWS_M) {
        const int term = tile_k * C::BK + row + i;
        const bool inside = term < terms && first_k + chunk < padded_k;
        assay::cp_async_16(stage + (row + i) * C::BM + chunk,
                           inside ? weight + (int64_t)term * padded_k + first_k + chunk : weight,
                           inside ? 16 : 0);
    }
    float *to = stage + C::BK * C::BM + t / C::BN * C::BN + t % C::BN;
#pragma unroll
    for (int i = 0; i < C::BK; i += C::ROWS_N) {
        assay::cp_async_4(to + i * C::BN, column.from, column.inside ? 4 : 0);
        column.advance(s, C::ROWS_N);
    }
}

// COUNT values in fours, the fours `apart` elements from each other.
template <int COUNT>
static __device__ __forceinline__ void read_fours(float (&to)[COUNT], const float *from, int apart)
{
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        const assay::vec<float, 4> v = assay::load_vec<4>(from + i / 4 * apart);
        to[i] = v[0], to[i + 1] = v[1], to[i + 2] = v[2], to[i + 3] = v[3];
    }
}

template <class C>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_ffma(const float *x, const float *packed, const float *bias, float *out, const conv_shape s,
                int padded_k, int tiles_m)
{
    ASSAY_DYNAMIC_SHARED(float, ring);
    const int group = blockIdx.y, first_k = (int)blockIdx.x % tiles_m * C::BM,
              tile_n = (int)blockIdx.x / tiles_m * C::BN;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = warp / C::WARPS_N * C::WM + lane / 8 * 4,
              column = warp % C::WARPS_N * C::WN + lane % 8 * 4;
    const int terms = s.r * s.s * s.group_c, tiles_k = (terms + C::BK - 1) / C::BK;
    const float *weight = packed + (int64_t)group * terms * padded_k;
    image_column from;
    from.start(x, s, group, tile_n + (int)threadIdx.x % C::BN, (int)threadIdx.x / C::BN);
    const auto bring = [&](int tile_k) {
        if (tile_k < tiles_k)
            copy_tile<C>(ring + tile_k % C::STAGES * C::STAGE_FLOATS, weight, first_k, padded_k, terms,
                         tile_k, from, s);
        assay::cp_async_commit(); // also an empty group, so that groups can be counted
    };

    for (int i = 0; i < C::STAGES - 1; i++)
        bring(i);
    float sums[C::TM][C::TN] = {};
    for (int tile_k = 0; tile_k < tiles_k; tile_k++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // this tile has landed, and nobody reads the one before it any more
        bring(tile_k + C::STAGES - 1);
        const float *stage = ring + tile_k % C::STAGES * C::STAGE_FLOATS;
#pragma unroll
        for (int k = 0; k < C::BK; k++) {
            float a[C::TM], b[C::TN];
            read_fours(a, stage + k * C::BM + row, 16);
            read_fours(b, stage + C::BK * C::BM + k * C::BN + column, 32);
#pragma unroll
            for (int i = 0; i < C::TM; i++)
#pragma unroll
                for (int j = 0; j < C::TN; j++)
                    sums[i][j] += a[i] * b[j];
        }
    }

    const bool fours = s.p * s.q % 4 == 0; // four neighbouring places lie in one image, 16-byte aligned
#pragma unroll
    for (int i = 0; i < C::TM; i++) {
        const int k = first_k + row + i / 4 * 16 + i % 4, channel = group * s.group_k + k;
        if (k >= s.group_k)
            continue;
        const float b = bias[channel];
#pragma unroll
        for (int j = 0; j < C::TN; j += 4) {
            const int position = tile_n + column + j / 4 * 32;
            const float v[4] = {sums[i][j] + b, sums[i][j + 1] + b, sums[i][j + 2] + b, sums[i][j + 3] + b};
            if (fours && position < s.positions)
                assay::store_vec(out + output_offset(s, position, channel),
                                 assay::vec<float, 4>{{v[0], v[1], v[2], v[3]}});
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (!fours && position + l < s.positions)
                    out[output_offset(s, position + l, channel)] = v[l];
        }
    }
}

template <class C>
static assay_status ffma_launch(const conv2d_args &args, const conv_shape &s, int padded_k,
                                assay_stream stream)
{
    const int64_t tiles_m = (s.group_k + C::BM - 1) / C::BM, tiles_n = (s.positions + C::BN - 1) / C::BN;
    if (tiles_m > INT32_MAX / tiles_n || s.groups > 65535)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(conv2d_ffma<C>, dim3((unsigned)(tiles_m * tiles_n), (unsigned)s.groups),
                         dim3(C::THREADS), C::SHARED_BYTES, stream, static_cast<const float *>(args.x),
                         static_cast<const float *>(args.workspace), static_cast<const float *>(args.bias),
                         static_cast<float *>(args.out), s, padded_k, (int)tiles_m);
}

#endif
