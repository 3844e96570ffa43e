// f32 convolution at full accuracy on Hopper's tensor cores: implicit GEMM of operands in three bfloat16
// parts.
//
// The products, their order and the sums are those of ops/matmul/v4/split.cuh: a stage of 64 terms starts a
// sum of its own, six products of parts, the smallest first, which is then added to fp32 sums in registers
// while the next stage is multiplied. Operands come from split_pack.cuh. A stage is a tap of the filter and 64
// of its channels: TMA brings the window of positions that the tap sees, a box in each part of x, and the
// filter's three boxes. Two teams, a warpgroup each, take alternate tiles, so that one stores its tile while the
// other multiplies.
//
// Three launches: split the operands; multiply; and plain.cuh, which does nothing unless the operands
// have a number that cannot be split. So every input gives the result of f32 arithmetic.
#ifndef ASSAY_OPS_CONV2D_V4_SPLIT_CUH
#define ASSAY_OPS_CONV2D_V4_SPLIT_CUH

#include "split_pack.cuh"
#include "window_plan.cuh"

template <int N_, int STAGES_>
struct split_config {
    static constexpr int N = N_, BM = 64, STAGES = STAGES_; // of a tile: positions, output channels
    static constexpr int TEAMS = 2, PRODUCERS = 128, THREADS = PRODUCERS + 128 * TEAMS;
    static constexpr int W_ELEMENTS = BM * 64, X_ELEMENTS = N * 64; // of a part
    static constexpr int STAGE_ELEMENTS = 3 * (W_ELEMENTS + X_ELEMENTS);
    static constexpr int BARRIER_BYTES = 1024, COLUMN_BYTES = TEAMS * 1024; // see find_columns
    static constexpr int SHARED_BYTES = BARRIER_BYTES + COLUMN_BYTES + STAGES * STAGE_ELEMENTS * 2;
    static_assert(N <= 128 && SHARED_BYTES <= 232448, "a block's shared memory");
};

// The tile plan is window_plan's, of a shape whose taps have a window each; `plane`: positions of an image,
// `parts`: images, of x as TMA sees it, from one part to the next.
struct split_plan {
    window_plan tiles;
    int plane, parts;
    int channels_last;
};

#if ASSAY_HOPPER_CODE

template <class C>
__device__ __forceinline__ void split_produce(const assay::tensor_map *map_x, const assay::tensor_map *map_w,
                                              const split_plan &whole, __nv_bfloat16 *stages, uint64_t *full,
                                              uint64_t *empty)
{
    const window_plan &plan = whole.tiles;
    const int bytes = 3 * 2 * (C::W_ELEMENTS + plan.form.pitch * plan.form.rows * plan.form.images * 64);
    pipeline_cursor at;
    for (int number = static_cast<int>(blockIdx.x); number < plan.tiles;
         number += static_cast<int>(gridDim.x)) {
        const window_tile tile = find_window<C>(plan, number);
        const int left = tile.q * plan.stride_w - plan.padding_w, top = tile.p * plan.stride - plan.padding,
                  k = tile.group * plan.group_k + tile.first_k;
        int tap = 0, r = 0, s = 0;
        for (int step = 0, c = 0; step < plan.steps; step++, at.advance(C::STAGES)) {
            __nv_bfloat16 *w = stages + at.stage * C::STAGE_ELEMENTS, *x = w + 3 * C::W_ELEMENTS;
            assay::mbarrier_wait(&empty[at.stage], at.parity ^ 1);
            assay::mbarrier_arrive_expect(&full[at.stage], bytes);
#pragma unroll
            for (int part = 0; part < 3; part++) {
                assay::tma_load_3d(w + part * C::W_ELEMENTS, map_w, &full[at.stage], c * 64, tap,
                                   part * plan.k + k);
                assay::tma_load_4d(x + part * C::X_ELEMENTS, map_x, &full[at.stage],
                                   tile.group * plan.group_c + c * 64, left + s * plan.dilation_w,
                                   top + r * plan.dilation, part * whole.parts + tile.image);
            }
            if (++c == plan.steps_c) {
                c = 0, tap++;
                if (++s == plan.taps_s)
                    s = 0, r++;
            }
        }
    }
}

// Start the products of the stage at `at` into `partial`, the smallest first, and advance.
template <class C>
__device__ __forceinline__ void split_start(float (&partial)[C::N / 2], const __nv_bfloat16 *stages,
                                            uint64_t *full, pipeline_cursor &at)
{
    constexpr int PART_W[6] = {0, 2, 1, 0, 1, 0}, PART_X[6] = {2, 0, 1, 1, 0, 0};
    const __nv_bfloat16 *w = stages + at.stage * C::STAGE_ELEMENTS, *x = w + 3 * C::W_ELEMENTS;
    assay::mbarrier_wait(&full[at.stage], at.parity);
    assay::wgmma_fence();
#pragma unroll
    for (int p = 0; p < 6; p++)
#pragma unroll
        for (int k = 0; k < 64; k += 16)
            assay::wgmma_m64k16<__nv_bfloat16, C::N, false>::run(
                partial, assay::wgmma_descriptor(w + PART_W[p] * C::W_ELEMENTS + k, 16, 1024),
                assay::wgmma_descriptor(x + PART_X[p] * C::X_ELEMENTS + k, 16, 1024), p + k > 0);
    assay::wgmma_commit();
    at.advance(C::STAGES);
}

// Wait until only `Pending` stages are being multiplied, and add the partial sums of the one before.
template <class C, int Pending>
__device__ __forceinline__ void split_add(float (&sums)[C::N / 2], float (&partial)[C::N / 2],
                                          uint64_t *empty, pipeline_cursor &done)
{
    assay::wgmma_wait<Pending>();
    assay::wgmma_fence_operands(partial);
    if (threadIdx.x % 32 == 0)
        assay::mbarrier_arrive(&empty[done.stage]);
    done.advance(C::STAGES);
#pragma unroll
    for (int i = 0; i < C::N / 2; i++)
        sums[i] += partial[i];
}

// For each column of the tile where its channel 0 lies in out, or -1 where the column has no position. By the
// threads of a warpgroup, into memory of its own.
template <class C>
__device__ __forceinline__ void find_columns(int64_t *columns, const split_plan &whole,
                                             const window_tile &tile, int team)
{
    const window_plan &plan = whole.tiles;
    const int column = static_cast<int>(threadIdx.x) % 128, line = column / plan.form.wide;
    const int q = tile.q + column % plan.form.wide, p = tile.p + line % plan.form.high,
              part = line / plan.form.high, image = tile.image + part;
    assay::named_barrier_sync(3 + team, 128); // the tile before is stored
    if (column < C::N) {
        const bool exists = part < plan.form.images && image < plan.n && p < plan.p && q < plan.q;
        const int64_t position = (static_cast<int64_t>(image) * plan.p + p) * plan.q + q;
        const int64_t at = whole.channels_last
                               ? position * plan.k
                               : position / whole.plane * plan.k * whole.plane + position % whole.plane;
        columns[column] = exists ? at : -1;
    }
    assay::named_barrier_sync(3 + team, 128);
}

// `channel`: of sums[0], counted in the group; `left`: channels of the group from it on.
template <class C>
__device__ __forceinline__ void split_store(const split_plan &whole, const float (&sums)[C::N / 2],
                                            const int64_t *columns, int channel, int left)
{
    const window_plan &plan = whole.tiles;
    const int64_t step = whole.channels_last ? 1 : whole.plane;
    // Two neighbouring columns are two neighbouring positions, 8-byte aligned.
    const bool pairs =
        !whole.channels_last && whole.plane % 2 == 0 && plan.form.wide % 2 == 0 && plan.q % 2 == 0;
    float *out = plan.out + channel * step;
    const float bias[2] = {left > 0 ? plan.bias[channel] : 0.0f, left > 8 ? plan.bias[channel + 8] : 0.0f};
#pragma unroll
    for (int j = 0; j < C::N / 8; j++) {
        const int column = 8 * j + 2 * (static_cast<int>(threadIdx.x) % 4);
        const int64_t at[2] = {columns[column], columns[column + 1]};
#pragma unroll
        for (int half = 0; half < 2; half++) {
            if (left <= 8 * half)
                continue;
            const assay::vec<float, 2> pair = {
                {sums[4 * j + 2 * half] + bias[half], sums[4 * j + 2 * half + 1] + bias[half]}};
            float *to = out + 8 * half * step;
            if (pairs && at[0] >= 0)
                assay::store_vec(to + at[0], pair);
            if (!pairs && at[0] >= 0)
                to[at[0]] = pair[0];
            if (!pairs && at[1] >= 0)
                to[at[1]] = pair[1];
        }
    }
}

template <class C>
__device__ __forceinline__ void split_consume(const split_plan &whole, const __nv_bfloat16 *stages,
                                              uint64_t *full, uint64_t *empty, int64_t *columns, int team)
{
    const window_plan &plan = whole.tiles;
    const int thread = static_cast<int>(threadIdx.x) % 128, grid = static_cast<int>(gridDim.x);
    const int row = thread / 32 * 16 + thread % 32 / 4;
    pipeline_cursor at, done;
    const auto skip_tile = [&] { // the other team's
        at.skip(plan.tile_windows, C::STAGES);
        done.skip(plan.tile_windows, C::STAGES);
    };
    // A team waits for stages only after the other has seen the last of its own: one parity ahead looks like one
    // behind.
    const auto pass_on = [&](int number) {
        if (number + grid < plan.tiles)
            assay::named_barrier_arrive(2 - team, 128 * C::TEAMS);
    };
    if (team == 1) {
        assay::named_barrier_arrive(1, 128 * C::TEAMS); // the first team begins
        skip_tile();
    }
    float even[C::N / 2], odd[C::N / 2], sums[C::N / 2];
    for (int number = static_cast<int>(blockIdx.x) + team * grid; number < plan.tiles;
         number += C::TEAMS * grid) {
#pragma unroll
        for (int i = 0; i < C::N / 2; i++)
            sums[i] = 0.0f;
        assay::named_barrier_sync(1 + team, 128 * C::TEAMS);
        split_start<C>(even, stages, full, at);
        int step = 1;
        for (; step + 1 < plan.steps; step += 2) {
            split_start<C>(odd, stages, full, at);
            split_add<C, 1>(sums, even, empty, done);
            split_start<C>(even, stages, full, at);
            split_add<C, 1>(sums, odd, empty, done);
        }
        if (step < plan.steps) {
            split_start<C>(odd, stages, full, at);
            pass_on(number);
            split_add<C, 1>(sums, even, empty, done);
            split_add<C, 0>(sums, odd, empty, done);
        } else {
            pass_on(number);
            split_add<C, 0>(sums, even, empty, done);
        }
        skip_tile();
        const window_tile tile = find_window<C>(plan, number);
        find_columns<C>(columns, whole, tile, team);
        split_store<C>(whole, sums, columns, tile.group * plan.group_k + tile.first_k + row,
                       plan.group_k - tile.first_k - row);
    }
}

#endif

template <class C>
static __global__ void __launch_bounds__(C::THREADS, 1)
    conv2d_split(const __grid_constant__ assay::tensor_map map_x,
                 const __grid_constant__ assay::tensor_map map_w, const split_plan plan)
{
#if ASSAY_HOPPER_CODE
    ASSAY_DYNAMIC_SHARED(unsigned char, shared);
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + C::STAGES;
    __nv_bfloat16 *stages = reinterpret_cast<__nv_bfloat16 *>(shared + C::BARRIER_BYTES + C::COLUMN_BYTES);
    if (threadIdx.x == 0) {
        assay::tma_prefetch_map(&map_x);
        assay::tma_prefetch_map(&map_w);
        for (int i = 0; i < C::STAGES; i++) {
            assay::mbarrier_init(&full[i], 1);
            assay::mbarrier_init(&empty[i], 4); // warps of a team
        }
        assay::mbarrier_fence_init();
    }
    __syncthreads();
    if (threadIdx.x < C::PRODUCERS) {
        assay::registers_decrease<40>();
        assay::wait_for_previous(); // which splits the operands
        if (threadIdx.x == 0)
            split_produce<C>(&map_x, &map_w, plan, stages, full, empty);
    } else {
        assay::registers_increase<232>();
        const int team = static_cast<int>(threadIdx.x) / 128 - 1;
        split_consume<C>(plan, stages, full, empty,
                         reinterpret_cast<int64_t *>(shared + C::BARRIER_BYTES) + team * 128, team);
    }
#endif
}

// The tile plan of `s`, as the products see it; false where TMA cannot serve it.
template <class C>
static bool split_plan_of(const conv2d_args &args, const conv_shape &s, int chunks, split_plan *whole)
{
    const window_form f = window_form_of(s, C::N, false, false);
    if (f.wide == 0 || window_columns(f) > C::N || f.images > 256 ||
        conv2d_needs_phases(s.stride, s.stride_w))
        return false;
    *whole = {};
    window_plan *plan = &whole->tiles;
    plan->form = f;
    plan->bias = static_cast<const float *>(args.bias);
    plan->out = static_cast<float *>(args.out);
    plan->n = s.n, plan->k = s.k, plan->p = s.p, plan->q = s.q;
    plan->groups = s.groups, plan->group_c = chunks * 8, plan->group_k = s.group_k;
    plan->stride = s.stride, plan->padding = s.padding, plan->dilation = s.dilation;
    plan->stride_w = s.stride_w, plan->padding_w = s.padding_w, plan->dilation_w = s.dilation_w;
    plan->taps_r = s.r, plan->taps_s = s.s;
    plan->tiles_k = (s.group_k + C::BM - 1) / C::BM;
    plan->tiles_q = (s.q + f.wide - 1) / f.wide;
    plan->tiles_p = (s.p + f.high - 1) / f.high;
    plan->steps_c = (chunks + 7) / 8;
    const int64_t tiles =
        (int64_t)plan->tiles_k * plan->tiles_q * plan->tiles_p * s.groups * ((s.n + f.images - 1) / f.images);
    if (tiles > INT32_MAX / 2 || 3 * (int64_t)s.n > INT32_MAX || 3 * (int64_t)s.k > INT32_MAX)
        return false;
    plan->tiles = (int)tiles;
    plan->steps = plan->steps_c * s.r * s.s;
    plan->tile_windows = {plan->steps % C::STAGES, plan->steps / C::STAGES % 2};
    whole->plane = (int)(args.p * args.q);
    whole->parts = s.n;
    whole->channels_last = s.channels_last;
    return true;
}

template <class C>
static assay_status split_launch(const split_plan &whole, const split_pack_plan &packed, const conv_shape &s,
                                 assay_stream stream)
{
    const window_plan &plan = whole.tiles;
    const window_form &f = plan.form;
    const int64_t taps = (int64_t)s.r * s.s, group_c = plan.group_c, c = group_c * s.groups;
    assay::tensor_map map_x = {}, map_w = {};
    assay_status status = assay::tensor_map_strided<__nv_bfloat16, 4>(
        &map_x, packed.parts_x, {c, s.w, s.h, 3 * (int64_t)s.n}, {c, c * s.w, c * s.w * s.h},
        {64, f.pitch * s.stride_w, f.rows * s.stride, f.images}, {1, s.stride_w, s.stride, 1}, true);
    if (status == ASSAY_OK)
        status =
            assay::tensor_map_nd<__nv_bfloat16, 3>(&map_w, packed.parts_w, {group_c, taps, 3 * (int64_t)s.k},
                                                   {group_c, group_c * taps}, {64, 1, C::BM}, true);
    if (status != ASSAY_OK)
        return status;
    const int room = assay::multiprocessor_count();
    return assay::launch_early(conv2d_split<C>, dim3((unsigned)(plan.tiles < room ? plan.tiles : room)),
                               dim3(C::THREADS), C::SHARED_BYTES, stream, map_x, map_w, whole);
}

#endif
