// f16 and bf16 convolution from windows of x on Hopper (sm_90a): implicit GEMM that gathers by addresses
// alone.
//
// Step 3d with these additions:
//   - Taps share a window. wgmma's second operand, positions by channels, may begin at any pixel of a window,
//     because the swizzle goes by addresses. So the taps of a filter (for strides: one tap) read one window
//     from different pixels. Columns of the product between two rows of positions are computed and dropped.
//   - Blocks are persistent. PAIRS teams of WM warpgroups take alternate tiles, so that one stores its tile
//     while the other multiplies.
//   - Windows and weights have pipelines of their own; weights that fit into theirs as a whole are copied
//     once.
//   - The finished tile is turned by transposing stores to shared memory and written by TMA, which leaves out
//     what lies past the edges.
// The tile is 64 * WM output channels by up to N positions, whole rows of one or several images. x and weight
// are read as they lie, channels last, or from a copy (pack_last.cuh).
#ifndef ASSAY_OPS_CONV2D_V4_WINDOW_CUH
#define ASSAY_OPS_CONV2D_V4_WINDOW_CUH

#include "window_store.cuh"

#if ASSAY_HOPPER_CODE

// By one thread.
template <class C>
__device__ __forceinline__ void begin_window_barriers(const window_memory &shared, const window_plan &plan)
{
    for (int i = 0; i < plan.window_stages; i++) {
        assay::mbarrier_init(&shared.full_x[i], 1);
        assay::mbarrier_init(&shared.empty_x[i], C::TEAM / 32);
    }
    for (int i = 0; i < plan.weight_stages; i++) {
        assay::mbarrier_init(&shared.full_w[i], 1);
        assay::mbarrier_init(&shared.empty_w[i], C::TEAM / 32);
    }
    assay::mbarrier_fence_init();
}

// The steps of a tile in the order in which all roles take them: `visit(c, r, s)` for every window, whose
// first tap is r, s.
template <class Visit>
__device__ __forceinline__ void for_each_window(const window_plan &plan, const Visit &visit)
{
    for (int c = 0; c < plan.steps_c; c++)
        for (int r = 0; r < plan.taps_r; r += plan.form.inner_r)
            for (int s = 0; s < plan.taps_s; s += plan.form.inner_s)
                visit(c, r, s);
}

template <class C>
__device__ __forceinline__ void produce_window_weights(const assay::tensor_map *map,
                                                       const window_memory &shared, const window_plan &plan)
{
    pipeline_cursor at;
    const int grid = static_cast<int>(gridDim.x), begin = static_cast<int>(blockIdx.x);
    for (int number = begin; number < plan.tiles && (number == begin || !plan.resident); number += grid) {
        const window_tile tile = find_window<C>(plan, number);
        const int k = tile.group * plan.group_k + tile.first_k;
        for_each_window(plan, [&](int c, int first_r, int first_s) {
            for (int r = first_r; r < first_r + plan.form.inner_r; r++)
                for (int s = first_s; s < first_s + plan.form.inner_s; s++, at.advance(plan.weight_stages)) {
                    assay::mbarrier_wait(&shared.empty_w[at.stage], at.parity ^ 1);
                    assay::mbarrier_arrive_expect(&shared.full_w[at.stage], C::WEIGHT_BYTES);
                    assay::tma_load_3d(shared.weights + at.stage * C::WEIGHT_BYTES, map,
                                       &shared.full_w[at.stage], c * 64, r * plan.taps_s + s, k);
                }
        });
    }
}

template <class C>
__device__ __forceinline__ void produce_image_windows(const assay::tensor_map *map,
                                                      const window_memory &shared, const window_plan &plan)
{
    pipeline_cursor at;
    const int bytes = plan.form.pitch * plan.form.rows * plan.form.images * 128;
    for (int number = static_cast<int>(blockIdx.x); number < plan.tiles;
         number += static_cast<int>(gridDim.x)) {
        const window_tile tile = find_window<C>(plan, number);
        const int left = tile.q * plan.stride_w - plan.padding_w, top = tile.p * plan.stride - plan.padding;
        for_each_window(plan, [&](int c, int r, int s) {
            assay::mbarrier_wait(&shared.empty_x[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&shared.full_x[at.stage], bytes);
            assay::tma_load_4d(shared.windows + at.stage * plan.window_bytes, map, &shared.full_x[at.stage],
                               tile.group * plan.group_c + c * 64, left + s * plan.dilation_w,
                               top + r * plan.dilation, tile.image);
            at.advance(plan.window_stages);
        });
    }
}

// A consumer warp is done with a stage.
__device__ __forceinline__ void window_release(uint64_t *empty)
{
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(empty);
}

// The products of a tile. Both cursors move on by the tile's stages. `row`: of the team's warpgroups.
template <class C>
__device__ __forceinline__ void multiply_windows(float (&sums)[C::N / 2], const window_memory &shared,
                                                 const window_plan &plan, pipeline_cursor &at_x,
                                                 pipeline_cursor &at_w, int row)
{
    const int inner = plan.form.inner_r * plan.form.inner_s;
    const uint64_t first_weights = assay::wgmma_descriptor(shared.weights + row * 8192, 16, 1024);
    bool begun = false;
    for (int step = 0; step < plan.steps; step++, at_x.advance(plan.window_stages)) {
        assay::mbarrier_wait(&shared.full_x[at_x.stage], at_x.parity);
        // Moves on from tap to tap; a descriptor counts in 16 bytes, of which a pixel has 8.
        uint64_t window = assay::wgmma_descriptor(shared.windows + at_x.stage * plan.window_bytes, 16, 1024);
        int right = 0;
        for (int tap = 0; tap < inner; tap++, at_w.advance(plan.weight_stages)) {
            assay::mbarrier_wait(&shared.full_w[at_w.stage], at_w.parity);
            const uint64_t weights =
                first_weights + static_cast<unsigned>(at_w.stage * (C::WEIGHT_BYTES / 16));
            assay::wgmma_fence_operands(sums);
            assay::wgmma_fence();
#pragma unroll
            for (int k = 0; k < 4; k++)
                assay::wgmma_m64k16<scalar_t, C::N, false>::run(sums, weights + k * 2, window + k * 2,
                                                                begun || k > 0);
            assay::wgmma_commit();
            assay::wgmma_wait<1>(); // the products of the step before are done with what they read
            if (begun && !plan.resident)
                window_release(&shared.empty_w[at_w.last(plan.weight_stages)]);
            if (begun && tap == 0)
                window_release(&shared.empty_x[at_x.last(plan.window_stages)]);
            begun = true;
            right++;
            window +=
                static_cast<unsigned>(8 * (right == plan.form.inner_s ? plan.dilation * plan.form.pitch -
                                                                            plan.dilation_w * (right - 1)
                                                                      : plan.dilation_w));
            right = right == plan.form.inner_s ? 0 : right;
        }
    }
    assay::wgmma_wait<0>();
    assay::wgmma_fence_operands(sums);
    window_release(&shared.empty_x[at_x.last(plan.window_stages)]);
    if (plan.resident)
        at_w = pipeline_cursor(); // the weights stay
    else
        window_release(&shared.empty_w[at_w.last(plan.weight_stages)]);
}

template <class C>
__device__ __forceinline__ void consume_windows(const assay::tensor_map *map_out, const window_memory &shared,
                                                const window_plan &plan)
{
    const int thread = static_cast<int>(threadIdx.x) - C::PRODUCERS, team = thread / C::TEAM,
              row = thread / 128 % C::WM, warpgroup = thread / 128;
    const int grid = static_cast<int>(gridDim.x),
              channel = row * 64 + thread % 128 / 32 * 16 + thread % 32 / 4;
    const bool elected = thread % 128 == 0;
    pipeline_cursor at_x, at_w;
    const auto skip_tile = [&] { // the other team's
        at_x.skip(plan.tile_windows, plan.window_stages);
        if (!plan.resident)
            at_w.skip(plan.tile_weights, plan.weight_stages);
    };
    float sums[C::N / 2];
    if (C::PAIRS == 2 && team == 1) {
        assay::named_barrier_arrive(1, 2 * C::TEAM); // the first team begins
        skip_tile();
    }
    int buffer = 0;
    for (int number = static_cast<int>(blockIdx.x) + team * grid; number < plan.tiles;
         number += C::PAIRS * grid) {
        const window_tile tile = find_window<C>(plan, number);
        const int left = plan.group_k - tile.first_k, k = tile.group * plan.group_k + tile.first_k;
        // Long before it is needed, so that nothing is waited for at the end.
        const float bias[2] = {channel < left ? assay::to_float(plan.bias[k + channel]) : 0.0f,
                               channel + 8 < left ? assay::to_float(plan.bias[k + channel + 8]) : 0.0f};
        if (C::PAIRS == 2)
            assay::named_barrier_sync(1 + team, 2 * C::TEAM);
        multiply_windows<C>(sums, shared, plan, at_x, at_w, row);
        if (C::PAIRS == 2) {
            if (number + grid < plan.tiles)
                assay::named_barrier_arrive(2 - team, 2 * C::TEAM);
            skip_tile();
        }
        unsigned char *staging = shared.staging + (warpgroup * C::BUFFERS + buffer) * plan.staging_bytes;
        buffer = buffer + 1 == C::BUFFERS ? 0 : buffer + 1;
        if constexpr (C::OUT == WINDOW_FIRST_ODD) {
            store_channels<C>(plan, tile, staging, sums, bias, k + row * 64, left - row * 64);
            continue;
        }
        if (elected)
            assay::tma_store_wait_read<C::BUFFERS - 1>(); // what lay here is on its way
        assay::named_barrier_sync(3 + warpgroup, 128);
        if constexpr (C::FIRST)
            lay_out_channels<C>(staging, sums, bias, plan.form.wide);
        else
            lay_out_positions<C>(staging, sums, bias);
        assay::fence_async_shared();
        assay::named_barrier_sync(3 + warpgroup, 128);
        if (elected) {
            if (row * 64 < left && C::FIRST)
                assay::tma_store_4d(map_out, staging, tile.q, k + row * 64, tile.p, tile.image);
            else if (row * 64 < left)
                assay::tma_store_4d(map_out, staging, k + row * 64, tile.q, tile.p, tile.image);
            assay::tma_store_commit();
        }
    }
    if (elected)
        assay::tma_store_wait_read<0>();
}

#endif

template <class C>
static __global__ void __launch_bounds__(C::THREADS, 1)
    conv2d_window(const __grid_constant__ assay::tensor_map map_x,
                  const __grid_constant__ assay::tensor_map map_w,
                  const __grid_constant__ assay::tensor_map map_out, const window_plan plan)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, memory);
    const window_memory shared = window_memory_of<C>(memory, plan);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_x);
        assay::tma_prefetch_map(&map_w);
        if (C::OUT != WINDOW_FIRST_ODD)
            assay::tma_prefetch_map(&map_out);
        begin_window_barriers<C>(shared, plan);
    }
    __syncthreads();
    if (threadIdx.x < C::PRODUCERS) {
        if constexpr (C::GROUPS > 1)
            assay::registers_decrease<C::PRODUCER_REGISTERS>();
        if (C::FIRST)
            assay::wait_for_previous(); // which copies x and weight
        if (threadIdx.x == 0)
            produce_image_windows<C>(&map_x, shared, plan);
        else if (threadIdx.x == 32)
            produce_window_weights<C>(&map_w, shared, plan);
    } else {
        if constexpr (C::GROUPS > 1) // one warpgroup has enough from the start
            assay::registers_increase<C::REGISTERS>();
        consume_windows<C>(&map_out, shared, plan);
    }
#endif
}

constexpr int WINDOW_CHANNELS = 32; // of a group: windows bring 64 at a time

// Whether TMA can bring and take the tensors as they lie, and most of what it brings is there.
static bool window_fits(const conv2d_args &args, const conv_shape &s)
{
    const uintptr_t addresses = (uintptr_t)args.x | (uintptr_t)args.weight | (uintptr_t)args.out;
    return s.channels_last && s.group_c >= WINDOW_CHANNELS && s.group_c % 8 == 0 &&
           (s.k % 8 == 0 || s.groups == 1) && addresses % 16 == 0 &&
           !conv2d_needs_phases(s.stride, s.stride_w) &&
           (s.groups == 1 || (s.group_c % 64 == 0 && s.group_k % 64 == 0));
}

// Whether windows can serve channels first: what groups have.
static bool window_fits_first(const conv2d_args &args, const conv_shape &s)
{
    return !s.channels_last && s.group_c >= WINDOW_CHANNELS && (uintptr_t)args.out % 16 == 0 &&
           !conv2d_needs_phases(s.stride, s.stride_w) &&
           (s.groups == 1 || (s.group_c % 64 == 0 && s.group_k % 64 == 0));
}

template <class C>
static assay_status window_map_out(assay::tensor_map *map, const window_plan &plan, const conv_shape &s)
{
    const window_form &f = plan.form;
    const scalar_t *out = plan.out;
    const int64_t k = plan.k, row = s.q, image = row * s.p;
    if (C::FIRST)
        return C::OUT == WINDOW_FIRST_ODD
                   ? ASSAY_OK
                   : assay::tensor_map_nd<scalar_t, 4>(map, out, {row, k, s.p, s.n}, {image, row, image * k},
                                                       {f.wide, 64, f.high, 1},
                                                       f.wide > 8 && 64 % f.wide == 0);
    return assay::tensor_map_nd<scalar_t, 4>(map, out, {k, row, s.p, s.n}, {k, k * row, k * image},
                                             {64, f.pitch, f.images > 1 ? f.rows : f.high, f.images}, true);
}

// `x`, `weight`: channels last.
template <class C>
static assay_status window_launch(const window_plan &plan, const scalar_t *x, const scalar_t *weight,
                                  const conv_shape &s, assay_stream stream)
{
    const window_form &f = plan.form;
    const int64_t taps = (int64_t)s.r * s.s, group_c = plan.group_c, c = group_c * s.groups;
    assay::tensor_map map_x = {}, map_w = {}, map_out = {};
    // A box spans what lies between the pixels that a stride takes.
    assay_status status = assay::tensor_map_strided<scalar_t, 4>(
        &map_x, x, {c, s.w, s.h, s.n}, {c, c * s.w, c * s.w * s.h},
        {64, f.pitch * s.stride_w, f.rows * s.stride, f.images}, {1, s.stride_w, s.stride, 1}, true);
    if (status == ASSAY_OK)
        status = assay::tensor_map_nd<scalar_t, 3>(&map_w, weight, {group_c, taps, s.k},
                                                   {group_c, group_c * taps}, {64, 1, C::BM}, true);
    if (status == ASSAY_OK)
        status = window_map_out<C>(&map_out, plan, s);
    if (status != ASSAY_OK)
        return status;
    const int room = assay::multiprocessor_count();
    const dim3 grid((unsigned)(plan.tiles < room ? plan.tiles : room)), block(C::THREADS);
    const size_t bytes = window_shared_bytes<C>(plan);
    return C::FIRST
               ? assay::launch_early(conv2d_window<C>, grid, block, bytes, stream, map_x, map_w, map_out,
                                     plan)
               : assay::launch(conv2d_window<C>, grid, block, bytes, stream, map_x, map_w, map_out, plan);
}

#endif
