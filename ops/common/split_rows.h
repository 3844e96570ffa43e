// Few long rows: step 4 of the row ops shares a row among several blocks, in two launches.
//
// One block a row leaves the device idle where rows are fewer than multiprocessors. So a row is cut into
// parts, and each part has a block. The first launch measures: every block reduces its part to a state
// (maximum and sum, or sums of squares) in the workspace. In the second, every block makes the states of its
// row one, by the same tree in each block, then loads its part again and writes it. There are no atomics and
// no waiting between blocks: results repeat bit by bit, on any architecture.
//
// The second read costs least where the first one left it in L2. The second launch therefore begins with the
// parts that were read last, and blocks begin with the last batch of theirs.
//
// A part is a shorter row: rows.h cuts it into a head, whole vectors and a rest. Parts are cut at multiples
// of a line from the row's start, so no line is read by two blocks where rows start on a line.
#ifndef ASSAY_OPS_COMMON_SPLIT_ROWS_H
#define ASSAY_OPS_COMMON_SPLIT_ROWS_H

#include <assay/hopper.h>
#include "across_rows.h"
#include "rows.h"

// Blocks a multiprocessor that rows are split among; 0: rows are never split. Two, so that one loads while
// the other reduces. Rows are split where each has two blocks or more: at most as many rows as
// multiprocessors.
#ifndef SPLIT_BLOCKS_PER_SM
#define SPLIT_BLOCKS_PER_SM 2
#endif
// The longest row that is not split. A block has 64 KiB in flight (1024 threads of 4 vectors), which brings in
// some 64 KiB a microsecond at a latency near 1 us: such a row takes about 4 us, and a second launch 2 to 3.
#ifndef SPLIT_ROW_BYTES
#define SPLIT_ROW_BYTES 262144
#endif

constexpr int SPLIT_VECTORS = 4, SPLIT_THREADS = 512; // two blocks leave a thread 64 registers
constexpr int64_t SPLIT_LINE = 128 / sizeof(scalar_t), SPLIT_BATCH = SPLIT_THREADS * SPLIT_VECTORS * WIDE;

// How every row is cut; parts have `part` elements, the last one may have fewer.
struct row_split {
    unsigned parts;       // of a row; 1: rows are not split
    int64_t part, stride; // elements from a row of x to the next
};

// `most_states`: as the workspace has room for. No part is shorter than a batch.
static inline row_split split_rows(int64_t rows, int64_t length, int64_t stride, int64_t most_states)
{
    const auto lesser = [](int64_t a, int64_t b) { return a < b ? a : b; };
    const int64_t blocks = (int64_t)assay::multiprocessor_count() * SPLIT_BLOCKS_PER_SM;
    const int64_t wanted = lesser(lesser(blocks, most_states) / rows, length / SPLIT_BATCH);
    if (length * (int64_t)sizeof(scalar_t) <= SPLIT_ROW_BYTES || wanted < 2)
        return {1, length, stride};
    const int64_t part = ((length + wanted - 1) / wanted + SPLIT_LINE - 1) / SPLIT_LINE * SPLIT_LINE;
    return {(unsigned)((length + part - 1) / part), part, stride};
}

// The part of a row that a block has.
struct row_part {
    int64_t row, first, length; // number of the row; elements before the part, and of it
    int64_t in_x;               // of the part's first element

    __device__ __forceinline__ row_part(unsigned block, row_split split, int64_t row_length)
    {
        row = block / split.parts;
        first = block % split.parts * split.part;
        in_x = row * split.stride + first;
        length = length_of(block % split.parts, split, row_length);
    }
    // Elements of part number `number`.
    static __device__ __forceinline__ int64_t length_of(unsigned number, row_split split, int64_t row_length)
    {
        const int64_t left = row_length - number * split.part;
        return left < split.part ? left : split.part;
    }
};

template <row_shape SHAPE = MANY_BATCHES>
using part_share = row_share<SPLIT_VECTORS, SPLIT_THREADS, SHAPE>;

// Launch `measure`, then `write`, with a block a part; their arguments are `args`, then the states in
// `workspace`, the rows' length and the split.
template <class State, class... Params, class... Args>
static assay_status launch_split(void (*measure)(Params...), void (*write)(Params...), void *workspace,
                                 int64_t rows, int64_t length, row_split split, assay_stream stream,
                                 Args... args)
{
    const dim3 grid((unsigned)rows * split.parts), block(SPLIT_THREADS);
    const assay_status status = assay::launch(measure, grid, block, 0, stream, args...,
                                              static_cast<State *>(workspace), length, split);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(write, grid, block, 0, stream, args..., static_cast<State *>(workspace), length,
                         split);
}

#endif
