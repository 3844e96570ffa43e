// f32 operands of attention as pairs of binary16 numbers, for tensor cores (split_hopper.cuh).
//
// A binary32 number of 24 bits is cut to two binary16 numbers of 11 bits each, x = high + low, to within
// 2^-23 of itself: what is lost is about one more rounding. binary16 has few exponents, so a unit of numbers
// (16 rows of q, or a tile of keys or of values of one head) is first multiplied with the power of two that
// takes its largest to [2^14, 2^15). Numbers down to 2^-28 of the largest keep all their bits, smaller ones
// are off by at most 2^-39 of it. The power's inverse is the unit's factor.
// A unit with a number that is not finite or larger than 2^60 gets NaN as its factor, which reaches every
// result that the unit takes part in.
// k and v are split by a kernel of its own, once for all queries; q is needed once and is split where it is
// used.
#ifndef ASSAY_OPS_MHA_V4_SPLIT_CUH
#define ASSAY_OPS_MHA_V4_SPLIT_CUH

#include <assay/hopper.h>
#include "common.cuh"

namespace split
{

// Powers of two that numbers are multiplied with at most: a product of the factors of q and k stays a normal
// number.
static constexpr int kMostExponent = 60, kMostExponentOfValues = 126;

__device__ __forceinline__ float power_of_two(int exponent)
{
    return __uint_as_float(static_cast<uint32_t>(exponent + 127) << 23);
}

struct unit_scale {
    float power, factor;
};
// `most`: the bits of the unit's largest magnitude. In them infinities and NaN are largest.
__device__ __forceinline__ unit_scale scale_of(uint32_t most, int most_exponent)
{
    constexpr uint32_t LARGEST = 0x5d800000; // 2^60
    const int wanted = 14 - (static_cast<int>(most >> 23) - 127),
              exponent = wanted < most_exponent ? wanted : most_exponent;
    if (most > LARGEST)
        return {0.0f, __uint_as_float(0x7fffffffu)};
    return {power_of_two(exponent), power_of_two(-exponent)};
}

using four = assay::vec<float, 4>;

__device__ __forceinline__ uint32_t largest_magnitude(const four &x, uint32_t most)
{
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const uint32_t magnitude = __float_as_uint(x[e]) & 0x7fffffffu;
        most = magnitude > most ? magnitude : most;
    }
    return most;
}

__device__ __forceinline__ uint32_t warp_max(uint32_t mine)
{
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
        const uint32_t other = __shfl_xor_sync(0xffffffff, mine, step);
        mine = other > mine ? other : mine;
    }
    return mine;
}

__device__ __forceinline__ void store_parts(__half *high_to, __half *low_to, const four &numbers, float power)
{
    assay::vec<__half, 4> high, low;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const float x = numbers[e] * power;
        high[e] = assay::from_float<__half>(x);
        low[e] = assay::from_float<__half>(x - assay::to_float(high[e])); // the difference is exact
    }
    assay::store_vec(high_to, high);
    assay::store_vec(low_to, low);
}

// ---- k and v ----

static constexpr int kThreads = 256;

struct keys_and_values {
    const float *k, *v;                  // [heads, in_memory, dim]; heads of k and v
    __half *k_parts, *v_parts;           // high parts [heads, rows, padded], then low parts
    float *factors;                      // [heads, units, 2]
    int heads, rows, units, dim, padded; // units: of a head; padded: dim rounded up to 8
    int in_memory;                       // rows from one head to the next
};

// The unit of BN rows of up to DP numbers, 64, 128 or 256, that belongs to this block: blocks.y 0 for k, 1 for v.
template <int DP, int BN>
static __global__ void __launch_bounds__(kThreads) mha_split(const keys_and_values s)
{
#if ASSAY_HOPPER_CODE
    constexpr int PIECES = BN * DP / 4 / kThreads;
    static_assert(PIECES * kThreads * 4 == BN * DP, "whole pieces");
    __shared__ uint32_t of_warps[kThreads / 32];
    assay::let_next_begin();
    const int of_values = static_cast<int>(blockIdx.y), unit = static_cast<int>(blockIdx.x);
    const int head = unit / s.units, thread = static_cast<int>(threadIdx.x);
    const int first = unit % s.units * BN + thread / (DP / 4), column = thread % (DP / 4) * 4;
    const auto row_of = [&](int i) { return first + i * (kThreads / (DP / 4)); };
    const float *from = (of_values ? s.v : s.k) + static_cast<int64_t>(head) * s.in_memory * s.dim + column;
    four held[PIECES];
    uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        held[i] = {};
        if (row_of(i) < s.rows && column < s.dim)
            held[i] = assay::load_vec<4>(from + static_cast<int64_t>(row_of(i)) * s.dim);
    }
#pragma unroll
    for (int i = 0; i < PIECES; i++)
        most = largest_magnitude(held[i], most);
    most = warp_max(most);
    if (thread % 32 == 0)
        of_warps[thread / 32] = most;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kThreads / 32; i++)
        most = of_warps[i] > most ? of_warps[i] : most;
    const unit_scale scale = scale_of(most, of_values ? kMostExponentOfValues : kMostExponent);
    if (thread == 0)
        s.factors[2 * static_cast<int64_t>(unit) + of_values] = scale.factor;
    const int64_t size = static_cast<int64_t>(s.rows) * s.padded;
    __half *to = (of_values ? s.v_parts : s.k_parts) + head * size + column;
#pragma unroll
    for (int i = 0; i < PIECES; i++)
        if (row_of(i) < s.rows && column < s.padded) {
            __half *high = to + static_cast<int64_t>(row_of(i)) * s.padded;
            store_parts(high, high + s.heads * size, held[i], scale.power);
        }
#endif
}

// Lay out the parts and factors of a problem in the workspace.
template <int BN>
static keys_and_values lay_out(const mha_args *args, const mha_shape &s)
{
    char *space = static_cast<char *>(args->workspace);
    const int heads = s.heads / s.group;
    const int64_t bytes = mha_part_bytes(heads, s.keys, s.dim);
    return {s.k,
            s.v,
            reinterpret_cast<__half *>(space),
            reinterpret_cast<__half *>(space + bytes),
            reinterpret_cast<float *>(space + 2 * bytes),
            heads,
            s.keys,
            (s.keys + BN - 1) / BN,
            s.dim,
            static_cast<int>(mha_padded_dim(s.dim)),
            s.key_rows};
}

// ---- q ----

// What a warp splits: 16 rows of q, in pieces of 4 numbers dealt out to the lanes. Rows of 256 numbers are two
// turns of the warp.
template <class C>
struct query_rows {
    static constexpr int ROW_LANES = C::WIDTH / 4, PIECES = 16 * ROW_LANES / 32;
    const float *from;
    int rows, dim, row, column; // rows: that there are; row, column: this lane's first piece's

    __device__ __forceinline__ query_rows(const mha_shape &s, int head, int query)
        : from(s.q + (static_cast<int64_t>(head) * s.queries + query) * s.dim), rows(s.queries - query),
          dim(s.dim), row(static_cast<int>(threadIdx.x) % 32 / ROW_LANES),
          column(static_cast<int>(threadIdx.x) % 32 % ROW_LANES * 4)
    {
        rows = column < s.dim ? rows : 0; // columns past the row are zeros as well
    }
    __device__ __forceinline__ int row_of(int i) const { return row + i * 32 / ROW_LANES; }
    __device__ __forceinline__ int column_of(int i) const { return column + i * 32 % ROW_LANES * 4; }
    __device__ __forceinline__ bool has(int i) const
    {
        return row_of(i) < rows && (ROW_LANES <= 32 || column_of(i) < dim);
    }
    __device__ __forceinline__ const float *at(int i) const { return from + row_of(i) * dim + column_of(i); }
};

// Bring the warp's rows that begin at `query` to the second-level cache.
template <class C>
__device__ __forceinline__ void prefetch_queries(const mha_shape &s, int head, int query)
{
    const query_rows<C> q(s, head, query);
#pragma unroll
    for (int i = 0; i < q.PIECES; i++)
        if (q.has(i))
            assay::prefetch_l2(q.at(i));
}

// Split the warp's rows that begin at `query` into the tile in shared memory, from its row `row` on, if they
// are to be stored. Returns their factor.
template <class C>
__device__ __forceinline__ float split_queries(const mha_shape &s, __half *tile, int row, int head, int query,
                                               bool store)
{
    const query_rows<C> q(s, head, query);
    constexpr bool KEPT = C::DP <= 128; // longer rows are loaded twice: there are no registers for them
    constexpr int TOGETHER = KEPT ? q.PIECES : 4;
    const auto load = [&](int i) { return q.has(i) ? assay::load_vec<4>(q.at(i)) : four{}; };
    four held[KEPT ? q.PIECES : 1];
    uint32_t most = 0;
    if (KEPT)
#pragma unroll
        for (int i = 0; i < q.PIECES; i++)
            held[KEPT ? i : 0] = load(i);
#pragma unroll TOGETHER
    for (int i = 0; i < q.PIECES; i++)
        most = largest_magnitude(KEPT ? held[KEPT ? i : 0] : load(i), most);
    const unit_scale scale = scale_of(warp_max(most), kMostExponent);
    const float power = s.negative ? -scale.power : scale.power;
#pragma unroll TOGETHER
    for (int i = 0; i < q.PIECES; i++) {
        if (!store)
            break;
        const int r = row + q.row_of(i), column = q.column_of(i), chunk = column % 64 / 8 ^ r % 8;
        __half *high = tile + column / 64 * 64 * C::BM + r * 64 + chunk * 8 + column % 8;
        store_parts(high, high + C::Q_ELEMENTS, KEPT ? held[KEPT ? i : 0] : load(i), power);
    }
    return scale.factor;
}

} // namespace split

#endif
