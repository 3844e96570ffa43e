// conv2d, step 3d: TMA windows, and warps with roles. f16 and bf16, sm_90a.
//
// A tile is 64 * WM output channels by up to 256 output positions: whole rows, or parts of a row, of one or
// several images. For each tap of the filter and every 64 input channels the positions see a window of x,
// which is a box of TMA: TMA fills the padding and all that lies outside with zeros, picks every stride-th
// pixel, and lays 64 channels of a pixel as the 128-byte row that wgmma reads. No thread computes an address
// of an element.
//   producer   one thread starts the copies of a window and of its weights into the next free stage;
//   consumers  WM warpgroups multiply 64 channels by 256 positions each, straight from shared memory.
// mbarriers pass the stages on: `full` ones count the bytes that have landed, `empty` ones the consumer warps
// that are done. Positions past the tile's are computed and dropped. x and weight are packed as in step 3b
// where they do not lie so. Strides above 8, which TMA does not offer, see a copy of x by the phases of the
// stride (stride_phases.cuh), in which a window is a box of neighbours.
// Expected effect: one and a half to two times step 3c where the tile is full. A tap's window is copied anew
// although most of its pixels were in the window of the tap before it.
// Next: step 4 lets the taps share a window, keeps blocks for several tiles, chooses the tile by the shape,
// and has kernels for 1x1 filters, three channels, few positions and f32.
// Tunables: none.
#include <assay/hopper.h>
#include <assay/kernel.h>
#include "conv2d.h"
#include "implicit_gemm.cuh"
#include "stride_phases.cuh"

static constexpr int BN = 256, STAGES = 4;

// WM: warpgroups of 64 output channels.
template <int WM_>
struct tile_config {
    static constexpr int WM = WM_, BM = 64 * WM, THREADS = 128 * (1 + WM);
    static constexpr int WEIGHT_BYTES = BM * 128, WINDOW_BYTES = BN * 128,
                         STAGE_BYTES = WEIGHT_BYTES + WINDOW_BYTES;
    static constexpr int BARRIER_BYTES = 1024, SHARED_BYTES = BARRIER_BYTES + STAGES * STAGE_BYTES;
    static_assert(finished_tile<BM, BN>::ELEMENTS * 2 <= STAGES * STAGE_BYTES && SHARED_BYTES <= 232448,
                  "shared memory");
};

struct window_tiles {
    int wide, high, images;          // output positions of a tile: columns, rows, images
    int across, down, deep, tiles_k; // tiles along each, and of a group's output channels
    int steps_c;                     // 64 input channels each
};

// Tiles of up to BN positions, as even as possible; several images only where a tile has all of their rows. A
// box spans up to 256 pixels.
static window_tiles divide(const conv_shape &s, const stride_phases &f, int rows)
{
    const int reach = 256 / f.stride, reach_w = 256 / f.stride_w;
    const auto even = [](int size, int most) { // the size of the parts where none exceeds `most`
        const int parts = (size + most - 1) / most;
        return (size + parts - 1) / parts;
    };
    window_tiles t = {};
    t.wide = even(s.q, reach_w < BN ? reach_w : BN);
    t.high = even(s.p, BN / t.wide < reach ? BN / t.wide : reach);
    t.images = t.wide == s.q && t.high == s.p && s.groups == 1 ? even(s.n, BN / (t.wide * t.high)) : 1;
    t.across = (s.q + t.wide - 1) / t.wide;
    t.down = (s.p + t.high - 1) / t.high;
    t.deep = (s.n + t.images - 1) / t.images;
    t.tiles_k = (s.group_k + rows - 1) / rows;
    return t;
}

#if ASSAY_HOPPER_CODE

// The block's tile: its first output channel of the group, column, row and image.
struct block_tile {
    int k, q, p, group, image;
};

template <class C>
static __device__ __forceinline__ block_tile tile_of(const window_tiles &t, int groups)
{
    int number = (int)blockIdx.x;
    block_tile tile;
    tile.k = number % t.tiles_k * C::BM, number /= t.tiles_k;
    tile.q = number % t.across * t.wide, number /= t.across;
    tile.p = number % t.down * t.high, number /= t.down;
    tile.group = number % groups;
    tile.image = number / groups * t.images;
    return tile;
}

template <class C>
static __device__ __forceinline__ void produce(const assay::tensor_map *map_x, const assay::tensor_map *map_w,
                                               unsigned char *stages, uint64_t *full, uint64_t *empty,
                                               const conv_shape &s, const stride_phases &f,
                                               const window_tiles &t, const block_tile &tile)
{
    const int bytes = t.wide * t.high * t.images * 128 + C::WEIGHT_BYTES, taps = s.r * s.s;
    for (int step = 0; step < t.steps_c * taps; step++) {
        const int tap = step % taps, c = step / taps * 64, at = step % STAGES;
        unsigned char *stage = stages + at * C::STAGE_BYTES;
        assay::mbarrier_wait(&empty[at], (step / STAGES & 1) ^ 1); // a stage's first use finds it empty
        assay::mbarrier_arrive_expect(&full[at], bytes);
        const window_start first = window_start_of(s, f, tap / s.s, tap % s.s);
        assay::tma_load_4d(stage, map_x, &full[at], c, tile.q * f.stride_w + first.w,
                           tile.p * f.stride + first.h, first.image + tile.image * s.groups + tile.group);
        assay::tma_load_3d(stage + C::WINDOW_BYTES, map_w, &full[at], c, tap,
                           tile.group * s.group_k + tile.k);
    }
}

template <class C>
static __device__ __forceinline__ void consume(unsigned char *stages, uint64_t *full, uint64_t *empty,
                                               const gemm_operands &o, const conv_shape &s,
                                               const window_tiles &t, const block_tile &tile)
{
    const int thread = (int)threadIdx.x - 128, lane = thread % 32, row = thread / 32 * 16 + lane / 4;
    const int steps = t.steps_c * s.r * s.s;
    float sums[BN / 2] = {};
    for (int step = 0; step < steps; step++) {
        const unsigned char *stage = stages + step % STAGES * C::STAGE_BYTES;
        const uint64_t window = assay::wgmma_descriptor(stage, 16, 1024),
                       weights =
                           assay::wgmma_descriptor(stage + C::WINDOW_BYTES + thread / 128 * 8192, 16, 1024);
        assay::mbarrier_wait(&full[step % STAGES], step / STAGES & 1);
        assay::wgmma_fence_operands(sums);
        assay::wgmma_fence();
#pragma unroll
        for (int k = 0; k < 4; k++) // 16 channels are 32 bytes of a row; descriptors count 16
            assay::wgmma_m64k16<scalar_t, BN, false>::run(sums, weights + k * 2, window + k * 2, 1);
        assay::wgmma_commit();
        assay::wgmma_wait<1>(); // the products of the step before this one
        if (step > 0 && lane == 0)
            assay::mbarrier_arrive(&empty[(step - 1) % STAGES]);
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    assay::named_barrier_sync(1, 128 * C::WM); // the stages' memory is free from here on

    const finished_tile<C::BM, BN> finished(reinterpret_cast<scalar_t *>(stages), s.channels_last != 0);
    const int channel = tile.group * s.group_k + tile.k, channels = s.group_k - tile.k;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int k = row + h * 8;
        const float bias = k < channels ? assay::to_float(o.bias[channel + k]) : 0.0f;
#pragma unroll
        for (int i = 0; i < BN / 4; i++)
            finished.put(k, i / 2 * 8 + lane % 4 * 2 + i % 2, sums[i / 2 * 4 + h * 2 + i % 2] + bias);
    }
    assay::named_barrier_sync(1, 128 * C::WM);
    store_tile_wide<128 * C::WM>(
        finished, o.out, s, channel, channels, s.channels_last ? s.group_k : s.q | t.wide, thread,
        [&](int column) {
            const int q = tile.q + column % t.wide, p = tile.p + column / t.wide % t.high;
            const int in_tile = column / t.wide / t.high, n = tile.image + in_tile;
            return q < s.q && p < s.p && in_tile < t.images && n < s.n ? (n * s.p + p) * s.q + q : -1;
        });
}

#endif

template <class C>
static __global__ void __launch_bounds__(C::THREADS, 1)
    conv2d_v3d(const __grid_constant__ assay::tensor_map map_x,
               const __grid_constant__ assay::tensor_map map_w, const gemm_operands o, const conv_shape s,
               const stride_phases f, const window_tiles t)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + STAGES;
    const block_tile tile = tile_of<C>(t, s.groups);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            assay::mbarrier_init(&full[i], 1);
            assay::mbarrier_init(&empty[i], 4 * C::WM);
        }
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        if constexpr (C::WM > 1)
            assay::registers_decrease<40>();
        if (threadIdx.x == 0)
            produce<C>(&map_x, &map_w, shared + C::BARRIER_BYTES, full, empty, s, f, t, tile);
    } else {
        if constexpr (C::WM > 1) // one warpgroup has enough from the start
            assay::registers_increase<232>();
        consume<C>(shared + C::BARRIER_BYTES, full, empty, o, s, t, tile);
    }
#endif
}

// The operands of a problem: as in step 3b, or x by the phases of its stride.
static assay_status make_window_operands(const conv2d_args &args, const conv_shape &s, const stride_phases &f,
                                         gemm_operands *o, assay_stream stream)
{
    if (!f.copied)
        return make_operands(args, s, o, stream);
    if (args.workspace_bytes < conv2d_workspace_bytes(&args, sizeof(scalar_t)))
        return ASSAY_ERR_INVALID;
    *o = operands_as_they_lie(args, s);
    o->x = packed_image(args);
    const assay_status status = copy_phases(args, s, f, o->chunks, packed_image(args), stream);
    return status == ASSAY_OK ? make_weight_operand(args, s, o, stream) : status;
}

template <class C>
static assay_status run(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    const stride_phases f = stride_phases_of(s);
    window_tiles t = divide(s, f, C::BM);
    const int64_t tiles = (int64_t)t.tiles_k * t.across * t.down * s.groups * t.deep;
    const int64_t images = (int64_t)s.n * s.groups * f.down * f.across;
    if (tiles > INT32_MAX || images > INT32_MAX)
        return ASSAY_ERR_UNSUPPORTED;
    gemm_operands o;
    assay_status status = make_window_operands(args, s, f, &o, stream);
    assay::tensor_map map_x = {}, map_w = {};
    const int64_t c = o.chunks * 8, taps = (int64_t)s.r * s.s, row = c * f.w, plane = row * f.h;
    t.steps_c = (o.chunks + 7) / 8;
    if (status == ASSAY_OK && c > 0) // a box spans what lies between the pixels that a stride picks
        status = assay::tensor_map_strided<scalar_t, 4>(
            &map_x, o.x, {c, f.w, f.h, images}, {c, row, plane},
            {64, t.wide * f.stride_w, t.high * f.stride, t.images}, {1, f.stride_w, f.stride, 1}, true);
    if (status == ASSAY_OK && c > 0)
        status = assay::tensor_map_nd<scalar_t, 3>(&map_w, o.weight, {c, taps, s.k}, {c, c * taps},
                                                   {64, 1, C::BM}, true);
    return status != ASSAY_OK ? status
                              : assay::launch(conv2d_v3d<C>, dim3((unsigned)tiles), dim3(C::THREADS),
                                              C::SHARED_BYTES, stream, map_x, map_w, o, s, f, t);
}

extern "C" assay_status conv2d_run(const conv2d_args *args, assay_stream stream)
{
    if (!assay::hopper_available())
        return ASSAY_ERR_UNSUPPORTED;
    conv_shape s;
    const assay_status status = conv_shape_of(*args, &s);
    if (status != ASSAY_OK || s.positions == 0 || s.k == 0)
        return status;
    return s.group_k > 64 ? run<tile_config<2>>(*args, s, stream) : run<tile_config<1>>(*args, s, stream);
}
