// Tile plan for groups of few channels (groups.cuh): tiles, windows and the shared-memory layout.
#ifndef ASSAY_OPS_CONV2D_V4_GROUP_PLAN_CUH
#define ASSAY_OPS_CONV2D_V4_GROUP_PLAN_CUH

#include "../conv_shape.cuh"
#include <assay/hopper.h>

constexpr int GROUP_CHUNK = 16 / (int)sizeof(scalar_t); // channels in a copy of 16 bytes
constexpr int GROUP_SLICE = 8 * GROUP_CHUNK;            // input channels of a block: 128 bytes a pixel
constexpr int GROUP_PIXEL = 144; // bytes of a pixel; the 16 more spread pixels over the banks
constexpr int GROUP_POSITIONS = 128, GROUP_OUTPUTS = 8; // of a tile; channels of a warp's piece
constexpr int GROUP_THREADS = sizeof(scalar_t) == 4 ? 128 : 256;
constexpr int GROUP_SHARED_LIMIT = 100 * 1024; // two blocks of a multiprocessor

struct group_plan {
    const scalar_t *x, *weight, *bias;
    scalar_t *out;
    int together, slices;                   // groups of a block; blocks that share the groups out
    int high, wide;                         // positions of a tile
    int tiles_p, tiles_q;                   // of an image
    int64_t tiles;                          // of all images
    int rows, columns;                      // pixels of a window
    int pieces;                             // of 8 output channels of a group
    int steps;                              // of a sum: 16 terms of 2-byte types, a tap in f32
    int offsets, weights, finished, window; // where these begin in shared memory, in bytes; offsets: ints
    int finished_row; // bytes of a row of the finished tile: a position, or a channel where they come first
    int shared_bytes, vector; // vector: elements stored at once
};

static inline int group_window(int positions, int stride, int taps, int dilation)
{
    return (positions - 1) * stride + (taps - 1) * dilation + 1;
}

// Whole tiles of up to GROUP_POSITIONS positions whose windows have the fewest pixels in all.
static inline void find_group_tile(const conv_shape &s, group_plan *plan)
{
    int64_t least = INT64_MAX;
    for (int most = 1; most <= GROUP_POSITIONS && most <= s.q; most++) {
        const int across = (s.q + most - 1) / most, wide = (s.q + across - 1) / across;
        const int high_most = GROUP_POSITIONS / wide < s.p ? GROUP_POSITIONS / wide : s.p,
                  down = (s.p + high_most - 1) / high_most, high = (s.p + down - 1) / down;
        const int rows = group_window(high, s.stride, s.r, s.dilation),
                  columns = group_window(wide, s.stride_w, s.s, s.dilation_w);
        const int64_t pixels = (int64_t)rows * columns, cost = (pixels + 32) * across * down;
        if (cost >= least)
            continue;
        least = cost;
        plan->high = high, plan->wide = wide, plan->tiles_p = down, plan->tiles_q = across;
        plan->rows = rows, plan->columns = columns;
    }
}

// Where the parts of shared memory begin; false where they do not fit.
static inline bool lay_out_group(const conv_shape &s, group_plan *plan)
{
    const int taps = s.r * s.s, outputs = plan->together * s.group_k;
    const int64_t pixels = (int64_t)plan->rows * plan->columns;
    const int64_t filter =
        sizeof(scalar_t) == 4 ? (int64_t)taps * s.group_c * GROUP_OUTPUTS * 4 : (int64_t)plan->steps * 256;
    plan->finished_row =
        s.channels_last ? outputs * (int)sizeof(scalar_t) + 16 : GROUP_POSITIONS * (int)sizeof(scalar_t) + 16;
    const int64_t finished = (int64_t)(s.channels_last ? GROUP_POSITIONS : outputs) * plan->finished_row;
    const int64_t table = (GROUP_POSITIONS + plan->steps * 4) * 4;
    plan->offsets = 16; // behind 16 bytes of zeros
    const int64_t weights = (plan->offsets + table + 15) / 16 * 16,
                  end_weights = weights + plan->together * plan->pieces * filter,
                  end_finished = (end_weights + finished + 15) / 16 * 16,
                  all = end_finished + pixels * GROUP_PIXEL;
    if (all > GROUP_SHARED_LIMIT)
        return false;
    plan->weights = (int)weights, plan->finished = (int)end_weights, plan->window = (int)end_finished;
    plan->shared_bytes = (int)all;
    return true;
}

// Whether the outputs are so many that what a block prepares, its filters foremost, is little beside them: what
// was faster on an H200 than the kernels for a single group (docs/notes). Outputs of each multiprocessor.
static bool groups_pay(const conv_shape &s)
{
    constexpr bool wide = sizeof(scalar_t) == 4;
    const int64_t each = (int64_t)s.positions * s.k / assay::multiprocessor_count();
    if (wide && !s.channels_last && s.stride > 1)
        return false;
    if (s.group_c == 8)
        return each >= (s.group_k > 8 ? 30000 : 6000);
    if (!s.channels_last || s.group_k > s.group_c)
        return false;
    return s.group_c == 4 ? each >= (wide ? 5300 : 22500) : each >= (wide ? 22500 : 60000);
}

// False where groups have other sizes, tensors are not aligned, or a tile does not fit on chip.
static bool group_plan_of(const conv2d_args &args, const conv_shape &s, group_plan *plan)
{
    const bool sizes = s.group_c == 4 || s.group_c == 8 || s.group_c == 16;
    const bool aligned = !s.channels_last || (s.c % GROUP_CHUNK == 0 && (uintptr_t)args.x % 16 == 0);
    if (s.groups < 2 || !sizes || s.group_k > 32 || !aligned || s.r * s.s > 128 ||
        conv2d_needs_phases(s.stride, s.stride_w))
        return false;
    *plan = {};
    plan->x = static_cast<const scalar_t *>(args.x);
    plan->weight = static_cast<const scalar_t *>(args.weight);
    plan->bias = static_cast<const scalar_t *>(args.bias);
    plan->out = static_cast<scalar_t *>(args.out);
    const int most = GROUP_SLICE / s.group_c;
    plan->together = most < s.groups ? most : s.groups;
    plan->slices = (s.groups + plan->together - 1) / plan->together;
    plan->pieces = (s.group_k + GROUP_OUTPUTS - 1) / GROUP_OUTPUTS;
    plan->steps = sizeof(scalar_t) == 4 ? s.r * s.s : (s.r * s.s * s.group_c + 15) / 16;
    find_group_tile(s, plan);
    plan->tiles = (int64_t)s.n * plan->tiles_p * plan->tiles_q;
    const int whole = s.channels_last ? plan->together * s.group_k | s.k : plan->wide | s.q;
    plan->vector = 1;
    while (plan->vector < GROUP_CHUNK && whole % (2 * plan->vector) == 0)
        plan->vector *= 2;
    if ((uintptr_t)args.out % 16 != 0)
        plan->vector = 1;
    return plan->slices <= 65535 && lay_out_group(s, plan);
}

#endif
