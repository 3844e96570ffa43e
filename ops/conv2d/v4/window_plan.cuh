// Tile plan for convolution from windows (window.cuh): tile sizes, windows of x, pipeline stages and the
// shared-memory layout.
#ifndef ASSAY_OPS_CONV2D_V4_WINDOW_PLAN_CUH
#define ASSAY_OPS_CONV2D_V4_WINDOW_PLAN_CUH

#include "../../common/value_barrier.h"
#include "../conv_shape.cuh"
#include "band_plan.cuh"
#include <assay/hopper.h>

// How out lies and is written: channels last or first by TMA, or channels first by ordinary stores where rows
// are not aligned for TMA. With channels first, x and weight have been copied with their channels last.
enum { WINDOW_LAST, WINDOW_FIRST, WINDOW_FIRST_ODD };

template <int N_, int WM_, int PAIRS_, int BUFFERS_, int OUT_ = WINDOW_LAST>
struct window_config {
    static constexpr int
        N = N_,
        WM = WM_; // output positions of a tile; warpgroups of 64 output channels that share it
    static constexpr int PAIRS = PAIRS_;     // teams of WM warpgroups, which take alternate tiles
    static constexpr int BUFFERS = BUFFERS_; // finished tiles of a warpgroup that TMA may still be reading
    static constexpr int OUT = OUT_,
                         CHANNEL_ROW =
                             N * 2 +
                             16; // bytes of a channel in shared memory; the 16 spread them over the banks
    static constexpr bool FIRST = OUT != WINDOW_LAST;
    static constexpr int BM = 64 * WM, TEAM = 128 * WM, GROUPS = WM * PAIRS, PRODUCERS = 128;
    static constexpr int THREADS = PRODUCERS + 128 * GROUPS;
    static constexpr int PRODUCER_REGISTERS = 40, REGISTERS = GROUPS == 4 ? 104 : 232;
    static constexpr int WEIGHT_BYTES = BM * 128, BARRIER_BYTES = 1024, MAX_STAGES = 16;
    static constexpr int SHARED_LIMIT = 232448;
    static_assert(OUT != WINDOW_FIRST || N % 16 == 0, "pieces go in pairs");
    // What a block is launched with, in eights a thread, is all that its warpgroups can share out: asking for
    // more waits for ever.
    static_assert(128 * (PRODUCER_REGISTERS + GROUPS * REGISTERS) <= 65536 / THREADS / 8 * 8 * THREADS ||
                      GROUPS == 1,
                  "registers of a block");
    static_assert(GROUPS <= 4 && N <= (GROUPS == 4 ? 160 : 256), "what registers hold");
};

// What a tile and its windows span. A window serves inner_r x inner_s taps of the filter, which differ only
// by where it is read from; for the other taps there are windows of their own.
struct window_form {
    int wide, high, images; // positions of a tile: columns, rows, images
    int inner_r, inner_s;   // taps that share a window: 1 or all of a column, 1 or all of a row
    int pitch, rows;        // of a window in pixels
};

struct window_plan {
    window_form form;
    const scalar_t *bias;
    scalar_t *out;
    int n, k, p, q;                       // of out
    int tiles, tiles_k, tiles_q, tiles_p; // tiles_k: of a group
    int groups, group_c, group_k;
    int stride, padding, dilation; // along h
    int stride_w, padding_w, dilation_w;
    int taps_r, taps_s;
    int steps_c, steps; // 64 channels each; windows of a tile
    int window_bytes, staging_bytes;
    int window_stages, weight_stages;
    pipeline_skip tile_windows, tile_weights; // of a tile
    bool resident;                            // the weights are copied once
};

struct window_tile {
    int group, first_k, q, p, image; // first_k: in the group
};

// A block takes tiles blockIdx.x, blockIdx.x + gridDim.x and so on. Channels go fastest, so that blocks
// running at the same time share x in L2.
template <class C>
__device__ __forceinline__ window_tile find_window(const window_plan &plan, int number)
{
    window_tile tile;
    value_barrier(number);
    tile.first_k = number % plan.tiles_k * C::BM;
    number /= plan.tiles_k;
    tile.q = number % plan.tiles_q * plan.form.wide;
    number /= plan.tiles_q;
    tile.p = number % plan.tiles_p * plan.form.high;
    number /= plan.tiles_p;
    tile.group = number % plan.groups;
    tile.image = number / plan.groups * plan.form.images;
    return tile;
}

// Pixels of a window, and how many columns of the product a tile has, those between its rows and images
// included.
static inline int64_t window_pixels(const window_form &f)
{
    return (int64_t)f.pitch * f.rows * f.images;
}
static inline int64_t window_columns(const window_form &f)
{
    return (int64_t)(f.images - 1) * f.pitch * f.rows + (int64_t)(f.high - 1) * f.pitch + f.wide;
}

// The largest tile of up to `columns` positions whose windows serve the taps asked for; wide = 0 if there is
// none. Where a row of the product is longer than one of the tile, what lies between them is cut off as lying
// past the image's edge, so the tile has whole rows then;
// and several images only if it has all of their rows.
static window_form window_form_of(const conv_shape &s, int columns, bool share_r, bool share_s)
{
    window_form f = {};
    const int64_t right = share_s ? (int64_t)(s.s - 1) * s.dilation_w : 0,
                  below = share_r ? (int64_t)(s.r - 1) * s.dilation : 0;
    const int reach = 256 / s.stride, reach_w = 256 / s.stride_w; // positions that a box of 256 pixels spans
    const int most = columns < reach_w ? columns : reach_w;
    if ((s.stride * s.stride_w > 1 && right + below > 0) || (right > 0 && s.q > most))
        return f;
    const int across = (s.q + most - 1) / most;
    f.wide = (s.q + across - 1) / across;
    const int64_t pitch = f.wide + right, high = (columns - f.wide) / pitch + 1;
    const int64_t rows_most = high < s.p ? high : s.p, down = (s.p + rows_most - 1) / rows_most;
    f.high = (int)((s.p + down - 1) / down);
    const int64_t rows = f.high + below;
    if (pitch > 256 || rows > reach)
        return window_form{};
    f.inner_r = share_r ? s.r : 1, f.inner_s = share_s ? s.s : 1;
    f.pitch = (int)pitch, f.rows = (int)rows, f.images = 1;
    if (f.high == s.p && across == 1) {
        const int64_t rest = columns - window_columns(f), more = rest / (pitch * rows);
        f.images = (int)(1 + more < s.n ? 1 + more : s.n);
        const int turns = (s.n + f.images - 1) / f.images;
        f.images = (s.n + turns - 1) / turns;
    }
    return f;
}

// The rest of the plan; false where it does not fit on chip or TMA cannot serve it.
template <class C>
static bool window_plan_of(const conv2d_args &args, const conv_shape &s, const window_form &f,
                           window_plan *plan)
{
    if (f.wide == 0 || window_columns(f) > C::N || f.images > 256)
        return false;
    if (C::OUT == WINDOW_FIRST &&
        (f.wide != f.pitch || f.wide % 8 != 0 || s.q % 8 != 0 || f.images > 1)) // no rows for TMA
        return false;
    *plan = {};
    plan->form = f;
    plan->bias = static_cast<const scalar_t *>(args.bias);
    plan->out = static_cast<scalar_t *>(args.out);
    plan->n = s.n, plan->k = s.k, plan->p = s.p, plan->q = s.q;
    plan->groups = s.groups, plan->group_c = C::FIRST ? (int)conv2d_padded(s.group_c) : s.group_c,
    plan->group_k = s.group_k;
    plan->stride = s.stride, plan->padding = s.padding, plan->dilation = s.dilation;
    plan->stride_w = s.stride_w, plan->padding_w = s.padding_w, plan->dilation_w = s.dilation_w;
    plan->taps_r = s.r, plan->taps_s = s.s;
    plan->tiles_k = (s.group_k + C::BM - 1) / C::BM;
    plan->tiles_q = (s.q + f.wide - 1) / f.wide;
    plan->tiles_p = (s.p + f.high - 1) / f.high;
    plan->steps_c = (s.group_c + 63) / 64;
    const int64_t inner = (int64_t)f.inner_r * f.inner_s,
                  weights = (int64_t)plan->steps_c * s.r * s.s, // of a tile
        tiles = (int64_t)plan->tiles_k * plan->tiles_q * plan->tiles_p * s.groups *
                ((s.n + f.images - 1) / f.images);
    if (tiles > INT32_MAX / 2 || weights > INT32_MAX / 2 || weights < 1)
        return false;
    plan->tiles = (int)tiles;
    plan->steps = (int)(weights / inner);
    // The last tap's last columns, which are dropped, may lie behind the window.
    const int64_t pixels = window_pixels(f),
                  read = (int64_t)(f.inner_r - 1) * f.pitch * s.dilation +
                         (int64_t)(f.inner_s - 1) * s.dilation_w + C::N,
                  boxed = (int64_t)f.pitch * (f.images > 1 ? f.rows : f.high) * f.images,
                  stored = C::OUT == WINDOW_FIRST ? (C::N + f.wide - 1) / f.wide * (int64_t)f.wide
                                                  : (boxed > C::N ? boxed : C::N);
    plan->window_bytes = (int)((read > pixels ? read : pixels) * 128 + 1023) / 1024 * 1024;
    const int64_t staging = C::OUT == WINDOW_FIRST_ODD ? 64 * C::CHANNEL_ROW : stored * 128;
    plan->staging_bytes = (int)(staging + 1023) / 1024 * 1024;
    const int64_t room = C::SHARED_LIMIT - C::BARRIER_BYTES -
                         (int64_t)C::GROUPS * C::BUFFERS * plan->staging_bytes,
                  least_windows = plan->steps > 1 || plan->tiles > 1 ? 2 : 1;
    int64_t most_weights = (room - least_windows * plan->window_bytes) / C::WEIGHT_BYTES;
    if (most_weights > C::MAX_STAGES)
        most_weights = C::MAX_STAGES;
    if (room < 0 || most_weights < (weights < 2 ? weights : 2))
        return false;
    // Weights that stay need no more room; a pipeline of them is as deep as about three windows.
    const bool stay = weights <= most_weights && plan->tiles_k * s.groups == 1;
    const int64_t enough = stay || weights < 5 ? weights : 5;
    plan->resident = stay;
    plan->weight_stages = (int)(enough < most_weights ? enough : most_weights);
    const int64_t windows = (room - plan->weight_stages * C::WEIGHT_BYTES) / plan->window_bytes;
    plan->window_stages = (int)(windows < C::MAX_STAGES ? windows : C::MAX_STAGES);
    if (plan->window_stages > 4 && inner > 1)
        plan->window_stages = 4;
    if (!stay) {
        const int64_t spare = (room - plan->window_stages * (int64_t)plan->window_bytes) / C::WEIGHT_BYTES;
        plan->weight_stages = (int)(spare < C::MAX_STAGES ? spare : C::MAX_STAGES);
    }
    plan->tile_windows = {plan->steps % plan->window_stages, plan->steps / plan->window_stages % 2};
    plan->tile_weights = {(int)(weights % plan->weight_stages), (int)(weights / plan->weight_stages % 2)};
    return true;
}

struct window_memory {
    uint64_t *full_x, *empty_x, *full_w, *empty_w;
    unsigned char *weights, *staging, *windows;
};

template <class C>
__device__ __forceinline__ window_memory window_memory_of(unsigned char *shared, const window_plan &plan)
{
    uint64_t *barriers = reinterpret_cast<uint64_t *>(shared);
    unsigned char *weights = shared + C::BARRIER_BYTES,
                  *staging = weights + plan.weight_stages * C::WEIGHT_BYTES;
    return {barriers,
            barriers + C::MAX_STAGES,
            barriers + 2 * C::MAX_STAGES,
            barriers + 3 * C::MAX_STAGES,
            weights,
            staging,
            staging + C::GROUPS * C::BUFFERS * plan.staging_bytes};
}

template <class C>
static size_t window_shared_bytes(const window_plan &plan)
{
    return (size_t)(C::BARRIER_BYTES + plan.weight_stages * C::WEIGHT_BYTES +
                    C::GROUPS * C::BUFFERS * plan.staging_bytes + plan.window_stages * plan.window_bytes);
}

#endif
