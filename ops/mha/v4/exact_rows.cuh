// Rows of step 4 computed again by plain arithmetic, where the fast kernels are not exact enough: right for
// every input, and slow.
//
// The fast kernels compute an exponent as fma(score, scale, -max), where max is the rounded product of the
// largest score and the scale. The rounding error of max is a common factor of all exponentials of a row and
// cancels out, as long as 2^error can be held. It may be more than 1 from |max| = 2^24 on; from 2^31 on the
// largest exponential itself may be 0. Here a score is multiplied with the scale first, so that the largest
// exponent is 0 whatever its size.
#ifndef ASSAY_OPS_MHA_V4_EXACT_ROWS_CUH
#define ASSAY_OPS_MHA_V4_EXACT_ROWS_CUH

#include "../../common/value_barrier.h"
#include "common.cuh"

// Whether a row must be computed again. Not where NaN is the only possible result: behind an infinite score,
// or where no score has been larger than the initial maximum (NaN and -infinity).
__device__ __forceinline__ bool needs_exact(const row_state &row)
{
    const float size = fabsf(row.max);
    return size >= 0x1p24f && size < -kNoKeys.max;
}

static constexpr int kExactTogether = 4; // rows that share the loads of keys and values

// Rows [first, first + kExactTogether) of a head, those before `end`, by a warp: a key a lane for the scores,
// columns dealt out to the lanes for the output. Masked keys take no part. V: elements that may be loaded
// together.
template <int DP, int V>
__device__ __forceinline__ void exact_group(const mha_shape &s, int head, int first, int end)
{
    constexpr int COLUMNS = DP / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int beyond =
        s.keys - keys_before(s, first + 1); // keys that row 0 does not see; each further row misses one less
    const auto limit = [&](int r) { return s.keys - (beyond > r ? beyond - r : 0); };
    const auto start = [&](int r) { // of a row, or of the last one instead of one behind it
        return (static_cast<int64_t>(head) * s.queries + (first + r < end ? first + r : end - 1)) * s.dim;
    };
    const scalar_t *keys = s.k + key_start(s, head), *values = s.v + key_start(s, head) + lane;
    const float scale = s.negative ? -s.scale : s.scale;
    row_state rows[kExactTogether];
    float out[kExactTogether][COLUMNS] = {};
#pragma unroll
    for (int r = 0; r < kExactTogether; r++)
        rows[r] = kNoKeys;
#pragma unroll 1
    for (int key = 0; key < limit(kExactTogether - 1); key += 32) {
        float scores[kExactTogether] = {}, p[kExactTogether];
        const scalar_t *k = keys + static_cast<int64_t>(key + lane) * s.dim;
#pragma unroll 2
        for (int d = 0; d < DP; d += V) {
            if (d >= s.dim || key + lane >= limit(kExactTogether - 1))
                break;
            const assay::vec<scalar_t, V> of_key = assay::load_vec<V>(k + d);
#pragma unroll
            for (int r = 0; r < kExactTogether; r++) {
                const assay::vec<scalar_t, V> of_query = assay::load_vec<V>(s.q + start(r) + d);
#pragma unroll
                for (int e = 0; e < V; e++)
                    scores[r] += assay::to_float(of_query[e]) * assay::to_float(of_key[e]);
            }
        }
#pragma unroll
        for (int r = 0; r < kExactTogether; r++) {
            const bool visible = key + lane < limit(r);
            const float score = visible ? __fmul_rn(scores[r], scale) : -INFINITY; // rounded before both uses
            float max = score;
#pragma unroll
            for (int step = 16; step > 0; step /= 2)
                max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, step));
            const float factor = follow(max, rows[r], 1.0f);
            p[r] = visible ? exp2_fast(score - rows[r].max) : 0.0f;
            rows[r].sum += p[r];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                out[r][c] *= factor;
        }
#pragma unroll 4
        for (int j = 0; j < 32; j++) {
            float of_key[COLUMNS];
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                of_key[c] = key + j < limit(kExactTogether - 1) && c * 32 + lane < s.dim
                                ? assay::to_float(values[static_cast<int64_t>(key + j) * s.dim + c * 32])
                                : 0.0f;
#pragma unroll
            for (int r = 0; r < kExactTogether; r++) {
                const float weight = __shfl_sync(0xffffffff, p[r], j);
                if (key + j < limit(r))
#pragma unroll
                    for (int c = 0; c < COLUMNS; c++)
                        out[r][c] += weight * of_key[c];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < kExactTogether; r++) {
        float sum = rows[r].sum;
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, step);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++)
            if (first + r < end && c * 32 + lane < s.dim)
                s.out[start(r) + c * 32 + lane] =
                    assay::from_float<scalar_t>(limit(r) > 0 ? out[r][c] / sum : 0.0f);
    }
}

// Rows [query, query + count) of a head once more, as far as they exist, by the warp that has written them.
template <int DP, bool ALIGNED>
__device__ __forceinline__ void exact_rows(const mha_shape &shape, int head, int query, int count)
{
    mha_shape s = shape;
    value_barrier(s.queries); // nothing of it is to occupy registers before
    value_barrier(s.keys);
    value_barrier(s.dim);
    __syncwarp(); // other lanes have written these rows
    const int end = query + count < s.queries ? query + count : s.queries;
#pragma unroll 1
    for (int first = query; first < end; first += kExactTogether)
        exact_group<DP, ALIGNED ? 4 : 1>(s, head, first, end);
}

#endif
