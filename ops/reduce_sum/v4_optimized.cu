// reduce_sum, step 4: many independent vector loads a thread, two stages where rows are few.
//
//   - A thread issues several independent 16-byte loads before it adds anything, and adds as a tree, so
//     neither latency nor a chain of dependent additions limits it (v4/rows.cuh). Where rows are many it
//     issues VECTORS_PER_THREAD, as few as still cover the latency: more reads in flight evict more of the
//     dirty lines that other kernels left in L2, and those write-backs cost bandwidth.
//   - Every element is read once, with a streaming load: its line is the first to be evicted from L2
//     (v4/load.cuh).
//   - Short rows get part of a warp or a warp; longer ones a block, whose warps meet once, in shared memory.
//   - Many short rows: a thread or a few take a row from shared memory (v4/short.cuh), or as many threads as
//     the row has whole vectors.
//   - Few long rows are split among as many blocks as fill the device. Each leaves its partial sum, in
//     binary32, in the workspace; a second small launch adds them with the same kernel. No atomics: results
//     repeat bit by bit.
//   - inner > 1: vectors span neighbouring rows, lanes stand side by side in memory, and the length is shared
//     by the threads of a block and then, where a thread would still go many rounds, by blocks
//     (v4/columns.cuh).
//   - Columns that are no whole vectors, or short: two chunks a vector (v4/across.cuh).
//   - Odd lengths: rows that start off a 16-byte boundary are read by vectors, the elements before and behind
//     one by one.
// Expected effect: 93% of the read bandwidth at 4096 and 96% at 8192 for all types; one row of 64 million
// elements as fast as many short ones; small sizes a little above an empty kernel.
// Tunables: VECTORS_PER_THREAD (where rows are many), BLOCKS_PER_SM (blocks a multiprocessor that few rows
// are split among), ACROSS_LENGTH (length up to which aligned columns go by v4/across.cuh; 0: none do).
#include <assay/hopper.h>
#include <assay/kernel.h>
#include "reduce_sum.h"
#include "v4/rows.cuh"
#include "v4/across.cuh"
#include "v4/columns.cuh"
#include "v4/short.cuh"

#ifndef VECTORS_PER_THREAD
#define VECTORS_PER_THREAD 2
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 8
#endif

// The most elements of an aligned column that sum_across() adds: 2 of the 8 that sum_columns() has in flight, for
// each of its 8 threads a group. 0: sum_across() is not used.
#ifndef ACROSS_LENGTH
#define ACROSS_LENGTH 16
#endif

constexpr int64_t FOLDED_COLUMNS =
    1024; // WIDE times as many partial sums are an eighth of the workspace at most
constexpr int WIDE = assay::vec16<scalar_t>::size;
constexpr int SPLIT_THREADS = 256, SPLIT_VECTORS = 8;
constexpr int64_t SPLIT_BYTES = 256 * 1024; // below, one block is done before a second launch has begun

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static assay_status sum_contiguous(const reduce_sum_args &args, assay_stream stream)
{
    const scalar_t *x = static_cast<const scalar_t *>(args.x);
    scalar_t *out = static_cast<scalar_t *>(args.out);
    float *partials = static_cast<float *>(args.workspace);
    const int64_t rows = args.outer, length = args.length, vectors = length / WIDE,
                  padding = rows > 1 ? args.row_padding : 0, stride = length + padding;
    const int64_t sms = assay::multiprocessor_count();
    const bool plenty =
        rows * vectors > sms * 2048 * 4; // 4 vectors each would ask for more threads than there are

    if (padding == 0 && rows > SHORT_ROWS && length > 0 && length <= SHORT_LENGTH && length % WIDE != 0)
        return launch_short_rows<sum_short_kernels>(rows, length, stream, x, out);

    int64_t splits = 1;
    const int64_t batch = SPLIT_THREADS * SPLIT_VECTORS; // vectors a block has in flight
    if (vectors * 16 > SPLIT_BYTES && rows < 2 * sms)
        splits = lesser(lesser(vectors / batch, sms * BLOCKS_PER_SM / rows), REDUCE_SUM_PARTIALS / rows);
    if (splits <= 1)
        return launch_rows<scalar_t, scalar_t, VECTORS_PER_THREAD>(x, out, rows, length, stride, plenty,
                                                                   stream);

    const int64_t segment = (vectors + splits - 1) / splits;
    const assay_status status = assay::launch(sum_rows<scalar_t, float, SPLIT_VECTORS, BLOCK_ROW>,
                                              dim3((unsigned)(rows * splits)), dim3(SPLIT_THREADS), 0, stream,
                                              x, partials, rows, length, stride, (unsigned)splits, segment);
    if (status != ASSAY_OK)
        return status;
    return launch_rows<float, scalar_t, 4>(partials, out, rows, splits, splits, false, stream);
}

template <int N>
static assay_status sum_strided(const reduce_sum_args &args, assay_stream stream)
{
    const scalar_t *x = static_cast<const scalar_t *>(args.x);
    scalar_t *out = static_cast<scalar_t *>(args.out);
    float *partials = static_cast<float *>(args.workspace);
    const int64_t rows = args.outer * args.inner;
    const int64_t blocks = (int64_t)assay::multiprocessor_count() * BLOCKS_PER_SM;
    const column_plan plan =
        plan_columns(rows, args.length, N, blocks, lesser(REDUCE_SUM_PARTIALS / rows, 65535));
    if (plan.splits == 1)
        return launch_columns<N>(plan, x, out, args.length, args.inner, stream);
    const assay_status status = launch_columns<N>(plan, x, partials, args.length, args.inner, stream);
    if (status != ASSAY_OK)
        return status;
    return launch_columns<1>(plan_partials(rows, plan.splits), static_cast<const float *>(partials), out,
                             plan.splits, rows, stream);
}

// By sum_across(). Where the length is split and there is one slab of few columns that are no whole vectors,
// WIDE rows count as one, which makes them whole: WIDE times as many columns with a partial sum each, and in
// the second launch WIDE times as many partial sums a column.
static assay_status sum_across_rows(const reduce_sum_args &args, assay_stream stream)
{
    const scalar_t *x = static_cast<const scalar_t *>(args.x);
    scalar_t *out = static_cast<scalar_t *>(args.out);
    float *partials = static_cast<float *>(args.workspace);
    const int64_t rows = args.outer * args.inner, count = rows * args.length;
    const int64_t blocks = (int64_t)assay::multiprocessor_count() * BLOCKS_PER_SM;
    const column_plan plan = plan_across(args.outer, args.length, args.inner, blocks,
                                         lesser(REDUCE_SUM_PARTIALS / rows, 65535), FEW_ROUNDS);
    if (plan.splits == 1)
        return launch_across(plan, x, count, out, args.outer, args.length, args.inner, stream);
    const bool folds = args.outer == 1 && args.inner % WIDE != 0 && args.inner <= FOLDED_COLUMNS;
    const int fold = folds ? WIDE : 1;
    const int64_t length = (args.length + fold - 1) / fold, inner = args.inner * fold;
    const column_plan folded =
        plan_across(args.outer, length, inner, blocks, lesser(REDUCE_SUM_PARTIALS / (rows * fold), 65535),
                    1); // two launches in any case
    const assay_status status = launch_across(folded, x, count, partials, args.outer, length, inner, stream);
    if (status != ASSAY_OK)
        return status;
    return launch_columns<1>(plan_partials(rows, folded.splits * fold), static_cast<const float *>(partials),
                             out, folded.splits * fold, rows, stream);
}

// Whether sum_across() serves better than sum_columns(): where that one would load single elements, and where
// half of the threads or more that it gives a group would have nothing to add.
static bool is_across(const reduce_sum_args &args)
{
    if (ACROSS_LENGTH == 0 || (uintptr_t)args.x % 16 != 0 || args.length == 0)
        return false;
    if (args.inner % WIDE == 0)
        return args.length <= ACROSS_LENGTH;
    return args.inner >= WIDE || (args.outer == 1 && args.length >= WIDE);
}

extern "C" assay_status reduce_sum_run(const reduce_sum_args *args, assay_stream stream)
{
    const int64_t rows = args->outer * args->inner;
    if (rows == 0)
        return ASSAY_OK;
    if (args->workspace_bytes < (int64_t)sizeof(float) * REDUCE_SUM_PARTIALS)
        return ASSAY_ERR_INVALID;
    if (args->inner == 1)
        return sum_contiguous(*args, stream);
    if (is_across(*args))
        return sum_across_rows(*args, stream);
    const bool wide = (uintptr_t)args->x % 16 == 0 && args->inner % WIDE == 0;
    return wide ? sum_strided<WIDE>(*args, stream) : sum_strided<1>(*args, stream);
}
