// A tile of 64 queries and BN keys in pairs of binary16 numbers (split.cuh), by a warpgroup: products,
// exponentials, and the rows at the end.
//
// A product of two pairs is three products of tensor cores, low times high, high times low and high times
// high, each exact; the fourth would be below the last bit. Probabilities are split in registers, where they
// are made.
// Rows whose result is NaN, or whose scores are too large for binary16 probabilities, are computed again by
// plain arithmetic (exact_rows.cuh): a unit that cannot be split has NaN as its factor, so the result is
// right for every input.
#ifndef ASSAY_OPS_MHA_V4_SPLIT_TILE_CUH
#define ASSAY_OPS_MHA_V4_SPLIT_TILE_CUH

#include "warpgroups.cuh"

namespace split
{

using hopper::behind;

#if ASSAY_HOPPER_CODE

// The parts of the three products, in the order of their size.
static constexpr int kProducts = 3;
__host__ __device__ constexpr int left_part(int product)
{
    return product == 0 ? 1 : 0;
}
__host__ __device__ constexpr int right_part(int product)
{
    return product == 1 ? 1 : 0;
}

// Begin scores = q * k^T: 64 queries by BN keys.
template <class C>
__device__ __forceinline__ void begin_scores(float (&scores)[C::BN / 2], uint64_t q, uint64_t k)
{
#pragma unroll
    for (int i = 0; i < kProducts; i++)
#pragma unroll
        for (int d = 0; d < C::DP; d += 16)
            assay::wgmma_m64k16<__half, C::BN, false>::run(
                scores, behind(q, left_part(i) * C::Q_ELEMENTS + d / 64 * 64 * C::BM + d % 64),
                behind(k, right_part(i) * C::TILE_ELEMENTS + d / 64 * 64 * C::BN + d % 64), i + d > 0);
    assay::wgmma_commit();
}

// Probabilities as left operands: their high parts and their low parts.
template <class C>
using probabilities = uint32_t[2][C::BN / 16][4];

// Begin sums = p * v, the columns of this consumer.
template <class C>
__device__ __forceinline__ void begin_output(float (&sums)[C::COLUMNS / 2], const probabilities<C> &p,
                                             uint64_t v)
{
#pragma unroll
    for (int i = 0; i < kProducts; i++)
#pragma unroll
        for (int j = 0; j < C::BN / 16; j++)
            assay::wgmma_m64k16<__half, C::COLUMNS>::run_registers(
                sums, p[left_part(i)][j], behind(v, right_part(i) * C::TILE_ELEMENTS + j * 16 * 64),
                i + j > 0);
    assay::wgmma_commit();
}

__device__ __forceinline__ uint32_t bits_of(__half2 pair)
{
    uint32_t bits;
    memcpy(&bits, &pair, sizeof bits);
    return bits;
}

// The exponentials of scores, split, and their sums.
template <class C>
__device__ __forceinline__ void exponentials(probabilities<C> &p, float (&sum)[2],
                                             const float (&scores)[C::BN / 2], const row_state (&rows)[2],
                                             float scale)
{
    sum[0] = sum[1] = 0.0f;
#pragma unroll
    for (int j = 0; j < C::BN / 8; j++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float pair[2];
#pragma unroll
            for (int e = 0; e < 2; e++)
                pair[e] = exp2_fast(fmaf(scores[j * 4 + h * 2 + e], scale, -rows[h].max));
            sum[h] += pair[0];
            sum[h] += pair[1];
            const __half2 high = __floats2half2_rn(pair[0], pair[1]);
            const float2 rounded = __half22float2(high);
            p[0][j / 2][j % 2 * 2 + h] = bits_of(high);
            p[1][j / 2][j % 2 * 2 + h] = bits_of(__floats2half2_rn(pair[0] - rounded.x, pair[1] - rounded.y));
        }
#if defined(__CUDA_ARCH__) && \
    !defined(ASSAY_CPU_DEVICE) // the compiler would move all this behind the wait for the product
#pragma unroll
    for (int part = 0; part < 2; part++)
#pragma unroll
        for (int j = 0; j < C::BN / 16; j++)
            asm volatile(""
                         : "+r"(p[part][j][0]), "+r"(p[part][j][1]), "+r"(p[part][j][2]),
                           "+r"(p[part][j][3])::"memory");
#endif
}

// A row's largest exponential is 2^kLead when the row follows it, so that small ones keep bits above
// binary16's smallest; a thread's sum over a tile may come up to kOutgrown, which binary16 can hold, before
// the row has to follow again.
static constexpr int kLead = 8;
static constexpr float kOutgrown = 32768.0f;

// A tile's scores to exponentials; sums are brought up to date. `follow`: look for the rows' maxima first.
// Returns whether the maxima were looked for; factor[] is set then.
template <class C>
__device__ __forceinline__ bool softmax_tile(probabilities<C> &p, const float (&scores)[C::BN / 2],
                                             row_state (&rows)[2], float (&factor)[2], float scale,
                                             bool follow)
{
    float sum[2];
    for (;;) {
        if (follow)
            hopper::follow_scores<C, kLead>(scores, rows, factor, scale);
        exponentials<C>(p, sum, scores, rows, scale);
        if (follow || !__any_sync(0xffffffff, !(sum[0] <= kOutgrown && sum[1] <= kOutgrown)))
            break;
        follow = true;
    }
    rows[0].sum += sum[0];
    rows[1].sum += sum[1];
    return follow;
}

// Divide by the sums and write the warp's 16 rows, the first of which is `query`, from column `first` on.
// Returns whether this thread's part of them is good.
template <class C>
__device__ __forceinline__ bool write_rows(const float (&out)[C::COLUMNS / 2], const row_state (&rows)[2],
                                           const mha_shape &s, int head, int query, int first)
{
    int lane = static_cast<int>(threadIdx.x) % 32;
    value_barrier(lane);
    bool good = true;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        good &= !needs_exact(rows[h]);
        float sum = rows[h].sum; // of this thread's columns; four threads share a row
        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        const int row = query + h * 8 + lane / 4, column = first + lane % 4 * 2;
        const float inverse = inverse_of(s, row, sum);
        float *to = s.out + (static_cast<int64_t>(head) * s.queries + row) * s.dim + column;
#pragma unroll
        for (int d = 0; d < C::COLUMNS / 8; d++) {
            const assay::vec<float, 2> pair = {
                {out[d * 4 + h * 2] * inverse, out[d * 4 + h * 2 + 1] * inverse}};
            good &= pair[0] == pair[0] && pair[1] == pair[1];
            if (row < s.queries && d * 8 + column < s.dim)
                assay::store_vec(to + d * 8, pair);
        }
    }
    return good;
}

#endif

} // namespace split

#endif
