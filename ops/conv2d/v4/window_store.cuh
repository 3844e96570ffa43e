// Writes a finished tile of window.cuh: rounds, turns it into out's layout, and uses ordinary stores where
// TMA cannot write the rows.
#ifndef ASSAY_OPS_CONV2D_V4_WINDOW_STORE_CUH
#define ASSAY_OPS_CONV2D_V4_WINDOW_STORE_CUH

#include "window_plan.cuh"
#include <cstring>

#if ASSAY_HOPPER_CODE

// Add the bias and round: two pieces of 8 positions by 16 channels, as stmatrix takes them. `bias`: of this
// thread's two channels.
__device__ __forceinline__ void round_pieces(uint32_t (&r)[4], const float *sums, const float (&bias)[2])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float *from = sums + i * 2;
        const float add = bias[i % 2];
        const assay::vec<scalar_t, 2> pair = {
            {assay::from_float<scalar_t>(from[0] + add), assay::from_float<scalar_t>(from[1] + add)}};
        memcpy(&r[i], &pair, 4);
    }
}

// Lay the tile out with the 64 channels of a position side by side, as TMA takes them.
template <class C>
__device__ __forceinline__ void lay_out_positions(unsigned char *staging, const float (&sums)[C::N / 2],
                                                  const float (&bias)[2])
{
    constexpr int PIECES = C::N / 8; // of 8 positions
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
    // A lane addresses one position for 8 channels: lanes 0 to 15 of the first piece of 8 positions, the
    // others of the second.
    const int chunk = (warp * 2 + lane / 8 % 2) ^ lane % 8;
    unsigned char *to = staging + (lane / 16 * 8 + lane % 8) * 128 + chunk * 16;
#pragma unroll
    for (int j = 0; j < PIECES; j += 2) {
        const int first =
            j + 1 < PIECES ? j : j - 1; // the last of an odd number goes with the one before it once more
        uint32_t r[4];
        round_pieces(r, sums + first * 4, bias);
        assay::stmatrix_x4_trans(to + first * 1024, r);
    }
}

// The same with channels first: rows of `wide` positions of a channel, which TMA swizzles where they have 32,
// 64 or 128 bytes.
template <class C>
__device__ __forceinline__ void lay_out_channels(unsigned char *staging, const float (&sums)[C::N / 2],
                                                 const float (&bias)[2], int wide)
{
    const int lane = static_cast<int>(threadIdx.x) % 32,
              channel = static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane % 16;
    const int swizzle = 128 % (wide * 2) == 0 && wide > 8 ? wide / 8 - 1 : 0;
    int row = 0, column = lane / 16 * 8; // of the 8 positions that the lane addresses
#pragma unroll
    for (int j = 0; j < C::N / 8; j += 2) {
        while (column >= wide)
            column -= wide, row++;
        const int at = ((row * 64 + channel) * wide + column) * 2;
        uint32_t r[4];
        round_pieces(r, sums + j * 4, bias);
        assay::stmatrix_x4(staging + (at ^ (at >> 7 & swizzle) << 4), r);
        column += 16;
    }
}

// The same for ordinary stores: by each warp, which has 16 channels.
template <class C>
__device__ __forceinline__ void lay_out_rows(unsigned char *staging, const float (&sums)[C::N / 2],
                                             const float (&bias)[2])
{
    constexpr int PIECES = C::N / 8;
    const int lane = static_cast<int>(threadIdx.x) % 32,
              channel = static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane % 16;
    unsigned char *to = staging + channel * C::CHANNEL_ROW + lane / 16 * 16;
#pragma unroll
    for (int j = 0; j < PIECES; j += 2) {
        const int first = j + 1 < PIECES ? j : j - 1;
        uint32_t r[4];
        round_pieces(r, sums + first * 4, bias);
        assay::stmatrix_x4(to + first * 16, r);
    }
}

// Write the tile's positions that exist, V at a time, from the rows of a warp's 16 channels, of which
// `channels` exist; `k`: the first.
template <class C, int V>
__device__ __forceinline__ void store_rows(const window_plan &plan, const window_tile &tile,
                                           const unsigned char *staging, int k, int channels)
{
    const window_form &f = plan.form;
    const int left = plan.q - tile.q, each = (left < f.wide ? left : f.wide) / V;
    const int below = plan.p - tile.p, rows = below < f.high ? below : f.high;
    const int behind = plan.n - tile.image, images = behind < f.images ? behind : f.images;
    const int64_t plane = static_cast<int64_t>(plan.p) * plan.q;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int i = lane; i < images * rows * each; i += 32) {
        const int row = i / each, column = (i - row * each) * V, image = row / rows,
                  down = row - image * rows;
        const unsigned char *from = staging + ((image * f.rows + down) * f.pitch + column) * 2;
        scalar_t *to = plan.out + (static_cast<int64_t>(tile.image + image) * plan.k + k) * plane +
                       static_cast<int64_t>(tile.p + down) * plan.q + tile.q + column;
#pragma unroll 4
        for (int c = 0; c < channels; c++)
            assay::store_vec(to + c * plane, assay::load_vec<V>(reinterpret_cast<const scalar_t *>(
                                                 from + c * C::CHANNEL_ROW)));
    }
}

// `k`: the warpgroup's first channel of all, `left` of which exist.
template <class C>
__device__ __forceinline__ void store_channels(const window_plan &plan, const window_tile &tile,
                                               unsigned char *staging, const float (&sums)[C::N / 2],
                                               const float (&bias)[2], int k, int left)
{
    const int warp = static_cast<int>(threadIdx.x) % 128 / 32,
              channels = left - warp * 16 < 16 ? left - warp * 16 : 16;
    const unsigned char *mine = staging + warp * 16 * C::CHANNEL_ROW;
    const int sizes = plan.q | plan.form.pitch | plan.form.wide;
    lay_out_rows<C>(staging, sums, bias);
    __syncwarp();
    if (sizes % 8 == 0)
        store_rows<C, 8>(plan, tile, mine, k + warp * 16, channels);
    else if (sizes % 2 == 0)
        store_rows<C, 2>(plan, tile, mine, k + warp * 16, channels);
    else
        store_rows<C, 1>(plan, tile, mine, k + warp * 16, channels);
    __syncwarp();
}

#endif

#endif
