// conv2d, step 4: everything together, chosen by the shape.
//
//   v4/window.cuh     f16, bf16 on Hopper: step 3d with windows that taps share, persistent blocks and tiles
//                     by the shape
//   v4/crop.cuh       channels last whose number is no multiple of 8
//   v4/band.cuh       the same for channels first where rows of positions are odd, from x in planes of 8
//                     channels
//   v4/pointwise.cuh  1x1 filters on Hopper, channels first: a product of weight and x as they lie
//   v4/stem.cuh       three channels and stride 2 on Hopper; v4/stem_band.cuh its pixels
//   v4/tensor.cuh     f16, bf16 elsewhere, and where tiles for Hopper would be few: step 3b with more tiles
//   v4/row.cuh        f16, bf16, few positions: 3x3 filters in one launch
//   v4/ffma.cuh       f32: step 3a with cp.async and the weights of step 3
//   v4/ffma_last.cuh  f32 with channels last: the same, gathered along channels
//   v4/row_ffma.cuh   f32, few positions: 3x3 filters in one launch
//   v4/plain.cuh      f32, small problems: one launch
//   v4/split.cuh      f32 on Hopper: products of three bfloat16 parts on tensor cores, at full accuracy
//   v4/depthwise.cuh  a filter or two for each input channel, 3x3, 5x5 and 7x7: tiles in registers;
//                     v4/depthwise_last.cuh with channels last
//   v4/groups.cuh     groups of 4, 8 or 16 channels: windows of x for all taps and several groups
//   v4/few.cuh        few output channels of a group: the terms of a sum shared out to warps and blocks
// Few output channels would leave most of a tile empty. Where terms need not be shared out, they are convolved
// as in step 3.
// This file chooses the kernel and its tile: for 2-byte types the largest tile whose number still fills the
// card, for f32 the form and the tile that are expected to be fastest. v4/hopper.cuh and
// v4/window_choose.cuh choose on Hopper.
// Expected effect: f32 at full accuracy limited by tensor cores on Hopper, a sixth of their rate in bf16, and
// elsewhere and for few channels by FFMA issue; at the vendor library's speed or above it.
// 2-byte types on Hopper reach what memory allows where channels are few, else half of the tensor cores' rate
// and more; by mma.sync half of that.
// Tunables: DEPTHWISE (0: depthwise as in step 3), F32_LAST_TILES (0: f32 with channels last as in step 3),
// F32_FORM (1: the form that is expected to be fastest; 0: by FFMA; 2 to 4: split, with tile number 0 to 2; 5:
// plain), GROUP_TILES (0: groups of few channels as others).
#include <assay/hopper.h>
#include <assay/kernel.h>
#include "conv2d.h"
#include "direct.cuh"
#include "v4/depthwise.cuh"
#include "v4/few_choose.cuh"
#include "v4/groups.cuh"
#if ASSAY_DTYPE_F32
#include "v4/ffma.cuh"
#include "v4/ffma_last.cuh"
#include "v4/row_ffma.cuh"
#include "v4/split_choose.cuh"
#else
#include "v4/hopper.cuh"
#include "v4/row.cuh"
#include "v4/stem.cuh"
#include "v4/tensor_choose.cuh"
#endif

#ifndef DEPTHWISE
#define DEPTHWISE 1
#endif
#ifndef F32_LAST_TILES
#define F32_LAST_TILES 1
#endif
#ifndef GROUP_TILES
#define GROUP_TILES 1
#endif
#ifndef F32_FORM
#define F32_FORM 1
#endif

constexpr int FEW_CHANNELS = 8;       // output channels of a group below which a tile is not worthwhile
constexpr int LONG_SUM_CHANNELS = 32; // input channels from which it is all the same
constexpr double FEW_MARGIN = 1.05;   // few.cuh should be faster by that than what it is compared with

static assay_status few_channels(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    return s.group_k == 1   ? direct_run<1>(args, s, stream)
           : s.group_k == 2 ? direct_run<2>(args, s, stream)
           : s.group_k <= 4 ? direct_run<4>(args, s, stream)
                            : direct_run<8>(args, s, stream);
}

#if ASSAY_DTYPE_F32

// A tile of f32. `rate`: FFMA among 100 instructions of its main loop where tiles lie within taps, counted in
// the SASS for sm_90a; where they do not, all rates are lower, in the same order. `together`: blocks that
// keep two warps on each of a multiprocessor's four schedulers; fewer wait for shared memory and take about
// as long as these.
struct tile_choice {
    int bm, bn, rate, together;
    assay_status (*launch)(const conv2d_args &, const conv_shape &, int, assay_stream);
    assay_status (*launch_last)(const conv2d_args &, const conv_shape &, int, assay_stream);
};
template <int RATE, class C>
constexpr tile_choice choice = {
    C::BM, C::BN, RATE, C::THREADS < 256 ? 256 / C::THREADS : 1, ffma_launch<C>, ffma_last_launch<C>};
// clang-format off
constexpr tile_choice kTiles[] = {
    //                     BM   BN  BK TM TN slices stages
    choice<87, ffma_config<128, 128, 16, 8, 8,  1,     3>>,
    choice<86, ffma_config< 64, 128, 16, 8, 8,  1,     3>>,
    choice<81, ffma_config< 64,  64, 32, 8, 8,  4,     3>>,
    choice<70, ffma_config< 32,  64, 16, 4, 4,  1,     4>>,
};
// clang-format on

// How long the multiprocessor with most blocks is busy, in FFMA that it could have started meanwhile, for
// each term. What tiles have beyond an edge is computed as well, and counts.
static double busy(const tile_choice &tile, const conv_shape &s)
{
    const int64_t tiles_m = (s.group_k + tile.bm - 1) / tile.bm,
                  tiles_n = (s.positions + tile.bn - 1) / tile.bn, room = assay::multiprocessor_count();
    const int64_t blocks = (tiles_m * tiles_n * s.groups + room - 1) / room;
    return (double)(blocks < tile.together ? tile.together : blocks) * (tile.bm * tile.bn) * 100 / tile.rate;
}

static const tile_choice &choose_tile(const conv_shape &s)
{
    const tile_choice *best = &kTiles[0];
    for (const tile_choice &tile : kTiles)
        if (busy(tile, s) < busy(*best, s))
            best = &tile;
    return *best;
}

// Microseconds of the kernels by FFMA, fitted to an H200: row_ffma.cuh, and tiles more than what busy() says
// where they lie in several taps, and where they are gathered along channels.
static double ffma_us(const conv2d_args &args, const conv_shape &s)
{
    const double terms = (double)s.r * s.s * s.group_c;
    if (!s.channels_last && rowf_fits(args, s))
        return 7 + 2 * terms * s.k * s.positions / 16e6;
    const bool whole = s.group_c % 16 == 0;
    const bool picked =
        !s.channels_last && s.stride_w > 1 && s.r * s.s == 1; // of a plane's lines a half or less
    const double slower = picked ? 5 : s.channels_last ? (whole ? 1.6 : 1.75) : (whole ? 1.15 : 1.6);
    return 15 + busy(choose_tile(s), s) * terms * slower / (128 * 1700);
}

// `few`: that form, or NULL.
static assay_status many_channels(const conv2d_args &args, const conv_shape &s, const few_choice *few,
                                  assay_stream stream)
{
    const double plain = F32_FORM == 1 ? plain_us(s) : INFINITY,
                 ffma = F32_FORM == 1 ? ffma_us(args, s) : INFINITY;
    const split_choice split =
        F32_FORM > 0 && F32_FORM < 5 ? choose_split(args, s, F32_FORM - 2) : split_choice{};
    const double least = ffma < plain ? ffma : plain,
                 others = split.candidate && split.us < least ? split.us : least;
    if (F32_FORM == 1 && few && FEW_MARGIN * few->us < others)
        return few_run(*few, args, s, stream);
    if (F32_FORM == 1 && s.group_k < FEW_CHANNELS && direct_us(s) < others)
        return few_channels(args, s, stream);
    if (split.candidate && split.us < ffma && split.us < plain)
        return split_run(split, args, s, stream);
    if (F32_FORM == 5 || plain < ffma)
        return plain_run(args, s, nullptr, 0, stream);
    if (!s.channels_last && rowf_fits(args, s))
        return rowf_run(args, s, stream);
    const int padded_k = (int)conv2d_padded(s.group_k);
    const assay_status status = pack_weights(args, s, padded_k, stream);
    if (status != ASSAY_OK)
        return status;
    const tile_choice &best = choose_tile(s);
    return (s.channels_last ? best.launch_last : best.launch)(args, s, padded_k, stream);
}

#else

// `few`: that form, or NULL.
static assay_status many_channels(const conv2d_args &args, const conv_shape &s, const few_choice *few,
                                  assay_stream stream)
{
    stem_plan stem;
    if (assay::hopper_available() && stem_fits(args, s, &stem))
        return stem_launch(stem, s, stream);
    const bool row = !s.channels_last && row_fits(args, s);
    const tensor_split split = choose_tensor_split(args, s);
    const double tiles = tiles_us(s);
    if (few && !row && FEW_MARGIN * few->us < (split.us < tiles ? split.us : tiles))
        return few_run(*few, args, s, stream);
    if (!row && split.splits > 1)
        return tensor_run(args, s, split.splits, stream);
    assay_status on_hopper;
    if (s.channels_last ? run_last_on_hopper(args, s, stream, &on_hopper)
                        : run_on_hopper(args, s, stream, &on_hopper))
        return on_hopper;
    if (row)
        return row_run(args, s, stream);
    // What gathers positions counts the pixels of all images in 32 bits; step 3 does not.
    return tensor_fits(s) ? tensor_run(args, s, 1, stream) : few_channels(args, s, stream);
}

#endif

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    conv_shape shape;
    const assay_status status = conv_shape_of(*args, &shape);
    if (status != ASSAY_OK || shape.positions == 0 || shape.k == 0)
        return status;
    if (DEPTHWISE && depthwise_fits(shape))
        return depthwise_run(*args, shape, stream);
    group_plan groups;
    if (GROUP_TILES && groups_pay(shape) && group_plan_of(*args, shape, &groups))
        return group_run(groups, shape, stream);
    const bool plain = ASSAY_DTYPE_F32 && shape.channels_last && !F32_LAST_TILES;
    // Where each output has many terms, tensor cores pay even if most of a tile's rows are empty.
    const bool long_sums =
        assay::hopper_available() && shape.groups == 1 && shape.group_c >= LONG_SUM_CHANNELS;
    if (plain)
        return few_channels(*args, shape, stream);
    few_choice choice;
    const few_choice *few = choose_few(*args, shape, &choice) ? &choice : nullptr;
    if (shape.group_k >= FEW_CHANNELS || long_sums)
        return many_channels(*args, shape, few, stream);
    return few && few->us < direct_us(shape) ? few_run(*few, *args, shape, stream)
                                             : few_channels(*args, shape, stream);
}
