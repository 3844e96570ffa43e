// f32 convolution at full accuracy: implicit GEMM with tiles in shared memory and TM x TN sums a thread in
// registers.
//
// Step 3a with these additions:
//   - The weights come from the workspace, where pack_weights() has laid the channels of one term side by
//     side: 16-byte copies.
//   - x is gathered as it lies, four bytes a cp.async, a position a thread. Terms go through the taps and
//     then the channels: inside a tap the next channel is one plane on, so the position in the image is
//     looked up once a tap.
//   - Every instruction that is no FFMA takes an issue slot from one, and gathering has most of the others.
//     Where a tile's BK terms lie within one tap (WHOLE), its copies are a plane apart, and nothing is tested
//     between them.
//   - The warps of a block may form SLICES groups that each take a part of every tile's terms and are summed
//     at the end, in order: warps enough where tiles are small and few.
// More than 128 registers a thread would halve the warps. A launch bound came with spills on sm_80, so the
// code keeps to them, and op.json's budget checks it.
#ifndef ASSAY_OPS_CONV2D_V4_FFMA_CUH
#define ASSAY_OPS_CONV2D_V4_FFMA_CUH

#include "../../common/add_slices.h"
#include "../direct.cuh"

template <int BM_, int BN_, int BK_, int TM_, int TN_, int SLICES_, int STAGES_>
struct ffma_config {
    static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_, SLICES = SLICES_, STAGES = STAGES_;
    static constexpr int WM = 4 * TM, WN = 8 * TN; // of a warp: lanes stand 4 down and 8 across
    static constexpr int WARPS_N = BN / WN, SLICE_THREADS = 32 * (BM / WM) * WARPS_N;
    static constexpr int THREADS = SLICES * SLICE_THREADS, STEPS = BK / SLICES; // terms of a slice in a tile
    static constexpr int STAGE_FLOATS = BK * (BM + BN), PIPELINE_FLOATS = STAGES * STAGE_FLOATS;
    static constexpr int REDUCE_FLOATS = (SLICES - 1) * SLICE_THREADS * TM * TN;
    static constexpr int SHARED_BYTES =
        (PIPELINE_FLOATS > REDUCE_FLOATS ? PIPELINE_FLOATS : REDUCE_FLOATS) * 4;
    static constexpr int ROWS_M = THREADS / (BM / 4),
                         ROWS_N = THREADS / BN; // that one copy by all threads covers
    static_assert(TM % 4 == 0 && TN % 4 == 0 && BK % ROWS_M == 0 && ROWS_N >= 1 && BK % ROWS_N == 0 &&
                      BK % SLICES == 0,
                  "see the loops below");
};

// One thread's column of x: its position, and the next term it will copy.
struct image_column {
    const float *image, *from; // the group's first channel; the next element
    int h, w, r, s, c;
    bool has_position, inside;

    __device__ __forceinline__ void enter_tap(const conv_shape &shape)
    {
        const int at_h = h + r * shape.dilation, at_w = w + s * shape.dilation_w;
        inside = has_position && r < shape.r && is_inside(shape, at_h, at_w);
        from = image + (inside ? ((int64_t)c * shape.h + at_h) * shape.w + at_w : 0);
    }
    __device__ __forceinline__ void start(const float *x, const conv_shape &shape, int group, int position,
                                          int term)
    {
        has_position = position < shape.positions;
        const conv_origin origin = origin_of(shape, has_position ? position : 0);
        image = x + ((int64_t)origin.n * shape.c + group * shape.group_c) * shape.h * shape.w;
        h = origin.h, w = origin.w;
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

// One thread's column of the weights: four channels side by side, and the terms left from the next one to
// copy on.
struct weight_column {
    const float *from;
    int terms; // 0 where the channels do not exist; WHOLE tiles leave none out and do not count them
};

// Start copying a tile's terms of both columns, and move on to the next tile's. The address of a copy that
// reads nothing must still be valid.
template <class C, bool WHOLE>
static __device__ __forceinline__ void copy_tile(float *stage, const float *packed, weight_column &weight,
                                                 int padded_k, image_column &column, const conv_shape &s,
                                                 int plane)
{
    const int t = threadIdx.x;
    float *to = stage + t * 4;
    const float *from = weight.from;
#pragma unroll
    for (int i = 0; i < C::BK; i += C::ROWS_M, from += (int64_t)C::ROWS_M * padded_k) {
        const bool inside = WHOLE ? weight.terms > 0 : i < weight.terms;
        assay::cp_async_16(to + i * C::BM, inside ? from : packed, inside ? 16 : 0);
    }
    weight.from = from;
    weight.terms -= WHOLE ? 0 : C::BK;
    to = stage + C::BK * C::BM + t;
    if constexpr (WHOLE) {
        from = column.from; // outside of the image that of the group's first channels, which are BK or more
#pragma unroll
        for (int i = 0; i < C::BK; i += C::ROWS_N, from += (int64_t)C::ROWS_N * plane)
            assay::cp_async_4(to + i * C::BN, from, column.inside ? 4 : 0);
        column.advance(s, C::BK);
    } else {
#pragma unroll
        for (int i = 0; i < C::BK; i += C::ROWS_N) {
            assay::cp_async_4(to + i * C::BN, column.from, column.inside ? 4 : 0);
            column.advance(s, C::ROWS_N);
        }
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

// A thread's first row (channel) and column (position) in the tile. `t`: the thread in its slice. A 16-byte
// read of shared memory takes two cycles instead of four where the lanes 1 or 2 apart read the same, so lanes
// that are 1 apart share their columns and lanes 2 apart their rows.
struct tile_place {
    int row, column;
};
template <class C>
static __device__ __forceinline__ tile_place place_in_tile(int t)
{
    const int warp = t / 32, lane = t % 32, lane_m = lane / 16 * 2 + lane % 2, lane_n = lane / 2 % 8;
    return {warp / C::WARPS_N * C::WM + lane_m * 4, warp % C::WARPS_N * C::WN + lane_n * 4};
}

// The products of a slice's terms of a tile. `a`, `b`: its first term at the thread's rows and columns.
template <class C, int PITCH>
static __device__ __forceinline__ void multiply_terms(float (&sums)[C::TM][C::TN], const float *a,
                                                      const float *b)
{
#pragma unroll
    for (int k = 0; k < C::STEPS; k++) {
        float left[C::TM], right[C::TN];
        read_fours(left, a + k * C::BM, 16);
        read_fours(right, b + k * PITCH, 32);
#pragma unroll
        for (int i = 0; i < C::TM; i++)
#pragma unroll
            for (int j = 0; j < C::TN; j++)
                sums[i][j] += left[i] * right[j];
    }
}

template <class C, bool WHOLE>
static __global__ void __launch_bounds__(C::THREADS)
    conv2d_ffma(const float *x, const float *packed, const float *bias, float *out, const conv_shape s,
                int padded_k, int tiles_m)
{
    ASSAY_DYNAMIC_SHARED(float, stages);
    const int group = blockIdx.y, first_k = (int)blockIdx.x % tiles_m * C::BM,
              tile_n = (int)blockIdx.x / tiles_m * C::BN;
    const int slice = (int)threadIdx.x / C::SLICE_THREADS, t = (int)threadIdx.x % C::SLICE_THREADS;
    const tile_place place = place_in_tile<C>(t);
    const int row = place.row, column = place.column;
    const int terms = s.r * s.s * s.group_c, tiles_k = (terms + C::BK - 1) / C::BK;
    packed += (int64_t)group * terms * padded_k;
    const int chunk = first_k + (int)threadIdx.x % (C::BM / 4) * 4, term = (int)threadIdx.x / (C::BM / 4);
    weight_column weight = {packed + (int64_t)term * padded_k + chunk, chunk < padded_k ? terms - term : 0};
    image_column image;
    image.start(x, s, group, tile_n + (int)threadIdx.x % C::BN, (int)threadIdx.x / C::BN);
    const int plane = s.h * s.w; // conv_shape_of() refuses more than 32 bits count
    const auto bring = [&](int tile_k, int stage) {
        if (tile_k < tiles_k)
            copy_tile<C, WHOLE>(stages + stage * C::STAGE_FLOATS, packed, weight, padded_k, image, s, plane);
        assay::cp_async_commit(); // also an empty group, so that groups can be counted
    };

    for (int i = 0; i < C::STAGES - 1; i++)
        bring(i, i);
    float sums[C::TM][C::TN] = {};
    for (int tile_k = 0, stage = 0; tile_k < tiles_k; tile_k++) {
        assay::cp_async_wait<C::STAGES - 2>();
        __syncthreads(); // this tile has landed, and nobody reads the one before it any more
        bring(tile_k + C::STAGES - 1, stage == 0 ? C::STAGES - 1 : stage - 1);
        const float *stage_a = stages + stage * C::STAGE_FLOATS + slice * C::STEPS * C::BM + row;
        const float *stage_b =
            stages + stage * C::STAGE_FLOATS + C::BK * C::BM + slice * C::STEPS * C::BN + column;
        stage = stage + 1 == C::STAGES ? 0 : stage + 1;
        multiply_terms<C, C::BN>(sums, stage_a, stage_b);
    }
    if (C::SLICES > 1)
        add_slices<C>(sums, stages, slice, t);
    if (slice > 0)
        return;

    const bool fours = s.p * s.q % 4 == 0; // four neighbouring positions lie in one image, 16-byte aligned
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
    const bool whole = s.group_c > 0 && s.group_c % C::BK == 0;
    const auto kernel = whole ? conv2d_ffma<C, true> : conv2d_ffma<C, false>;
    return assay::launch(kernel, dim3((unsigned)(tiles_m * tiles_n), (unsigned)s.groups), dim3(C::THREADS),
                         C::SHARED_BYTES, stream, static_cast<const float *>(args.x),
                         static_cast<const float *>(args.workspace), static_cast<const float *>(args.bias),
                         static_cast<float *>(args.out), s, padded_k, (int)tiles_m);
}

#endif
