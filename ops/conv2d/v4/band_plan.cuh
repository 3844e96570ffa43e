// Tile plan for convolution by bands (band.cuh): tiles, pipeline stages and the shared-memory layout.
#ifndef ASSAY_OPS_CONV2D_V4_BAND_PLAN_CUH
#define ASSAY_OPS_CONV2D_V4_BAND_PLAN_CUH

#include "../../common/value_barrier.h"
#include "../conv_shape.cuh"
#include <assay/hopper.h>

template <int N_, int PAIRS_, int HALVES_>
struct band_config {
    static constexpr int N = N_, BM = 64; // positions of a warpgroup, channels
    static constexpr int PAIRS = PAIRS_, HALVES = HALVES_, PAIR_THREADS = 128 * HALVES, PRODUCERS = 128;
    static constexpr int THREADS = PRODUCERS + PAIRS * PAIR_THREADS;
    static constexpr int PRODUCER_REGISTERS = 40, REGISTERS = PAIRS * HALVES == 4 ? 104 : 232;
    static constexpr int WEIGHT_BYTES = BM * 64 * 2, BARRIER_BYTES = 1024, MAX_STAGES = 16;
    static constexpr int STAGING_ROW =
        (N * 2 + 111) / 128 * 128 + 16; // bytes; the 16 spread channels over the banks
    static constexpr int STAGING_BYTES = PAIRS * PAIR_THREADS / 32 * 8 * STAGING_ROW; // 8 channels a warp
};

constexpr int BAND_SHARED_LIMIT = 232448;

struct pipeline_skip { // what a number of steps amounts to
    int stages, parity;
};

struct band_plan {
    const scalar_t *bias;
    scalar_t *out;
    int tiles, tiles_m, bands;
    int rows;               // of positions, of a warpgroup
    int pitch, seen, plane; // pixels of a window's row; its rows; its pixels
    int window_bytes, steps_c, taps;
    int window_stages, weight_stages;
    pipeline_skip tile_windows, tile_weights; // of a tile
    int vector;                               // elements in which a channel's part of a band is stored
    bool resident;                            // the weights are copied once
};

struct pipeline_cursor {
    int stage = 0, parity = 0;
    __device__ __forceinline__ void advance(int stages)
    {
        if (++stage == stages)
            stage = 0, parity ^= 1;
    }
    __device__ __forceinline__ int last(int stages) const // the stage before this one
    {
        return stage > 0 ? stage - 1 : stages - 1;
    }
    __device__ __forceinline__ void skip(const pipeline_skip &by, int stages)
    {
        stage += by.stages;
        parity ^= by.parity;
        if (stage >= stages)
            stage -= stages, parity ^= 1;
    }
};

struct band_tile {
    int image, group, first_k, p; // first_k: in the group
};

// A block takes tiles blockIdx.x, blockIdx.x + gridDim.x and so on.
template <class C>
__device__ __forceinline__ band_tile find_band(const band_plan &plan, const conv_shape &s, int number)
{
    band_tile tile;
    value_barrier(number);
    // Channel tiles follow each other, so that blocks running at the same time share x in L2.
    tile.first_k = number % plan.tiles_m * 64;
    number /= plan.tiles_m;
    tile.p = number % plan.bands * plan.rows * C::HALVES;
    number /= plan.bands;
    tile.group = number % s.groups;
    tile.image = number / s.groups;
    return tile;
}

struct band_memory {
    uint64_t *full_x, *empty_x, *full_w, *empty_w;
    unsigned char *weights, *staging, *windows;
};

template <class C>
__device__ __forceinline__ band_memory band_memory_of(unsigned char *shared, const band_plan &plan)
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
            staging + C::STAGING_BYTES};
}

// The plan for bands of C; false where its rows do not fit.
template <class C>
static bool band_plan_of(const conv2d_args &args, const conv_shape &s, band_plan *plan)
{
    const int64_t pitch = s.w + 2 * (int64_t)s.padding_w, below = (int64_t)(s.r - 1) * s.dilation,
                  right = (int64_t)(s.s - 1) * s.dilation_w;
    if (s.stride != 1 || s.stride_w != 1 || s.q > C::N || pitch < 8 || pitch > 128 || below > 128)
        return false;
    *plan = {};
    plan->bias = static_cast<const scalar_t *>(args.bias);
    plan->out = static_cast<scalar_t *>(args.out);
    plan->pitch = (int)pitch;
    plan->rows = (C::N - s.q) / plan->pitch + 1;
    if (plan->rows > s.p)
        plan->rows = s.p;
    plan->seen = C::HALVES * plan->rows + (int)below; // a box may have 256
    plan->plane = plan->seen * plan->pitch;
    // The last warpgroup's last columns, which are dropped, lie behind the last plane.
    const int64_t read = ((C::HALVES - 1) * plan->rows + below) * pitch + right + C::N,
                  over = read > plan->plane ? read - plan->plane : 0;
    plan->window_bytes = (int)((plan->plane * 8 + over) * 16 + 127) / 128 * 128;
    plan->tiles_m = (s.group_k + C::BM - 1) / C::BM;
    plan->bands = (s.p + C::HALVES * plan->rows - 1) / (C::HALVES * plan->rows);
    plan->steps_c = (s.group_c + 63) / 64;
    plan->taps = s.r * s.s;
    const int64_t tiles = (int64_t)plan->tiles_m * plan->bands * s.groups * s.n,
                  steps = (int64_t)plan->steps_c * plan->taps;
    const int64_t room = BAND_SHARED_LIMIT - C::BARRIER_BYTES - C::STAGING_BYTES;
    if (tiles > INT32_MAX / 2 || steps > INT32_MAX / 2 || steps < 1 ||
        2 * ((int64_t)plan->window_bytes + C::WEIGHT_BYTES) > room)
        return false;
    plan->tiles = (int)tiles;
    const int64_t most_weights = (room - 2 * plan->window_bytes) / C::WEIGHT_BYTES,
                  wanted = steps < 9 ? steps : 9;
    plan->weight_stages = (int)(wanted < most_weights ? wanted : most_weights);
    const int64_t windows = (room - plan->weight_stages * C::WEIGHT_BYTES) / plan->window_bytes;
    plan->window_stages = (int)(windows < 4 ? windows : 4);
    plan->tile_windows = {plan->steps_c % plan->window_stages, plan->steps_c / plan->window_stages % 2};
    plan->tile_weights = {(int)(steps % plan->weight_stages), (int)(steps / plan->weight_stages % 2)};
    plan->resident = steps <= plan->weight_stages && plan->tiles_m * s.groups == 1;
    plan->vector = 8;
    while ((int64_t)s.p * s.q % plan->vector != 0 || plan->rows * s.q % plan->vector != 0)
        plan->vector /= 2;
    return true;
}

#endif
