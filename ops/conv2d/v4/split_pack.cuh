// Copies x and weight of an f32 convolution to the workspace as three bfloat16 parts each, with the terms of
// a sum side by side, for split.cuh.
//
//   x as it is        [part][n][h][w][group][c padded], a tap of the filter is a window of it
//   x gathered        [part][position][terms padded], the terms in the order in which a filter lies; for
//                     filters whose windows hardly overlap: no term is missing from a stage of 64
// A block notes in a flag of its own whether it met a number that three parts cannot represent.
#ifndef ASSAY_OPS_CONV2D_V4_SPLIT_PACK_CUH
#define ASSAY_OPS_CONV2D_V4_SPLIT_PACK_CUH

#include "../../common/bf16_parts.h"
#include "../conv_shape.cuh"
#include <assay/hopper.h>

constexpr int SPLIT_PACK_THREADS = 256, SPLIT_TURN_PITCH = 65;

struct split_pack_plan {
    const float *x, *weight;
    __nv_bfloat16 *parts_x, *parts_w;
    int *flags;                     // of each block
    int64_t part_x, part_w;         // elements of a part
    int chunks;                     // 8 terms each: of a group's channels, or of a gathered position
    int x_items, items;             // pieces of work for a block: those of x come first
    bool gathered, along_positions; // neighbouring threads gather neighbouring positions
};

// Write 8 terms in three parts.
static __device__ __forceinline__ bool store_parts(__nv_bfloat16 *to, int64_t part, const float (&terms)[8])
{
    bool good = true;
    assay::vec<__nv_bfloat16, 8> parts[3];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        __nv_bfloat16 of_one[3];
        good &= split_element(terms[i], of_one);
#pragma unroll
        for (int p = 0; p < 3; p++)
            parts[p][i] = of_one[p];
    }
#pragma unroll
    for (int p = 0; p < 3; p++)
        assay::store_vec(to + p * part, parts[p]);
    return good;
}

// 8 terms `apart` elements from each other, of which `count` exist.
static __device__ __forceinline__ void load_terms(float (&terms)[8], const float *from, int64_t apart,
                                                  int count)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        terms[i] = i < count ? from[i * apart] : 0.0f;
}

// 64 channels by 64 pixels of an image with its channels first, turned in shared memory so that reads and
// writes both have whole lines.
static __device__ __forceinline__ bool split_turned(float *tile, const split_pack_plan &plan,
                                                    const conv_shape &s, int item)
{
    const int pixels = s.h * s.w, all_chunks = s.groups * plan.chunks, t = (int)threadIdx.x;
    const int across = (all_chunks + 7) / 8, along = (pixels + 63) / 64;
    const int first_chunk = item % across * 8, first_pixel = item / across % along * 64,
              n = item / across / along, pixel = t % 64;
    float loaded[16];
#pragma unroll
    for (int i = 0; i < 16; i++) { // all of them on their way before the first is stored
        const int row = i * 4 + t / 64, chunk = first_chunk + row / 8, group = chunk / plan.chunks,
                  c = chunk % plan.chunks * 8 + row % 8;
        const bool inside = chunk < all_chunks && c < s.group_c && first_pixel + pixel < pixels;
        loaded[i] =
            inside ? plan.x[((int64_t)n * s.c + group * s.group_c + c) * pixels + first_pixel + pixel] : 0.0f;
    }
    __syncthreads(); // the tile before is written
#pragma unroll
    for (int i = 0; i < 16; i++)
        tile[(i * 4 + t / 64) * SPLIT_TURN_PITCH + pixel] = loaded[i];
    __syncthreads();
    bool good = true;
#pragma unroll
    for (int i = t; i < 64 * 8; i += SPLIT_PACK_THREADS) {
        const int chunk = i % 8, at = i / 8;
        float terms[8];
        load_terms(terms, tile + chunk * 8 * SPLIT_TURN_PITCH + at, SPLIT_TURN_PITCH, 8);
        if (first_chunk + chunk < all_chunks && first_pixel + at < pixels)
            good &= store_parts(
                plan.parts_x +
                    (((int64_t)n * pixels + first_pixel + at) * all_chunks + first_chunk + chunk) * 8,
                plan.part_x, terms);
    }
    return good;
}

// Chunk number `i` of x with its channels last.
static __device__ __forceinline__ bool split_last(const split_pack_plan &plan, const conv_shape &s, int64_t i)
{
    const int first = (int)(i % plan.chunks) * 8, left = s.group_c - first;
    const float *from = plan.x + i / plan.chunks * s.group_c + first; // groups follow each other
    float terms[8];
    if (left >= 8 && s.group_c % 4 == 0) {
#pragma unroll
        for (int half = 0; half < 8; half += 4) {
            const assay::vec<float, 4> v = assay::load_vec<4>(from + half);
            terms[half] = v[0], terms[half + 1] = v[1], terms[half + 2] = v[2], terms[half + 3] = v[3];
        }
    } else
        load_terms(terms, from, 1, left);
    return store_parts(plan.parts_x + i * 8, plan.part_x, terms);
}

// Chunk `chunk` of what the filter sees at `position`.
static __device__ __forceinline__ bool split_gathered(const split_pack_plan &plan, const conv_shape &s,
                                                      int position, int chunk)
{
    const conv_origin origin = origin_of(s, position);
    const int taps = s.r * s.s, terms_all = taps * s.c;
    float terms[8];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int term = chunk * 8 + i, tap = s.channels_last ? term / s.c : term % taps,
                  c = s.channels_last ? term % s.c : term / taps;
        const int h = origin.h + tap / s.s * s.dilation, w = origin.w + tap % s.s * s.dilation_w;
        const int64_t at = s.channels_last ? (((int64_t)origin.n * s.h + h) * s.w + w) * s.c + c
                                           : (((int64_t)origin.n * s.c + c) * s.h + h) * s.w + w;
        terms[i] = term < terms_all && is_inside(s, h, w) ? plan.x[at] : 0.0f;
    }
    return store_parts(plan.parts_x + ((int64_t)position * plan.chunks + chunk) * 8, plan.part_x, terms);
}

// Chunk number `i` of the weights: [k][tap][chunk], or [k][chunk] of terms as they lie.
static __device__ __forceinline__ bool split_weight(const split_pack_plan &plan, const conv_shape &s,
                                                    int64_t i)
{
    const int taps = plan.gathered ? 1 : s.r * s.s;
    const int terms_all = plan.gathered ? s.r * s.s * s.c : s.group_c;
    int tap = 0, chunk = (int)(i % plan.chunks);
    int64_t k = i / plan.chunks, apart = 1;
    const float *from;
    if (plan.gathered || s.channels_last) {
        tap = (int)(k % taps), k /= taps;
        from = plan.weight + (k * taps + tap) * terms_all + chunk * 8;
    } else { // neighbouring threads have neighbouring taps, as the weights lie
        tap = (int)(i % taps), chunk = (int)(i / taps % plan.chunks), k = i / taps / plan.chunks;
        from = plan.weight + (k * terms_all + chunk * 8) * taps + tap;
        apart = taps;
    }
    float terms[8];
    load_terms(terms, from, apart, terms_all - chunk * 8);
    return store_parts(plan.parts_w + ((k * taps + tap) * plan.chunks + chunk) * 8, plan.part_w, terms);
}

static __global__ void __launch_bounds__(SPLIT_PACK_THREADS)
    conv2d_split_pack(const split_pack_plan plan, const conv_shape s)
{
#if ASSAY_HOPPER_CODE
    __shared__ float tile[64 * SPLIT_TURN_PITCH];
    assay::let_next_begin();
    const int64_t x_chunks = plan.part_x / 8, w_chunks = plan.part_w / 8;
    bool good = true;
    for (int item = (int)blockIdx.x; item < plan.items; item += (int)gridDim.x) {
        const bool of_x = item < plan.x_items;
        const int64_t i =
            (int64_t)(of_x ? item : item - plan.x_items) * SPLIT_PACK_THREADS + (int)threadIdx.x;
        if (of_x && !plan.gathered && !s.channels_last)
            good &= split_turned(tile, plan, s, item);
        else if (!of_x)
            good &= i >= w_chunks || split_weight(plan, s, i);
        else if (i >= x_chunks)
            continue;
        else if (!plan.gathered)
            good &= split_last(plan, s, i);
        else if (plan.along_positions)
            good &= split_gathered(plan, s, (int)(i % s.positions), (int)(i / s.positions));
        else
            good &= split_gathered(plan, s, (int)(i / plan.chunks), (int)(i % plan.chunks));
    }
    const int bad = __syncthreads_or(!good);
    if (threadIdx.x == 0)
        plan.flags[blockIdx.x] = bad;
#endif
}

static inline int split_pack_blocks(const split_pack_plan &plan)
{
    return plan.items < CONV2D_SPLIT_FLAGS ? plan.items : CONV2D_SPLIT_FLAGS;
}

// How the operands are copied into the workspace, which has room for them.
static split_pack_plan split_pack_plan_of(const conv2d_args &args, const conv_shape &s, bool gathered)
{
    split_pack_plan plan = {};
    const int64_t chunks = conv2d_split_padded(gathered ? args.r * args.s * args.c : s.group_c) / 8,
                  lines = gathered ? s.positions : (int64_t)s.n * s.h * s.w * s.groups;
    plan.chunks = (int)chunks;
    plan.gathered = gathered;
    plan.along_positions = !s.channels_last && s.s < 4;
    plan.part_x = lines * chunks * 8;
    plan.part_w = s.k * chunks * 8 * (gathered ? 1 : s.r * s.s);
    const int64_t w_items = (plan.part_w / 8 + SPLIT_PACK_THREADS - 1) / SPLIT_PACK_THREADS,
                  tiles = (int64_t)s.n * ((s.h * s.w + 63) / 64) * ((s.groups * chunks + 7) / 8);
    plan.x_items = (int)(!gathered && !s.channels_last
                             ? tiles
                             : (plan.part_x / 8 + SPLIT_PACK_THREADS - 1) / SPLIT_PACK_THREADS);
    plan.items = plan.x_items + (int)w_items;
    char *space = static_cast<char *>(args.workspace);
    plan.x = static_cast<const float *>(args.x);
    plan.weight = static_cast<const float *>(args.weight);
    plan.flags = reinterpret_cast<int *>(space);
    plan.parts_w = reinterpret_cast<__nv_bfloat16 *>(space + CONV2D_SPLIT_FLAGS * 4);
    plan.parts_x = plan.parts_w + (3 * plan.part_w + 63) / 64 * 64; // at a line
    return plan;
}

#endif
