// softmax, step 4, for inner > 1: which kernel, and the two for few long columns, whose length is split among
// blocks as long rows are (../../common/split_rows.h): one launch leaves a state for each row and split in
// the workspace, the next one makes those of a row one and writes.
#ifndef ASSAY_OPS_SOFTMAX_V4_LONG_COLUMNS_H
#define ASSAY_OPS_SOFTMAX_V4_LONG_COLUMNS_H

#include "../../common/split_rows.h"
#include "columns.h"

// Block (., y) takes the elements from y * segment on; states[y][row].
template <class T, int LANES, int HELD>
static __global__ void __launch_bounds__(COLUMN_THREADS, 2)
    softmax_measure_columns(const T *x, T *, max_sum *states, int64_t groups, int64_t length, int64_t inner,
                            int64_t segment)
{
    ASSAY_DYNAMIC_SHARED(max_sum, state); // [LANES][Y][X]
    const int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t begin = blockIdx.y * segment, stop = begin + segment < length ? begin + segment : length;
    const int64_t first = start_of_group(group * LANES, length, inner), end = group < groups ? stop : 0;
    column_batch<T, LANES, HELD> part;
    max_sum mine[LANES];
#pragma unroll
    for (int lane = 0; lane < LANES; lane++)
        mine[lane] = {-INFINITY, 0.0f};
    for (int64_t i = begin + threadIdx.y; i < end; i += HELD * (int)blockDim.y) {
        part.load(x + first, i, blockDim.y, end, inner);
        part.exponentiate_into(mine);
    }
    merge_threads(mine, state);
    if (threadIdx.y == 0 && group < groups)
#pragma unroll
        for (int lane = 0; lane < LANES; lane++)
            states[(blockIdx.y * groups + group) * LANES + lane] =
                state[lane * (int)(blockDim.x * blockDim.y) + threadIdx.x];
}

template <class T, int LANES, int HELD>
static __global__ void __launch_bounds__(COLUMN_THREADS, 2)
    softmax_write_columns(const T *x, T *out, max_sum *states, int64_t groups, int64_t length, int64_t inner,
                          int64_t segment)
{
    ASSAY_DYNAMIC_SHARED(max_sum, state); // [LANES][Y][X]
    const int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t begin = (gridDim.y - 1 - blockIdx.y) * segment, // what was read last comes first
        stop = begin + segment < length ? begin + segment : length;
    const int64_t first = start_of_group(group * LANES, length, inner), end = group < groups ? stop : 0;
    max_sum row[LANES];
    float factor[LANES];
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        row[lane] = {-INFINITY, 0.0f};
        for (unsigned y = threadIdx.y; group < groups && y < gridDim.y; y += blockDim.y)
            row[lane] = merge(row[lane], states[(y * groups + group) * LANES + lane]);
    }
    merge_threads(row, state);
#pragma unroll
    for (int lane = 0; lane < LANES; lane++) {
        row[lane] = state[lane * (int)(blockDim.x * blockDim.y) + threadIdx.x];
        factor[lane] = __fdividef(1.0f, row[lane].sum); // all masked: 0 * (1 / 0) = NaN
    }
    column_batch<T, LANES, HELD> part;
    for (int64_t i = begin + threadIdx.y; i < end; i += HELD * (int)blockDim.y) {
        part.load(x + first, i, blockDim.y, end, inner);
        part.exponentiate(row);
        part.store(out + first, i, blockDim.y, end, inner, factor);
    }
}

template <class T, int LANES, int HELD>
static assay_status launch_columns(const softmax_args *args, assay_stream stream)
{
    const T *x = static_cast<const T *>(args->x);
    T *out = static_cast<T *>(args->out);
    const int64_t groups = args->outer * args->inner / LANES;
    int least_x = LANES > 1 ? 8 : 32; // groups that fill a line of 128 bytes (64 for scalar 2-byte accesses)
    while (least_x > 1 && least_x / 2 >= groups)
        least_x /= 2;
    int y = 1;
    while (y * HELD < args->length && y < COLUMN_THREADS / least_x)
        y *= 2;
    const int64_t width = COLUMN_THREADS / y, blocks = (groups + width - 1) / width;
    const dim3 block((unsigned)width, (unsigned)y);
    const size_t shared = sizeof(max_sum) * COLUMN_THREADS * LANES;

    constexpr int SPLIT_HELD = LANES > 1 ? HELD / 2 : HELD; // so that a multiprocessor has two blocks
    // Splits are as many as split_rows() would make of `blocks` rows of what a block reads.
    const int64_t states = SOFTMAX_WORKSPACE_BYTES / sizeof(max_sum) / (width * LANES);
    const int64_t read = args->length * width * LANES;
    const row_split split = split_rows(blocks, read, read, states);
    const int64_t batch = y * SPLIT_HELD, share = (args->length + split.parts - 1) / split.parts,
                  segment = (share + batch - 1) / batch * batch,
                  splits = (args->length + segment - 1) / segment;
    if (split.parts == 1 || splits == 1)
        return assay::launch(softmax_columns<T, LANES, HELD>,
                             dim3((unsigned)(blocks < 0x7fffffff ? blocks : 0x7fffffff)), block, shared,
                             stream, x, out, groups, args->length, args->inner);
    const dim3 grid((unsigned)blocks, (unsigned)splits);
    max_sum *workspace = static_cast<max_sum *>(args->workspace);
    const assay_status status =
        assay::launch(softmax_measure_columns<T, LANES, SPLIT_HELD>, grid, block, shared, stream, x, out,
                      workspace, groups, args->length, args->inner, segment);
    if (status != ASSAY_OK)
        return status;
    return assay::launch(softmax_write_columns<T, LANES, SPLIT_HELD>, grid, block, shared, stream, x, out,
                         workspace, groups, args->length, args->inner, segment);
}

template <class T>
static assay_status softmax_columns_run(const softmax_args *args, assay_stream stream)
{
    constexpr int WIDE_LANES = assay::vec16<T>::size;
    const bool wide = ((uintptr_t)args->x | (uintptr_t)args->out) % 16 == 0 && args->inner % WIDE_LANES == 0;
    return wide ? launch_columns<T, WIDE_LANES, 32 / WIDE_LANES>(args, stream)
                : launch_columns<T, 1, 4>(args, stream);
}

#endif
