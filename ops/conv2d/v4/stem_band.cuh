// The plan of stem.cuh, and a band of its pixels: fetched into registers, and laid out with a fourth channel of zeros.
#ifndef ASSAY_OPS_CONV2D_V4_STEM_BAND_CUH
#define ASSAY_OPS_CONV2D_V4_STEM_BAND_CUH

#include "../../common/value_barrier.h"
#include "../conv_shape.cuh"
#include <assay/hopper.h>
#include <cstring>

constexpr int STEM_CHANNELS = 3, STEM_N = 112, STEM_WARPGROUPS = 2, STEM_THREADS = 128 * STEM_WARPGROUPS;
constexpr int STEM_ITEMS = 5; // pieces of 4 pixels that a thread fetches of a band
constexpr int STEM_STAGING_BYTES = STEM_N * 128;
constexpr int STEM_SHARED_LIMIT = 113 * 1024; // of two blocks on a multiprocessor

struct stem_plan {
    const scalar_t *x, *weight, *bias;
    scalar_t *out;
    int high, tiles, tiles_p, tiles_q;
    int left;              // pixels before the first position's own: the padding, made even
    int steps;             // 16 terms each, of a filter's row
    int pixels, rows;      // of a band
    int pieces, row_bytes; // 4 pixels each, of a row; a row in shared memory
    int weight_bytes, shared_bytes;
};

struct stem_tile {
    int image, p, q;
};

static __device__ __forceinline__ stem_tile find_stem(const stem_plan &plan, int number)
{
    value_barrier(number);
    const int q = number % plan.tiles_q * STEM_N, rest = number / plan.tiles_q;
    return {rest / plan.tiles_p, rest % plan.tiles_p * plan.high, q};
}

#if ASSAY_HOPPER_CODE

// What a thread fetches of a band: pieces of 4 pixels of 3 channels, two channels a word so that they take
// few registers.
struct stem_pieces {
    uint32_t of[STEM_ITEMS][6];
};

// The first pixel, in the image, of a thread's piece, and its row of the band; false if it has none.
struct stem_piece {
    int row, h, w;
};
static __device__ __forceinline__ bool stem_piece_of(const stem_plan &plan, const conv_shape &s,
                                                     const stem_tile &tile, int item, stem_piece *at)
{
    int piece = static_cast<int>(threadIdx.x) + item * STEM_THREADS;
    value_barrier(piece); // found again where it is needed: all pieces' positions would occupy registers
    at->row = piece / plan.pieces;
    at->h = tile.p * 2 - s.padding + at->row;
    at->w = (tile.q * 2 - plan.left + 256) / 4 * 4 - 256 +
            piece % plan.pieces * 4; // pieces begin at multiples of 4
    return at->row < plan.rows;
}

// Element e of a piece, 0 to 11: where it lies from the first on, and its pixel. Channels first a channel has
// four pixels side by side.
struct stem_element {
    int64_t at;
    int pixel;
};
template <bool LAST>
static __device__ __forceinline__ stem_element stem_element_of(const conv_shape &s, int e)
{
    if (LAST)
        return {e, e / STEM_CHANNELS};
    return {static_cast<int64_t>(e / 4) * s.h * s.w + e % 4, e % 4};
}

// W elements are loaded at once: 4, or 1 where rows are not aligned to them.
template <bool LAST, int W>
static __device__ __forceinline__ void fetch_band(stem_pieces &pieces, const stem_plan &plan,
                                                  const conv_shape &s, int number)
{
    const stem_tile tile = find_stem(plan, number);
#pragma unroll
    for (int i = 0; i < STEM_ITEMS; i++) {
        stem_piece at;
        const bool mine = stem_piece_of(plan, s, tile, i, &at);
        const int64_t row = static_cast<int64_t>(tile.image) * s.h * (LAST ? 1 : STEM_CHANNELS) + at.h;
        const scalar_t *from = plan.x + (row * s.w + at.w) * (LAST ? STEM_CHANNELS : 1);
#pragma unroll
        for (int e = 0; e < 12; e += 4) {
            assay::vec<scalar_t, 4> some = {};
#pragma unroll
            for (int lane = 0; lane < 4; lane += W) {
                const stem_element element = stem_element_of<LAST>(s, e + lane);
                if (mine && is_inside(s, at.h, at.w + (W == 1 ? element.pixel : 0))) {
                    const assay::vec<scalar_t, W> loaded = assay::load_vec<W>(from + element.at);
#pragma unroll
                    for (int of = 0; of < W; of++)
                        some[lane + of] = loaded[of];
                }
            }
            memcpy(&pieces.of[i][e / 2], &some, 8);
        }
    }
}

// Whether one of two elements is infinite or NaN.
static __device__ __forceinline__ bool has_strange(uint32_t pair)
{
    constexpr uint32_t EXPONENT = ASSAY_DTYPE_F16 ? 0x7c00 : 0x7f80;
    return (pair & EXPONENT) == EXPONENT || (pair >> 16 & EXPONENT) == EXPONENT;
}

// Two pixels of a piece with a fourth channel of zeros.
template <bool LAST>
static __device__ __forceinline__ assay::vec<scalar_t, 8> filled_pixels(const uint32_t (&piece)[6], int pair)
{
    const uint32_t *last = piece + pair * 3, first[3] = {piece[pair], piece[2 + pair], piece[4 + pair]};
    const uint32_t of_last[4] = {last[0], last[1] & 0xffff, last[1] >> 16 | last[2] << 16, last[2] >> 16},
                   of_first[4] = {(first[0] & 0xffff) | first[1] << 16, first[2] & 0xffff,
                                  first[0] >> 16 | (first[1] & 0xffff0000), first[2] >> 16};
    assay::vec<scalar_t, 8> pixels;
    memcpy(&pixels, LAST ? of_last : of_first, 16);
    return pixels;
}

// Lay the pieces out. Returns whether an element is not finite.
template <bool LAST>
static __device__ __forceinline__ bool lay_out_band(unsigned char *window, const stem_pieces &pieces,
                                                    const stem_plan &plan, const conv_shape &s, int number)
{
    const stem_tile tile = find_stem(plan, number);
    bool strange = false;
#pragma unroll
    for (int i = 0; i < STEM_ITEMS; i++) {
        stem_piece at;
        if (!stem_piece_of(plan, s, tile, i, &at))
            continue;
#pragma unroll
        for (int pair = 0; pair < 2; pair++) { // of pixels
            const int pixel = at.w + pair * 2 - (tile.q * 2 - plan.left);
#pragma unroll
            for (int word = pair * 3; word < pair * 3 + 3; word++)
                strange = strange || has_strange(pieces.of[i][word]);
            if (pixel >= 0 && pixel < plan.pixels)
                assay::store_vec(reinterpret_cast<scalar_t *>(window + at.row * plan.row_bytes + pixel * 8),
                                 filled_pixels<LAST>(pieces.of[i], pair));
        }
    }
    return strange;
}

#endif

#endif
