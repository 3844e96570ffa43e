// Few output channels with long sums: the terms of a sum are shared out to warps, and to blocks where
// positions are few.
//
// A tile of output channels would be mostly empty, and one thread a position (direct.cuh) leaves most of a
// large device without work while each thread waits for one load after the other. Here a warp has KT output
// channels at 32 positions (channels first: neighbouring lanes are neighbouring positions) or at POSITIONS of
// them (channels last: neighbouring lanes are neighbouring terms, whose elements lie side by side in x and in
// the filters; their sums are added at the end). The warps of a block share the terms out and add their sums
// in shared memory. Where that leaves multiprocessors without work, blocks share them out too: each writes
// its sums to the workspace, in f32, and a second launch adds them. The order of a sum is fixed. What a term
// means, its tap and its place in x, is computed once a block, into a table.
#ifndef ASSAY_OPS_CONV2D_V4_FEW_CUH
#define ASSAY_OPS_CONV2D_V4_FEW_CUH

#include "parts.cuh"

constexpr int FEW_WARPS = 8, FEW_THREADS = 32 * FEW_WARPS, FEW_POSITIONS = 8;
constexpr int FEW_TERMS = 1024; // of which a block has table and filters in shared memory at a time

struct few_plan {
    const scalar_t *x, *weight, *bias;
    scalar_t *out;
    float *partial;       // [split][output]: sums of the blocks; NULL where one block has a whole sum
    int tiles_k;          // of KT channels, of a group
    int slices;           // warps of a block that share a sum's terms out
    int terms, per_split; // of a sum; of a block
    int splits;
};

struct few_term {
    int offset;        // of its element in x from the first tap's first channel
    short down, right; // of its tap, in pixels
};

// What a block computes: its group and first channel of it, and its terms.
struct few_part {
    int group, first_k, begin, end;
};
template <int KT>
static __device__ __forceinline__ few_part few_part_of(const few_plan &plan)
{
    const int row = (int)blockIdx.y, begin = (int)blockIdx.z * plan.per_split, end = begin + plan.per_split;
    return {row / plan.tiles_k, row % plan.tiles_k * KT, begin, end < plan.terms ? end : plan.terms};
}

// Fill the table, and the filters in f32 with KT channels side by side, zeros for channels that there are
// not. Behind the last term there are some up to a multiple of STEP that lie outside of every image.
template <int KT, int STEP>
static __device__ __forceinline__ void bring_few_terms(few_term *table, float *filters, const few_plan &plan,
                                                       const conv_shape &s, const few_part &part, int begin,
                                                       int count)
{
    const int taps = s.r * s.s;
    const scalar_t *weight =
        plan.weight + (int64_t)(part.group * s.group_k + part.first_k) * plan.terms + begin;
    for (int i = (int)threadIdx.x; i < (count + STEP - 1) / STEP * STEP; i += FEW_THREADS) {
        const bool exists = i < count;
        const int term = exists ? begin + i : 0, tap = s.channels_last ? term / s.group_c : term % taps,
                  c = s.channels_last ? term % s.group_c : term / taps;
        const int down = tap / s.s * s.dilation, right = tap % s.s * s.dilation_w;
        table[i] = {s.channels_last ? (down * s.w + right) * s.c + c : (c * s.h + down) * s.w + right,
                    exists ? (short)down : (short)INT16_MIN, (short)right};
#pragma unroll
        for (int k = 0; k < KT; k++)
            filters[i * KT + k] = exists && part.first_k + k < s.group_k
                                      ? assay::to_float(weight[(int64_t)k * plan.terms + i])
                                      : 0.0f;
    }
}

// A term's filters.
template <int KT>
static __device__ __forceinline__ void load_few_filters(float (&to)[KT], const float *from)
{
    constexpr int EACH = KT < 4 ? KT : 4;
#pragma unroll
    for (int k = 0; k < KT; k += EACH) {
        const assay::vec<float, EACH> v = assay::load_vec<EACH>(from + k);
#pragma unroll
        for (int i = 0; i < EACH; i++)
            to[k + i] = v[i];
    }
}

// Round or store for the second launch the sum of an output channel of the group at a position.
static __device__ __forceinline__ void store_few(const few_plan &plan, const conv_shape &s, int group, int k,
                                                 int position, float sum)
{
    if (k >= s.group_k || position >= s.positions)
        return;
    const int channel = group * s.group_k + k;
    const int64_t at =
        s.channels_last ? (int64_t)position * s.k + channel : output_offset(s, position, channel);
    if (plan.partial)
        plan.partial[(int64_t)blockIdx.z * s.positions * s.k + at] = sum;
    else
        plan.out[at] = assay::from_float<scalar_t>(sum + assay::to_float(plan.bias[channel]));
}

// Channels first: the lane's position, KT channels.
template <int KT>
struct few_first {
    static constexpr int SUMS = 32 * KT, STEP = 8; // of a warp; terms that it loads at once
    const scalar_t *x, *anywhere;                  // anywhere: what is read, and dropped, for the padding
    int h, w;
    float sums[KT];

    __device__ __forceinline__ void start(const few_plan &plan, const conv_shape &s, const few_part &part,
                                          int number)
    {
        const int position = number * 32 + (int)threadIdx.x % 32;
        const conv_origin origin = origin_of(s, position < s.positions ? position : 0);
        h = position < s.positions ? origin.h : INT32_MIN / 2; // outside for every tap
        w = origin.w;
        anywhere = plan.x;
        x = plan.x + ((int64_t)origin.n * s.c + part.group * s.group_c) * s.h * s.w +
            (int64_t)origin.h * s.w + w;
#pragma unroll
        for (int k = 0; k < KT; k++)
            sums[k] = 0.0f;
    }
    __device__ __forceinline__ void add(const few_term *table, const float *filters, const conv_shape &s,
                                        int begin, int end)
    {
        for (int i = begin; i < end; i += STEP) {
            scalar_t element[STEP];
            bool inside[STEP];
#pragma unroll
            for (int e = 0; e < STEP; e++) {
                const few_term term = table[i + e];
                inside[e] = is_inside(s, h + term.down, w + term.right);
                element[e] = *(inside[e] ? x + term.offset : anywhere);
            }
#pragma unroll
            for (int e = 0; e < STEP; e++) {
                const float value = inside[e] ? assay::to_float(element[e]) : 0.0f;
                float weight[KT];
                load_few_filters(weight, filters + (i + e) * KT);
#pragma unroll
                for (int k = 0; k < KT; k++)
                    sums[k] += value * weight[k];
            }
        }
    }
    // Lay the warp's sums out for those of other slices.
    __device__ __forceinline__ void put(float *to) const
    {
#pragma unroll
        for (int k = 0; k < KT; k++)
            to[k * 32 + (int)threadIdx.x % 32] = sums[k];
    }
    static __device__ __forceinline__ void store(const few_plan &plan, const conv_shape &s,
                                                 const few_part &part, int number, int i, float sum)
    {
        store_few(plan, s, part.group, part.first_k + i / 32, number * 32 + i % 32, sum);
    }
};

// Add the sums of all lanes. At every step a lane gives half of its sums to another, lanes with a greater
// number the first half, until it has one; then all have the same.
template <int HAVE, int DISTANCE, int SUMS>
static __device__ __forceinline__ void add_few_lanes(float (&sums)[SUMS])
{
    if constexpr (HAVE > 1) {
        const bool upper = ((int)threadIdx.x & DISTANCE) != 0;
#pragma unroll
        for (int i = 0; i < HAVE / 2; i++) {
            const float keep = upper ? sums[i + HAVE / 2] : sums[i],
                        give = upper ? sums[i] : sums[i + HAVE / 2];
            sums[i] = keep + __shfl_xor_sync(0xffffffffu, give, DISTANCE);
        }
    } else {
        sums[0] += __shfl_xor_sync(0xffffffffu, sums[0], DISTANCE);
    }
    if constexpr (DISTANCE > 1)
        add_few_lanes<(HAVE > 1 ? HAVE / 2 : 1), DISTANCE / 2>(sums);
}

// Channels last: FEW_POSITIONS positions, KT channels, every 32nd term.
template <int KT>
struct few_last {
    static constexpr int SUMS = KT * FEW_POSITIONS, STEP = 32;    // see above
    int pixel[FEW_POSITIONS], h[FEW_POSITIONS], w[FEW_POSITIONS]; // of the first tap
    const scalar_t *x, *anywhere;
    float sums[SUMS]; // of channel k at position i: k * FEW_POSITIONS + i

    __device__ __forceinline__ void start(const few_plan &plan, const conv_shape &s, const few_part &part,
                                          int number)
    {
        anywhere = plan.x;
        x = plan.x + part.group * s.group_c;
#pragma unroll
        for (int i = 0; i < FEW_POSITIONS; i++) {
            const int position = number * FEW_POSITIONS + i;
            const conv_origin origin = origin_of(s, position < s.positions ? position : 0);
            h[i] = position < s.positions ? origin.h : INT32_MIN / 2;
            w[i] = origin.w;
            pixel[i] = (origin.n * s.h + origin.h) * s.w + origin.w;
        }
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sums[i] = 0.0f;
    }
    __device__ __forceinline__ void add(const few_term *table, const float *filters, const conv_shape &s,
                                        int begin, int end)
    {
        for (int at = begin + (int)threadIdx.x % 32; at < end; at += 32) {
            const few_term term = table[at];
            const scalar_t *from = x + term.offset;
            scalar_t read[FEW_POSITIONS];
            bool inside[FEW_POSITIONS];
#pragma unroll
            for (int i = 0; i < FEW_POSITIONS; i++) {
                inside[i] = is_inside(s, h[i] + term.down, w[i] + term.right);
                read[i] = *(inside[i] ? from + (int64_t)pixel[i] * s.c : anywhere);
            }
            float element[FEW_POSITIONS];
#pragma unroll
            for (int i = 0; i < FEW_POSITIONS; i++)
                element[i] = inside[i] ? assay::to_float(read[i]) : 0.0f;
            float weight[KT];
            load_few_filters(weight, filters + at * KT);
#pragma unroll
            for (int k = 0; k < KT; k++)
#pragma unroll
                for (int i = 0; i < FEW_POSITIONS; i++)
                    sums[k * FEW_POSITIONS + i] += element[i] * weight[k];
        }
    }
    __device__ __forceinline__ void put(float *to)
    {
        constexpr int EACH = SUMS < 32 ? 1 : SUMS / 32,
                      SAME = SUMS < 32 ? 32 / SUMS : 1; // lanes with the same sum
        const int lane = (int)threadIdx.x % 32;
        add_few_lanes<SUMS, 16>(sums);
        if (lane % SAME == 0)
#pragma unroll
            for (int i = 0; i < EACH; i++)
                to[lane / SAME * EACH + i] = sums[i];
    }
    static __device__ __forceinline__ void store(const few_plan &plan, const conv_shape &s,
                                                 const few_part &part, int number, int i, float sum)
    {
        store_few(plan, s, part.group, part.first_k + i / FEW_POSITIONS,
                  number * FEW_POSITIONS + i % FEW_POSITIONS, sum);
    }
};

// Blocks: x along positions, y along the channels of all groups, z along a sum's terms.
template <int KT, class Work>
static __global__ void __launch_bounds__(FEW_THREADS, 2) conv2d_few(const few_plan plan, const conv_shape s)
{
    __shared__ few_term table[FEW_TERMS];
    __shared__ __align__(16) float filters[FEW_TERMS * KT];
    __shared__ float finished[FEW_WARPS * Work::SUMS];
    const int warp = (int)threadIdx.x / 32, slice = warp % plan.slices, tiles = FEW_WARPS / plan.slices,
              number = (int)blockIdx.x * tiles + warp / plan.slices;
    const few_part part = few_part_of<KT>(plan);
    Work work;
    work.start(plan, s, part, number);
    for (int begin = part.begin; begin < part.end; begin += FEW_TERMS) {
        const int left = part.end - begin, count = left < FEW_TERMS ? left : FEW_TERMS,
                  each = ((count + plan.slices - 1) / plan.slices + Work::STEP - 1) / Work::STEP * Work::STEP,
                  from = slice * each;
        if (begin > part.begin)
            __syncthreads();
        bring_few_terms<KT, Work::STEP>(table, filters, plan, s, part, begin, count);
        __syncthreads();
        work.add(table, filters, s, from, from + each < count ? from + each : count); // whole steps
    }
    work.put(finished + warp * Work::SUMS);
#if ASSAY_HOPPER_CODE
    assay::let_next_begin();
#endif
    __syncthreads();
    for (int i = (int)threadIdx.x; i < tiles * Work::SUMS; i += FEW_THREADS) {
        const int tile = i / Work::SUMS, at = i % Work::SUMS;
        float sum = 0.0f;
        for (int other = 0; other < plan.slices; other++)
            sum += finished[(tile * plan.slices + other) * Work::SUMS + at];
        Work::store(plan, s, part, (int)blockIdx.x * tiles + tile, at, sum);
    }
}

#endif
