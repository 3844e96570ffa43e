// Step 4 of the norms: parameters that all rows share, and the pass that writes a row.
#ifndef ASSAY_OPS_COMMON_NORM_ROWS_H
#define ASSAY_OPS_COMMON_NORM_ROWS_H

#include "across_rows.h"
#include "chunk_across.h"
#include "rows.h"

#ifndef PARAMETERS_ACROSS
#define PARAMETERS_ACROSS 1
#endif

#ifndef FILL_THREADS
#define FILL_THREADS 135168 // 132 multiprocessors of 1024 threads, what registers leave room for
#endif

constexpr int LARGE_BLOCK = WIDE == 4 ? 640 : 768; // most threads of a block whose threads hold 32 elements

// What the launchers of rows.h ask about a norm's kernels, and their launch bounds. Blocks for rows of up to
// 4096 elements are small, and their threads may have the registers that RESIDENT threads of a multiprocessor
// leave them; larger blocks leave a thread 64 (two of 512, one of 1024), 80 (768) or 96 (640).
template <int USUAL, int RESIDENT>
struct norm_blocks {
    static constexpr int USUAL_VECTORS = USUAL < MOST ? USUAL : MOST;
    static constexpr int SMALL_BLOCK = 4096 / (USUAL_VECTORS * WIDE);
    static constexpr int64_t FULL = FILL_THREADS;
    static constexpr int block_threads(int vectors)
    {
        return vectors == MOST ? LARGE_BLOCK : vectors == MOST / 2 ? 512 : MAX_THREADS;
    }
    template <int WIDTH>
    static constexpr int bound = WIDTH > WARP ? WIDTH : WARP_ROW_THREADS;
    template <int WIDTH>
    static constexpr int resident = WIDTH <= WARP          ? RESIDENT / WARP_ROW_THREADS
                                    : WIDTH == SMALL_BLOCK ? RESIDENT / WIDTH
                                    : WIDTH <= 512         ? MAX_THREADS / WIDTH
                                                           : 1;
};

// Parameters (weight, bias) at the columns that a thread holds. Every row reads them again, from L1 or L2.
// AHEAD: together with the row, which hides the latency; otherwise after the reduction, where registers could
// not hold both.
//
// The columns of a vector of an odd row lie across two aligned chunks of a parameter: PARAMETERS_ACROSS reads
// both and shifts, in 2 loads where elements take 4 or 8. Of the row's last vector the second chunk may end
// behind the parameter; that vector's are read by elements.
template <int VECTORS, row_shape SHAPE, bool MAY_AHEAD>
struct row_parameter {
    static constexpr bool WHOLE = SHAPE == WHOLE_VECTORS, AHEAD = WHOLE && MAY_AHEAD;
    const scalar_t *from; // at the column of a row's first vector
    int off;              // its elements behind a boundary
    int64_t across;       // vectors of the row that may be read by chunks
    packed_batch<(AHEAD ? VECTORS : 1)> ahead;

    __device__ __forceinline__ row_parameter(const scalar_t *parameter, int head, int t, int threads,
                                             int count, int64_t vectors)
        : from(parameter + head), off(WHOLE ? 0 : (int)((uintptr_t)from % 16 / sizeof(scalar_t))),
          across(off == 0                                     ? vectors
                 : PARAMETERS_ACROSS && is_aligned(parameter) ? vectors - 1
                                                              : 0)
    {
        if (AHEAD)
            load_vectors(ahead.raw, from, t, threads, count, 0);
    }
    // The values of the thread's k-th vector, which is vector `i` of the row.
    __device__ __forceinline__ void get(int k, int64_t i, float *values) const
    {
        if (AHEAD)
            ahead.get(AHEAD ? k : 0, values);
        else if (WHOLE)
            load_wide(from + i * WIDE, true, values);
        else if (i < across)
            unpack(load_across(from + i * WIDE, off), values);
        else
            load_wide(from + i * WIDE, false, values);
    }
};

// Where a thread's row is written, computed again: keeping the address since the loads would cost registers.
template <class Share>
static __device__ __forceinline__ scalar_t *start_of_row(scalar_t *out, const Share &share, int64_t length)
{
    uint32_t row = (uint32_t)share.row;
    value_barrier(row);
    return out + row * length;
}

// Write a row from its last batch, which `part` still holds, back to the first; the others are loaded again.
// finish(k, i, result) computes WIDE results from the k-th vector of `part`, which is vector i of the row.
template <int VECTORS, int WIDTH, row_shape SHAPE, class Finish>
static __device__ __forceinline__ void write_row(const row_share<VECTORS, WIDTH, SHAPE> &share,
                                                 packed_batch<VECTORS> &part, const row_source<SHAPE> &from,
                                                 scalar_t *out, Finish finish)
{
    constexpr bool CUT_BY_OUT = SHAPE == WHOLE_VECTORS || SHAPE == ACROSS;
    const bool aligned = CUT_BY_OUT || is_aligned(out + share.head);
    int t = share.t;
    value_barrier(t); // as in start_of_row()
    for (int64_t b = share.last; b >= 0; b--) {
        if (share.MANY && b != share.last)
            part.load(from, share, b);
#pragma unroll
        for (int k = 0; k < VECTORS; k++) {
            const int in_batch = t + k * share.threads;
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
