// Step 4 of the norms: parameters that all rows share, and the way back over a row that writes it.
#ifndef ASSAY_OPS_COMMON_NORM_ROWS_H
#define ASSAY_OPS_COMMON_NORM_ROWS_H

#include "rows.h"

#ifndef LARGE_BLOCK
#define LARGE_BLOCK 640
#endif

// Most threads of a block that has one row. From 16 elements a thread on, they and their parameters take more than the 64
// registers that a thread has in a block of 1024; blocks of at most 768 leave it 80, of 640 96.
static constexpr int norm_threads(int vectors)
{
    return vectors * WIDE < 16 ? MAX_THREADS : vectors * WIDE < 32 ? 768 : LARGE_BLOCK;
}

// A vector of parameters (weight, bias) at the columns that a thread holds. Every row reads it again, from L1 or L2. Threads
// with at most 8 elements, as in small problems, load theirs before the row's reduction, which hides the latency; with more,
// registers would not hold both and the loads come behind it.
template <int VECTORS, bool MANY>
struct row_parameter {
    static constexpr bool AHEAD = !MANY && VECTORS * WIDE <= 8;
    const scalar_t *from; // at the column of a row's first vector
    bool aligned;
    float ahead[AHEAD ? VECTORS : 1][WIDE];

    __device__ __forceinline__ row_parameter(const scalar_t *parameter, int head, int t, int threads,
                                             int count)
        : from(parameter + head), aligned(is_aligned(from))
    {
#pragma unroll
        for (int k = 0; AHEAD && k < VECTORS; k++)
            if (t + k * threads < count)
                load_wide(from + (t + k * threads) * WIDE, aligned, ahead[k]);
    }
    // The values of the thread's k-th vector, which is vector `i` of the row.
    __device__ __forceinline__ void get(int k, int64_t i, float *values) const
    {
        if (!AHEAD)
            load_wide(from + i * WIDE, aligned, values);
#pragma unroll
        for (int lane = 0; AHEAD && lane < WIDE; lane++)
            values[lane] = ahead[AHEAD ? k : 0][lane];
    }
};

// Write a row from its last batch, which `part` still holds, back to the first; the others are loaded again. finish(k, i,
// result) computes WIDE results from part.e[k], which is vector i of the row.
template <int VECTORS, int WIDTH, bool MANY, class Finish>
static __device__ __forceinline__ void write_row(const row_share<VECTORS, WIDTH, MANY> &share,
                                                 row_batch<VECTORS> &part, const scalar_t *x, scalar_t *out,
                                                 Finish finish)
{
    const bool aligned = is_aligned(out + share.head);
    for (int64_t b = share.last; b >= 0; b--) {
        if (MANY && b != share.last)
            part.load(x + share.start(b), share.t, share.threads, share.count(b), 0);
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            const int in_batch = share.t + k * share.threads;
            if (in_batch < share.count(b)) {
                const int64_t i = b * share.per_batch + in_batch;
                float result[WIDE];
                finish(k, i, result);
                store_wide(out + share.head + i * WIDE, aligned, result);
            }
        }
    }
}

#endif
