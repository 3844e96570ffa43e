// How a 3x3 convolution by shifted sums (v4_shift.cuh) is divided, and the weights it takes.
#ifndef ASSAY_OPS_CONV2D_V4_SHIFT_PLAN_CUH
#define ASSAY_OPS_CONV2D_V4_SHIFT_PLAN_CUH

#include "v4_band_plan.cuh"
#include "v4_pack.cuh"

constexpr int SHIFT_CHANNELS = 64;                          // of a window
constexpr int SHIFT_GROUP_BYTES = SHIFT_CHANNELS * 16 + 16; // 8 places; the 16 spread groups over the banks

// A cluster's blocks have tiles of the same channels, whose weights each of them copies a part of for all.
// BOXES: x's rows are at most 64 places and come by the copy engine, swizzled.
template <int N_, int PAIRS_, int HALVES_, int CLUSTER_, bool BOXES_>
struct shift_config : band_config<N_, PAIRS_, HALVES_> {
    static constexpr int CLUSTER = CLUSTER_;
    static constexpr bool BOXES = BOXES_;
    static constexpr int PADS_AT = 512; // bytes: behind the barriers
    using base = band_config<N_, PAIRS_, HALVES_>;
    static_assert(4 * base::MAX_STAGES * 8 <= PADS_AT && PADS_AT + base::BM * 8 <= base::BARRIER_BYTES,
                  "barriers and pads have room");
};

// Whether x's rows can be copied as they lie, in pieces of 4 bytes at least, and filters are 3x3 and keep the image's size.
static bool shift_fits(const conv2d_args &args, const conv_shape &s)
{
    return s.r == 3 && s.s == 3 && s.stride == 1 && s.padding == 1 && s.dilation == 1 &&
           s.group_c % SHIFT_CHANNELS == 0 && s.w % 8 == 0 && (uintptr_t)args.x % 16 == 0 &&
           s.k * (int64_t)sizeof(float[2]) <= conv2d_packed_image_bytes(&args, sizeof(scalar_t));
}

// The plan for tiles of C; false where its rows do not fit. Pitch and plane of the plan count places with 8 side by side.
template <class C>
static bool shift_plan_of(const conv2d_args &args, const conv_shape &s, band_plan *plan)
{
    const int64_t pitch = !C::BOXES ? (s.w + 7) / 8 * (int64_t)8 : s.w > 32 ? 64 : s.w > 16 ? 32 : 16;
    if (!shift_fits(args, s) || C::N % pitch != 0 || (C::BOXES && (s.w > 64 || s.w % 8 != 0)))
        return false;
    *plan = {};
    plan->bias = static_cast<const scalar_t *>(args.bias);
    plan->out = static_cast<scalar_t *>(args.out);
    plan->pitch = (int)pitch;
    plan->rows = C::N / plan->pitch;
    if (plan->rows > s.p)
        plan->rows = s.p;
    plan->seen = C::HALVES * plan->rows + 2;
    plan->plane = plan->seen * plan->pitch;
    // The last places of a warpgroup, which are dropped, may lie behind the last row.
    const int read = ((C::HALVES - 1) * plan->rows + 2) * plan->pitch + C::N,
              last = read > plan->plane ? read : plan->plane;
    plan->row_bytes = C::BOXES ? plan->pitch * 2 * SHIFT_CHANNELS : plan->pitch / 8 * SHIFT_GROUP_BYTES;
    const int bytes =
        C::BOXES ? (last + plan->pitch - 1) / plan->pitch * plan->row_bytes : last / 8 * SHIFT_GROUP_BYTES;
    plan->window_bytes = (bytes + 1023) / 1024 * 1024;
    plan->tiles_m = (s.group_k + C::BM - 1) / C::BM;
    plan->bands = (s.p + C::HALVES * plan->rows - 1) / (C::HALVES * plan->rows);
    plan->steps_c = s.group_c / SHIFT_CHANNELS;
    plan->taps = 9;
    const int64_t tiles = (int64_t)plan->tiles_m * plan->bands * s.groups * s.n,
                  steps = (int64_t)plan->steps_c * plan->taps;
    const int64_t room = BAND_SHARED_LIMIT - C::BARRIER_BYTES - C::STAGING_BYTES;
    if (tiles > INT32_MAX / 2 || steps > INT32_MAX / 2 ||
        2 * ((int64_t)plan->window_bytes + C::WEIGHT_BYTES) > room)
        return false;
    if (C::CLUSTER > 1 && (s.groups > 1 || (int64_t)plan->bands * s.n % C::CLUSTER != 0))
        return false;
    plan->tiles = (int)tiles;
    const int64_t most_weights = (room - 2 * plan->window_bytes) / C::WEIGHT_BYTES;
    plan->weight_stages = (int)(most_weights < 9 ? most_weights : 9);
    const int64_t windows = (room - plan->weight_stages * C::WEIGHT_BYTES) / plan->window_bytes;
    plan->window_stages = (int)(windows < 4 ? windows : 4);
    plan->tile_windows = {plan->steps_c % plan->window_stages, plan->steps_c / plan->window_stages % 2};
    plan->tile_weights = {(int)(steps % plan->weight_stages), (int)(steps / plan->weight_stages % 2)};
    plan->resident = steps <= plan->weight_stages && plan->tiles_m * s.groups == 1;
    plan->own_weights = plan->resident && C::CLUSTER == 1 && (uintptr_t)args.weight % 16 == 0;
    plan->vector = 8; // rows are even
    while ((int64_t)s.p * s.q % plan->vector != 0)
        plan->vector /= 2;
    return true;
}

// As find_band, with the blocks of a cluster beside each other along places.
template <class C>
__device__ __forceinline__ band_tile find_shifted(const band_plan &plan, const conv_shape &s, int number)
{
    band_tile tile;
    keep_here(number);
    const int rank = number % C::CLUSTER;
    number /= C::CLUSTER;
    tile.first_k = number % plan.tiles_m * 64;
    number = number / plan.tiles_m * C::CLUSTER + rank;
    tile.p = number % plan.bands * plan.rows * C::HALVES;
    number /= plan.bands;
    tile.group = number % s.groups;
    tile.image = number / s.groups;
    return tile;
}

constexpr int FILTER_THREADS = 128;

// A block packs a filter: [tap][c], as v4_pack.cuh does. pads[k] is what the padding left and right of a row adds to a sum: 0, or NaN
// where a weight that meets it is infinite or NaN.
static __global__ void __launch_bounds__(FILTER_THREADS)
    conv2d_pack_filters(const scalar_t *weight, scalar_t *packed, float *pads, int group_c)
{
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
    __shared__ float of_warp[FILTER_THREADS / 32][2];
    const int64_t k = blockIdx.x;
    const int chunks = group_c / 8, t = (int)threadIdx.x;
    float pad[2] = {};
    for (int i = t; i < chunks * 9; i += FILTER_THREADS) {
        const int tap = i % 9, first_c = i / 9 * 8;
        assay::vec<scalar_t, 8> chunk;
        float zero = 0.0f;
#pragma unroll
        for (int c = 0; c < 8; c++) {
            chunk[c] = weight[(k * group_c + first_c + c) * 9 + tap];
            zero += 0.0f * assay::to_float(chunk[c]);
        }
        assay::store_vec(packed + (k * 9 + tap) * group_c + first_c, chunk);
        if (tap % 3 == 0)
            pad[0] += zero;
        else if (tap % 3 == 2)
            pad[1] += zero;
    }
#pragma unroll
    for (int side = 0; side < 2; side++) {
#pragma unroll
        for (int other = 16; other > 0; other /= 2)
            pad[side] += __shfl_xor_sync(0xffffffffu, pad[side], other);
        if (t % 32 == 0)
            of_warp[t / 32][side] = pad[side];
    }
    __syncthreads();
    if (t < 2) {
        float sum = 0.0f;
        for (int warp = 0; warp < FILTER_THREADS / 32; warp++)
            sum += of_warp[warp][t];
        pads[k * 2 + t] = sum;
    }
#endif
}

static assay_status pack_filters(const conv2d_args &args, const conv_shape &s, const scalar_t **packed,
                                 const float **pads, assay_stream stream)
{
    if (args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return ASSAY_ERR_INVALID;
    scalar_t *to = static_cast<scalar_t *>(args.workspace);
    float *sides = reinterpret_cast<float *>(static_cast<char *>(args.workspace) +
                                             conv2d_packed_weight_bytes(&args, sizeof(scalar_t)));
    *packed = to;
    *pads = sides;
    return assay::launch(conv2d_pack_filters, dim3((unsigned)s.k), dim3(FILTER_THREADS), 0, stream,
                         static_cast<const scalar_t *>(args.weight), to, sides, s.group_c);
}

#endif
