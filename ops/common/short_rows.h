// Many short rows: step 4 of softmax and reduce_sum.
//
// Rows of a few elements start at any distance from a 16-byte boundary, and of the threads that rows.h gives
// each, one for every element that may lie off a boundary, most have nothing. So a block takes a *span* of
// whole rows, one contiguous range of memory, and moves it by 16-byte chunks to shared memory. There LANES
// neighbouring threads take a row, up to EACH elements a thread.
#ifndef ASSAY_OPS_COMMON_SHORT_ROWS_H
#define ASSAY_OPS_COMMON_SHORT_ROWS_H

#include <assay/hopper.h>
#include "chunk_range.h"

constexpr int SHORT_THREADS = 128, SHORT_LOADS = 2; // chunks a thread loads before it stores the first
constexpr int SHORT_CHUNKS = SHORT_THREADS * SHORT_LOADS;
constexpr int64_t SHORT_LENGTH = 64; // of the longest short row: 8 threads of 8 elements
constexpr int64_t SHORT_ROWS = 4096; // from more on: below, latency counts, and other kernels have no barrier

// The rows of a block, in shared memory as far from a 16-byte boundary as in global memory.
struct row_span {
    int64_t first; // row
    int rows, length;
    chunk_range range;
    uint4 *chunks; // SHORT_CHUNKS

    __device__ __forceinline__ row_span(const scalar_t *x, int64_t all_rows, int length_of_row, int most_rows,
                                        uint4 *shared)
        : first((int64_t)blockIdx.x * most_rows),
          rows(all_rows - first < most_rows ? (int)(all_rows - first) : most_rows),
          length(length_of_row), range{off_boundary(x + first * length), rows * length}, chunks(shared)
    {
    }
    __device__ __forceinline__ scalar_t *row(int number) const
    {
        return reinterpret_cast<scalar_t *>(chunks) + range.off + number * length;
    }
    // fetch(p) loads a chunk. To be followed by a barrier.
    template <class Fetch>
    __device__ __forceinline__ void load(const scalar_t *x, Fetch fetch) const
    {
        x += first * length;
        const uint4 *from = reinterpret_cast<const uint4 *>(x - range.off);
        const int t = (int)threadIdx.x, edge = t < chunk_range::BOTH_EDGES ? range.edge(t) : range.count;
        uint4 held[SHORT_LOADS];
        scalar_t at_edge{};
#pragma unroll
        for (int k = 0; k < SHORT_LOADS; k++)
            if (range.is_whole(t + k * SHORT_THREADS))
                held[k] = fetch(from + t + k * SHORT_THREADS);
        if (edge < range.count)
            at_edge = x[edge];
#pragma unroll
        for (int k = 0; k < SHORT_LOADS; k++)
            if (range.is_whole(t + k * SHORT_THREADS))
                chunks[t + k * SHORT_THREADS] = held[k];
        if (edge < range.count)
            row(0)[edge] = at_edge;
    }
    // To `out`, which is as far from a boundary as x was; behind a barrier.
    __device__ __forceinline__ void store(scalar_t *out) const
    {
        out += first * length;
        const int t = (int)threadIdx.x, edge = t < chunk_range::BOTH_EDGES ? range.edge(t) : range.count;
#pragma unroll
        for (int k = 0; k < SHORT_LOADS; k++)
            if (range.is_whole(t + k * SHORT_THREADS))
                __stwb(reinterpret_cast<uint4 *>(out - range.off) + t + k * SHORT_THREADS,
                       chunks[t + k * SHORT_THREADS]);
        if (edge < range.count)
            out[edge] = row(0)[edge];
    }
};

// Rows a block: as many as the chunks hold wherever the first one begins, or fewer, so that each
// multiprocessor has four blocks. Blocks begin equally far from a boundary.
static inline int short_rows_of_block(int64_t rows, int64_t length)
{
    const int64_t most = (SHORT_CHUNKS - 1) * CHUNK / length / CHUNK * CHUNK;
    const int64_t share = (rows / (4 * assay::multiprocessor_count()) / CHUNK + 1) * CHUNK;
    return (int)(share < most ? share : most);
}

// Launch Kernels::shorter<EACH, LANES>() for rows of up to SHORT_LENGTH elements; `args`, then the number of
// rows, their length and the rows of a block are the kernel's.
template <class Kernels, class... Args>
static assay_status launch_short_rows(int64_t rows, int64_t length, assay_stream stream, Args... args)
{
    const int each = short_rows_of_block(rows, length);
    const auto kernel = length <= 4    ? Kernels::template shorter<4, 1>()
                        : length <= 8  ? Kernels::template shorter<8, 1>()
                        : length <= 16 ? Kernels::template shorter<8, 2>()
                        : length <= 32 ? Kernels::template shorter<8, 4>()
                                       : Kernels::template shorter<8, 8>();
    return assay::launch(kernel, dim3((unsigned)((rows + each - 1) / each)), dim3(SHORT_THREADS), 0, stream,
                         args..., rows, (int)length, each);
}

#endif
