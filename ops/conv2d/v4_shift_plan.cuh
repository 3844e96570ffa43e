// How a 3x3 convolution by shifted sums (v4_shift.cuh) is divided.
#ifndef ASSAY_OPS_CONV2D_V4_SHIFT_PLAN_CUH
#define ASSAY_OPS_CONV2D_V4_SHIFT_PLAN_CUH

#include "v4_band_plan.cuh"

// Two warpgroups of 128 places: three sums of more would not fit into registers.
using shift_tile = band_config<128, 1, 2>;

constexpr int SHIFT_CHANNELS = 64;                          // of a window
constexpr int SHIFT_GROUP_BYTES = SHIFT_CHANNELS * 16 + 16; // 8 places; the 16 spread groups over the banks
constexpr int SHIFT_LEAST_CHANNELS = 128;                   // of a group: bands are faster with 64

// Whether filters are 3x3 and keep the image's size, and rows are whole vectors and fill a tile.
static bool shift_fits(const conv2d_args &args, const conv_shape &s)
{
    return s.r == 3 && s.s == 3 && s.stride == 1 && s.padding == 1 && s.dilation == 1 &&
           s.group_c % SHIFT_CHANNELS == 0 && s.group_c >= SHIFT_LEAST_CHANNELS && s.w % 8 == 0 &&
           shift_tile::N % s.w == 0 && (uintptr_t)args.x % 16 == 0 &&
           s.k * (int64_t)sizeof(float[2]) <= conv2d_packed_image_bytes(&args, sizeof(scalar_t));
}

// The plan; false where the convolution is not one for shifted sums.
static bool shift_plan_of(const conv2d_args &args, const conv_shape &s, band_plan *plan)
{
    using C = shift_tile;
    if (!shift_fits(args, s))
        return false;
    *plan = {};
    plan->bias = static_cast<const scalar_t *>(args.bias);
    plan->out = static_cast<scalar_t *>(args.out);
    plan->pitch = s.w;
    plan->rows = C::N / s.w < s.p ? C::N / s.w : s.p;
    plan->seen = C::HALVES * plan->rows + 2;
    // A warpgroup reads 128 places for each row of the filter, in low images behind the last row, too.
    const int read = (plan->rows + 2) * s.w + C::N;
    plan->window_bytes = (read / 8 * SHIFT_GROUP_BYTES + 1023) / 1024 * 1024;
    plan->tiles_m = (s.group_k + C::BM - 1) / C::BM;
    plan->bands = (s.p + C::HALVES * plan->rows - 1) / (C::HALVES * plan->rows);
    plan->steps_c = s.group_c / SHIFT_CHANNELS;
    plan->taps = 9;
    const int64_t tiles = (int64_t)plan->tiles_m * plan->bands * s.groups * s.n;
    if (tiles > INT32_MAX / 2)
        return false;
    plan->tiles = (int)tiles;
    plan->weight_stages = plan->taps;
    const int windows =
        (BAND_SHARED_LIMIT - C::BARRIER_BYTES - C::STAGING_BYTES - plan->weight_stages * C::WEIGHT_BYTES) /
        plan->window_bytes;
    plan->window_stages = windows < 4 ? windows : 4; // two at least: rows of 128 places need most
    return true;
}

#endif
