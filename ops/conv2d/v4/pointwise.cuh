// f16 and bf16 convolution by 1x1 filters on Hopper (sm_90a): a product of weight and x as both lie in
// memory.
//
// Of every image, out [channels x positions] = weight [channels x terms] times x [terms x positions]. TMA
// copies and writes all of them, so nothing is packed; it fills in and leaves out what lies past the edges.
// Memory is the limit: a pixel of 64 channels is read once where the filter has up to 64 * WM channels.
// Blocks are persistent and take tiles of 64 * WM channels by 64 * WN positions:
//   producer   a thread copies x, 64 terms at a time, another the weights, each into a pipeline; weights that
//              fit into theirs as a whole are copied once;
//   consumers  four warpgroups of 64 channels by 64 positions each, whose results TMA writes while they begin
//              the next tile.
#ifndef ASSAY_OPS_CONV2D_V4_POINTWISE_CUH
#define ASSAY_OPS_CONV2D_V4_POINTWISE_CUH

#include "band.cuh"
#include <cstring>

template <int WM_, int WN_>
struct pointwise_config {
    static constexpr int WM = WM_, WN = WN_, BM = 64 * WM, BN = 64 * WN, CONSUMERS = WM * WN;
    static constexpr int THREADS = 128 * (1 + CONSUMERS), PRODUCER_REGISTERS = 40, REGISTERS = 104;
    static constexpr int BOX = 64 * 64, BUFFERS = 2; // elements of a box; finished boxes of a consumer
    static constexpr int X_ELEMENTS = WN * BOX, WEIGHT_ELEMENTS = WM * BOX;
    static constexpr int X_STAGES = WN == 1 ? 8 : WN == 2 ? 4 : 2, WEIGHT_STAGES = WM == 4 ? 2 : 4;
    static constexpr int BARRIER_BYTES = 1024;
    static constexpr int SHARED_BYTES =
        BARRIER_BYTES +
        2 * (X_STAGES * X_ELEMENTS + WEIGHT_STAGES * WEIGHT_ELEMENTS + CONSUMERS * BUFFERS * BOX);
    static_assert(SHARED_BYTES <= BAND_SHARED_LIMIT && CONSUMERS == 4, "see the kernel");
};

struct pointwise_plan {
    const scalar_t *bias;
    int tiles, tiles_m, tiles_n, steps; // steps: 64 terms at a time
    bool resident;                      // the weights are copied once
};

struct pointwise_tile {
    int image, k, position;
};

template <class C>
__device__ __forceinline__ bool find_tile(const pointwise_plan &plan, int turn, pointwise_tile &tile)
{
    int number = turn * static_cast<int>(gridDim.x) + static_cast<int>(blockIdx.x);
    if (number >= plan.tiles)
        return false;
    tile.k = number % plan.tiles_m * C::BM;
    number /= plan.tiles_m;
    tile.position = number % plan.tiles_n * C::BN;
    tile.image = number / plan.tiles_n;
    return true;
}

#if ASSAY_HOPPER_CODE

template <class C>
struct pointwise_memory {
    uint64_t *full_x, *empty_x, *full_w, *empty_w;
    scalar_t *x, *weights, *out;

    __device__ __forceinline__ explicit pointwise_memory(unsigned char *base)
        : full_x(reinterpret_cast<uint64_t *>(base)), empty_x(full_x + C::X_STAGES),
          full_w(empty_x + C::X_STAGES), empty_w(full_w + C::WEIGHT_STAGES),
          x(reinterpret_cast<scalar_t *>(base + C::BARRIER_BYTES)), weights(x + C::X_STAGES * C::X_ELEMENTS),
          out(weights + C::WEIGHT_STAGES * C::WEIGHT_ELEMENTS)
    {
    }
};

template <class C>
__device__ __forceinline__ void produce_image(const assay::tensor_map *map, const pointwise_memory<C> &shared,
                                              const pointwise_plan &plan)
{
    pipeline_cursor at;
    pointwise_tile tile;
    for (int turn = 0; find_tile<C>(plan, turn, tile); turn++)
        for (int step = 0; step < plan.steps; step++, at.advance(C::X_STAGES)) {
            assay::mbarrier_wait(&shared.empty_x[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&shared.full_x[at.stage], C::X_ELEMENTS * 2);
#pragma unroll
            for (int box = 0; box < C::WN; box++)
                assay::tma_load_3d(shared.x + at.stage * C::X_ELEMENTS + box * C::BOX, map,
                                   &shared.full_x[at.stage], tile.position + box * 64, step * 64, tile.image);
        }
}

template <class C>
__device__ __forceinline__ void produce_filters(const assay::tensor_map *map,
                                                const pointwise_memory<C> &shared, const pointwise_plan &plan)
{
    pipeline_cursor at;
    pointwise_tile tile;
    for (int turn = 0; find_tile<C>(plan, turn, tile) && (turn == 0 || !plan.resident); turn++)
        for (int step = 0; step < plan.steps; step++, at.advance(C::WEIGHT_STAGES)) {
            assay::mbarrier_wait(&shared.empty_w[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&shared.full_w[at.stage], C::WEIGHT_ELEMENTS * 2);
            assay::tma_load_2d(shared.weights + at.stage * C::WEIGHT_ELEMENTS, map, &shared.full_w[at.stage],
                               step * 64, tile.k);
        }
}

// Add the bias, round, and lay the sums out as TMA takes them. `bias`: of the warpgroup's first channel.
__device__ __forceinline__ void lay_out_box(scalar_t *box, const float (&sums)[32], const scalar_t *bias,
                                            int channels)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) % 128 / 32;
    const int row = warp * 16 + lane / 4;
    const float b[2] = {row < channels ? assay::to_float(bias[row]) : 0.0f,
                        row + 8 < channels ? assay::to_float(bias[row + 8]) : 0.0f};
    const int to = warp * 16 + lane % 16;
#pragma unroll
    for (int chunk = 0; chunk < 8; chunk += 2) {
        uint32_t r[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int from = chunk * 4 + i * 2;
            const assay::vec<scalar_t, 2> pair = {{assay::from_float<scalar_t>(sums[from] + b[i % 2]),
                                                   assay::from_float<scalar_t>(sums[from + 1] + b[i % 2])}};
            memcpy(&r[i], &pair, 4);
        }
        assay::stmatrix_x4(box + to * 64 + ((chunk + lane / 16) ^ to % 8) * 8, r);
    }
}

template <class C>
__device__ __forceinline__ void consume_image(const assay::tensor_map *map_out,
                                              const pointwise_memory<C> &shared, const pointwise_plan &plan,
                                              int channels)
{
    const int consumer = static_cast<int>(threadIdx.x) / 128 - 1, wm = consumer / C::WN,
              wn = consumer % C::WN;
    const bool elected = threadIdx.x % 128 == 0;
    scalar_t *out = shared.out + consumer * C::BUFFERS * C::BOX;
    pipeline_cursor at_x, at_w;
    pointwise_tile tile;
    float sums[32];
    for (int turn = 0; find_tile<C>(plan, turn, tile); turn++) {
        for (int step = 0; step < plan.steps; step++) {
            assay::mbarrier_wait(&shared.full_x[at_x.stage], at_x.parity);
            assay::mbarrier_wait(&shared.full_w[at_w.stage], at_w.parity);
            const scalar_t *x = shared.x + at_x.stage * C::X_ELEMENTS + wn * C::BOX,
                           *weights = shared.weights + at_w.stage * C::WEIGHT_ELEMENTS + wm * C::BOX;
            assay::wgmma_fence_operands(sums);
            assay::wgmma_fence();
#pragma unroll
            for (int k = 0; k < 64; k += 16)
                assay::wgmma_m64k16<scalar_t, 64>::run(sums, assay::wgmma_descriptor(weights + k, 16, 1024),
                                                       assay::wgmma_descriptor(x + k * 64, 8192, 1024),
                                                       step > 0 || k > 0);
            assay::wgmma_commit();
            assay::wgmma_wait<0>(); // memory decides: other warpgroups multiply meanwhile
            assay::wgmma_fence_operands(sums);
            band_release(&shared.empty_x[at_x.stage]);
            at_x.advance(C::X_STAGES);
            if (!plan.resident)
                band_release(&shared.empty_w[at_w.stage]);
            at_w.advance(C::WEIGHT_STAGES);
        }
        if (plan.resident)
            at_w = pipeline_cursor(); // the weights stay
        scalar_t *box = out + turn % C::BUFFERS * C::BOX;
        const int k = tile.k + wm * 64;
        if (elected)
            assay::tma_store_wait_read<C::BUFFERS - 1>(); // the buffer's last box is on its way
        assay::named_barrier_sync(1 + consumer, 128);
        lay_out_box(box, sums, plan.bias + k, channels - k);
        assay::fence_async_shared();
        assay::named_barrier_sync(1 + consumer, 128);
        if (elected) {
            assay::tma_store_3d(map_out, box, tile.position + wn * 64, k, tile.image);
            assay::tma_store_commit();
        }
    }
    if (elected)
        assay::tma_store_wait_read<0>();
}

#endif

template <class C>
static __global__ void __launch_bounds__(C::THREADS, 1)
    conv2d_pointwise(const __grid_constant__ assay::tensor_map map_x,
                     const __grid_constant__ assay::tensor_map map_w,
                     const __grid_constant__ assay::tensor_map map_out, const pointwise_plan plan,
                     int channels)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const pointwise_memory<C> shared(memory);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_x);
        assay::tma_prefetch_map(&map_w);
        assay::tma_prefetch_map(&map_out);
        for (int i = 0; i < C::X_STAGES; i++) {
            assay::mbarrier_init(&shared.full_x[i], 1);
            assay::mbarrier_init(&shared.empty_x[i], 4 * C::CONSUMERS);
        }
        for (int i = 0; i < C::WEIGHT_STAGES; i++) {
            assay::mbarrier_init(&shared.full_w[i], 1);
            assay::mbarrier_init(&shared.empty_w[i], 4 * C::CONSUMERS);
        }
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        assay::registers_decrease<C::PRODUCER_REGISTERS>();
        if (threadIdx.x == 0)
            produce_image<C>(&map_x, shared, plan);
        else if (threadIdx.x == 32)
            produce_filters<C>(&map_w, shared, plan);
    } else {
        assay::registers_increase<C::REGISTERS>();
        consume_image<C>(&map_out, shared, plan, channels);
    }
#endif
}

// Whether x, weight and out can be copied as they lie: 1x1 filters, rows of images and filters aligned to 16
// bytes.
static bool pointwise_fits(const conv2d_args &args, const conv_shape &s)
{
    const uintptr_t addresses = (uintptr_t)args.x | (uintptr_t)args.weight | (uintptr_t)args.out;
    return s.r * s.s == 1 && s.stride == 1 && s.padding == 0 && !s.by_direction && s.groups == 1 &&
           s.h * s.w % 8 == 0 && s.c % 8 == 0 && addresses % 16 == 0;
}

template <class C>
static assay_status pointwise_launch(const conv2d_args &args, const conv_shape &s, assay_stream stream)
{
    const int64_t positions = (int64_t)s.h * s.w, tiles_m = (s.k + C::BM - 1) / C::BM,
                  tiles_n = (positions + C::BN - 1) / C::BN, tiles = tiles_m * tiles_n * s.n;
    if (tiles > INT32_MAX / 2)
        return ASSAY_ERR_UNSUPPORTED;
    pointwise_plan plan = {static_cast<const scalar_t *>(args.bias),
                           (int)tiles,
                           (int)tiles_m,
                           (int)tiles_n,
                           (s.c + 63) / 64,
                           false};
    plan.resident = plan.steps <= C::WEIGHT_STAGES && tiles_m == 1;
    assay::tensor_map map_x = {}, map_w = {}, map_out = {};
    assay_status status = assay::tensor_map_nd<scalar_t, 3>(&map_x, static_cast<const scalar_t *>(args.x),
                                                            {positions, s.c, s.n},
                                                            {positions, positions * s.c}, {64, 64, 1}, true);
    if (status == ASSAY_OK)
        status = assay::tensor_map_2d(&map_w, static_cast<const scalar_t *>(args.weight), s.k, s.c, s.c,
                                      C::BM, 64);
    if (status == ASSAY_OK)
        status = assay::tensor_map_nd<scalar_t, 3>(&map_out, static_cast<const scalar_t *>(args.out),
                                                   {positions, s.k, s.n}, {positions, positions * s.k},
                                                   {64, 64, 1}, true);
    if (status != ASSAY_OK)
        return status;
    const int room = assay::multiprocessor_count();
    return assay::launch(conv2d_pointwise<C>, dim3((unsigned)(tiles < room ? tiles : room)), dim3(C::THREADS),
                         C::SHARED_BYTES, stream, map_x, map_w, map_out, plan, s.k);
}

#endif
