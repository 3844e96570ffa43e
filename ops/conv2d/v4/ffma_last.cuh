// f32 convolution with channels last at full accuracy: the implicit GEMM of ffma.cuh, another gathering.
//
// The terms of a position, taps first and channels inside, lie side by side in x. So neighbouring threads copy
// neighbouring terms of a position, where ffma.cuh has them copy neighbouring positions of a term. In shared
// memory terms are rows as before; rows are padded by 16 bytes, so that a warp's copies fall into different
// banks, and reads along positions stay aligned. Where a tile's positions lie in the image is worked out once
// and kept in shared memory. A thread's sums of four neighbouring channels are a 16-byte store.
#ifndef ASSAY_OPS_CONV2D_V4_FFMA_LAST_CUH
#define ASSAY_OPS_CONV2D_V4_FFMA_LAST_CUH

#include "ffma.cuh"

template <class C>
struct ffma_last_layout {
    static constexpr int PITCH = C::BN + 4, STAGE_FLOATS = C::BK * (C::BM + PITCH);
    static constexpr int PLACE_FLOATS = C::BN * 4; // {image, row, column, -} of a position's first tap
    static constexpr int PIPELINE_FLOATS = C::STAGES * STAGE_FLOATS;
    static constexpr int SHARED_BYTES =
        4 * (PLACE_FLOATS + (PIPELINE_FLOATS > C::REDUCE_FLOATS ? PIPELINE_FLOATS : C::REDUCE_FLOATS));
    static constexpr int ROWS = C::THREADS / C::BK; // positions that one copy by all threads covers
    static_assert(C::THREADS % C::BK == 0 && C::BN % ROWS == 0, "copies divide evenly");
};

template <class C>
static __device__ __forceinline__ void find_places(int *places, const conv_shape &s, int tile_n)
{
    for (int i = (int)threadIdx.x; i < C::BN; i += C::THREADS) {
        const bool exists = tile_n + i < s.positions;
        const conv_origin origin = origin_of(s, exists ? tile_n + i : 0);
        places[i * 4] = origin.n;
        places[i * 4 + 1] = exists ? origin.h : INT32_MIN / 2; // outside for every tap
        places[i * 4 + 2] = origin.w;
    }
}

// One thread's term of the next tile.
struct term_at {
    int r, s, c;

    __device__ __forceinline__ void advance(const conv_shape &shape, int terms)
    {
        for (c += terms; c >= shape.group_c && r < shape.r; c -= shape.group_c)
            if (++s == shape.s)
                s = 0, r++;
    }
};

template <class C>
static __device__ __forceinline__ void copy_weight_terms(float *stage, const float *packed,
                                                         weight_column &weight, int padded_k)
{
    float *to = stage + (int)threadIdx.x * 4;
#pragma unroll
    for (int i = 0; i < C::BK; i += C::ROWS_M, weight.from += (int64_t)C::ROWS_M * padded_k) {
        const bool inside = i < weight.terms;
        assay::cp_async_16(to + i * C::BM, inside ? weight.from : packed, inside ? 16 : 0);
    }
    weight.terms -= C::BK;
}

// `x`: the group's first channel. The address of a copy that reads nothing must still be valid.
template <class C>
static __device__ __forceinline__ void copy_image_terms(float *stage, const float *x, const int *places,
                                                        const term_at &term, const conv_shape &s)
{
    using layout = ffma_last_layout<C>;
    const int row = (int)threadIdx.x % C::BK, first = (int)threadIdx.x / C::BK;
    const int down = term.r * s.dilation, right = term.s * s.dilation_w;
#pragma unroll 4
    for (int i = first; i < C::BN; i += layout::ROWS) {
        const assay::vec<int, 4> place = assay::load_vec<4>(places + i * 4);
        const int h = place[1] + down, w = place[2] + right;
        const bool inside = term.r < s.r && is_inside(s, h, w);
        const int64_t at = (((int64_t)place[0] * s.h + h) * s.w + w) * s.c + term.c;
        assay::cp_async_4(stage + C::BK * C::BM + row * layout::PITCH + i, inside ? x + at : x,
                          inside ? 4 : 0);
    }
}

template <class C>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_ffma_last(const float *x, const float *packed, const float *bias, float *out, const conv_shape s,
                     int padded_k, int tiles_m)
{
    using layout = ffma_last_layout<C>;
    ASSAY_DYNAMIC_SHARED(float, shared);
    int *places = reinterpret_cast<int *>(shared);
    float *stages = shared + layout::PLACE_FLOATS;
    const int group = blockIdx.y, first_k = (int)blockIdx.x % tiles_m * C::BM,
              tile_n = (int)blockIdx.x / tiles_m * C::BN;
    const int slice = (int)threadIdx.x / C::SLICE_THREADS, t = (int)threadIdx.x % C::SLICE_THREADS;
    const tile_place at = place_in_tile<C>(t);
    const int terms = s.r * s.s * s.group_c, tiles_k = (terms + C::BK - 1) / C::BK;
    packed += (int64_t)group * terms * padded_k;
    x += group * s.group_c;
    const int chunk = first_k + (int)threadIdx.x % (C::BM / 4) * 4, line = (int)threadIdx.x / (C::BM / 4);
    weight_column weight = {packed + (int64_t)line * padded_k + chunk, chunk < padded_k ? terms - line : 0};
    term_at term = {0, 0, 0};
    if (s.group_c > 0)
        term.advance(s, (int)threadIdx.x % C::BK);
    find_places<C>(places, s, tile_n);
    __syncthreads();
    const auto bring = [&](int tile_k, int stage) {
        if (tile_k < tiles_k) {
            float *to = stages + stage * layout::STAGE_FLOATS;
            copy_weight_terms<C>(to, packed, weight, padded_k);
            copy_image_terms<C>(to, x, places, term, s);
            term.advance(s, C::BK);
        }
        assay::cp_async_commit(); // also an empty group, so that groups can be counted
    };

    for (int i = 0; i < C::STAGES - 1; i++)
        bring(i, i);
    float sums[C::TM][C::TN] = {};
    for (int tile_k = 0, stage = 0; tile_k < tiles_k; tile_k++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // this tile has landed, and nobody reads the one before it any more
        bring(tile_k + C::STAGES - 1, stage == 0 ? C::STAGES - 1 : stage - 1);
        const float *from = stages + stage * layout::STAGE_FLOATS;
        multiply_terms<C, layout::PITCH>(sums, from + slice * C::STEPS * C::BM + at.row,
                                         from + C::BK * C::BM + slice * C::STEPS * layout::PITCH + at.column);
        stage = stage + 1 == C::STAGES ? 0 : stage + 1;
    }
    if (C::SLICES > 1)
        add_slices<C>(sums, stages, slice, t);
    if (slice > 0)
        return;

    const bool fours = s.group_k % 4 == 0; // four channels side by side are 16-byte aligned
#pragma unroll
    for (int i = 0; i < C::TM; i += 4) {
        const int k = first_k + at.row + i / 4 * 16, channel = group * s.group_k + k;
        float b[4];
#pragma unroll
        for (int l = 0; l < 4; l++)
            b[l] = k + l < s.group_k ? bias[channel + l] : 0.0f;
#pragma unroll
        for (int j = 0; j < C::TN; j++) {
            const int position = tile_n + at.column + j / 4 * 32 + j % 4;
            if (position >= s.positions)
                continue;
            float *to = out + (int64_t)position * s.k + channel;
            if (fours && k < s.group_k)
                assay::store_vec(to, assay::vec<float, 4>{{sums[i][j] + b[0], sums[i + 1][j] + b[1],
                                                           sums[i + 2][j] + b[2], sums[i + 3][j] + b[3]}});
#pragma unroll
            for (int l = 0; l < 4; l++)
                if (!fours && k + l < s.group_k)
                    to[l] = sums[i + l][j] + b[l];
        }
    }
}

template <class C>
static assay_status ffma_last_launch(const conv2d_args &args, const conv_shape &s, int padded_k,
                                     assay_stream stream)
{
    const int64_t tiles_m = (s.group_k + C::BM - 1) / C::BM, tiles_n = (s.positions + C::BN - 1) / C::BN;
    if (tiles_m > INT32_MAX / tiles_n || s.groups > 65535)
        return ASSAY_ERR_UNSUPPORTED;
    return assay::launch(conv2d_ffma_last<C>, dim3((unsigned)(tiles_m * tiles_n), (unsigned)s.groups),
                         dim3(C::THREADS), ffma_last_layout<C>::SHARED_BYTES, stream,
                         static_cast<const float *>(args.x), static_cast<const float *>(args.workspace),
                         static_cast<const float *>(args.bias), static_cast<float *>(args.out), s, padded_k,
                         (int)tiles_m);
}

#endif
